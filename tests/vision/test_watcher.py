"""The watcher on filmed games, with perfect eyes: when it says what."""

from __future__ import annotations

import itertools
from dataclasses import replace

import cv2
import numpy as np
import pytest
from vision_truth import Filmed, TruthEyes, calibrated, contents, essence, key_of, zones_of

from table_engine.wire.layout import Layout, Zone, to_table
from table_engine.wire.observations import HandSeen, Health, Observation, RackSeen, WallSeen, Watermark, ZoneSeen
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import BACK, Tile
from virtual_table.render.look import look
from virtual_table.render.view import Camera
from vision.frame import Frame
from vision.labels import BACK_UP, FACE
from vision.look import Look
from vision.sighting import Sighting
from vision.watcher import Watcher

Zones = ZoneSeen | RackSeen | WallSeen


class Watched:
    """A filmed game and what is said of it."""

    def __init__(self, ruleset: str, seed: int = 1) -> None:
        self.film = Filmed.of_players(ruleset, seed=seed, look=look("japanese"))
        self.eyes: list[TruthEyes] = []
        self.watcher = Watcher(self.film.calibration, self._made)
        self.said: list[tuple[int, Observation]] = []

    def _made(self, calibration) -> TruthEyes:
        self.eyes.append(TruthEyes(calibration))
        return self.eyes[-1]

    def show(self, frame: Frame) -> list[tuple[int, Observation]]:
        self.eyes[-1].snapshot = self.film.simulation.snapshot()
        new = self.watcher.feed(frame)
        self.said += new
        return new

    def play(self, seconds: float, fps: int = 10) -> None:
        for _ in range(round(seconds * fps)):
            self.show(self.film.step(round(1000 / fps)))

    def still(self, count: int, change=lambda image, _: image) -> list[tuple[int, Observation]]:
        """Frames of the table as it is now, each changed by `change`."""
        image, start = self.film.frame().image, self.film.simulation.at_ms
        out = []
        for n in range(count):
            out += self.show(Frame(start + 100 * (n + 1), 10_000 + n, image=change(image.copy(), n)))
        return out


def zone_words(said: list[tuple[int, Observation]]) -> list[Zones]:
    return [one for _, one in said if isinstance(one, Zones)]


@pytest.fixture(scope="module")
def middle() -> Watched:
    """Half a minute of a riichi hand."""
    watched = Watched("riichi")
    watched.play(30)
    while watched.film.simulation.snapshot().arms:
        watched.play(0.1)
    watched.still(4)
    return watched


@pytest.mark.parametrize("ruleset", ["riichi", "taiwan16"])
def test_every_zone_that_settles_is_told_as_it_is(ruleset):
    watched = Watched(ruleset, seed=3)
    steady: dict = {}
    checked = 0
    for _ in range(220):
        watched.show(watched.film.step(100))
        snapshot = watched.film.simulation.snapshot()
        told = zones_of(watched.said)
        for key, one in contents(watched.film.simulation.layout, snapshot).items():
            known, count = steady.get(key, (None, 0))
            steady[key] = (essence(one), count + 1 if known == essence(one) and not snapshot.arms else 0)
            if steady[key][1] >= 5 and snapshot.at_ms > 6_000:
                assert essence(told[key]) == essence(one), (snapshot.at_ms, key)
                checked += 1
    assert checked >= 20


def test_nothing_is_said_for_a_moment_before_a_watermark(middle):
    mark = -1
    for at_ms, one in middle.said:
        if isinstance(one, Watermark):
            assert at_ms > mark
            mark = at_ms
        else:
            assert at_ms >= mark, one


def test_watermarks_come_at_least_twice_a_second(middle):
    marks = [at_ms for at_ms, one in middle.said if isinstance(one, Watermark)]
    gaps = [b - a for a, b in itertools.pairwise(marks)]
    assert max(gaps) <= 1_500
    assert sorted(gaps)[len(gaps) // 2] <= 500


def test_a_zone_is_said_when_it_changes_and_not_again(middle):
    last: dict = {}
    for one in zone_words(middle.said):
        assert last.get(key_of(one)) != (essence(one), tuple(t.track for t in getattr(one, "tiles", ())))
        last[key_of(one)] = (essence(one), tuple(t.track for t in getattr(one, "tiles", ())))


def test_hands_come_and_go_in_pairs(middle):
    present: set = set()
    hands = [one for _, one in middle.said if isinstance(one, HandSeen)]
    assert hands
    for one in hands:
        key = (one.seat, one.zone, one.owner)
        assert one.present == (key not in present)
        present ^= {key}
    assert not present


def test_a_hand_is_seen_by_whose_it_is(middle):
    """At the deal and in play everybody reaches out, and mostly to their own side."""
    seats = {one.seat for _, one in middle.said if isinstance(one, HandSeen)}
    assert seats == set(Seat)


def test_noise_says_nothing(middle):
    rng = np.random.default_rng(0)
    said = middle.still(20, lambda image, _: np.clip(image + rng.normal(0, 4, image.shape), 0, 255).astype(np.uint8))
    assert not zone_words(said)


def test_a_slow_change_of_light_says_nothing(middle):
    said = middle.still(25, lambda image, n: cv2.convertScaleAbs(image, alpha=1 - 0.012 * n))
    said += middle.still(25, lambda image, n: cv2.convertScaleAbs(image, alpha=0.7 + 0.012 * n))
    assert not zone_words(said)
    middle.still(4)


def test_light_that_goes_down_at_once_while_an_arm_moves_says_nothing(middle):
    def dim(image: np.ndarray, n: int) -> np.ndarray:
        cv2.line(image, (1000, 1079), (960, 900 + 8 * (n % 9)), (120, 150, 210), 70)
        return cv2.convertScaleAbs(image, alpha=1.0 if n < 4 else 0.6)

    said = middle.still(24, dim)
    said += middle.still(6, lambda image, _: cv2.convertScaleAbs(image, alpha=0.6))
    said += middle.still(8)
    assert not zone_words(said)
    assert not middle.watcher._hands


def test_an_arm_over_the_table_says_no_zone(middle):
    def arm(image: np.ndarray, n: int) -> np.ndarray:
        reach = (900, 560 - 12 * min(n, 20))
        cv2.line(image, (1020, 1079), reach, (120, 150, 210), 70)
        cv2.circle(image, reach, 48, (120, 150, 210), -1)
        return image

    said = middle.still(30, arm)
    assert not zone_words(said)
    hands = [one for _, one in said if isinstance(one, HandSeen)]
    assert hands
    assert {one.seat for one in hands} == {Seat.S0}
    after = middle.still(6)
    assert not zone_words(after)
    assert all(not one.present for _, one in after if isinstance(one, HandSeen))


@pytest.mark.parametrize(
    ("spoiled", "words"),
    [
        (lambda image, _: image * 0, "black"),
        (lambda image, _: image * 0 + 255, "blown out"),
        (lambda image, _: image * 0 + 90, "covered"),
    ],
)
def test_a_spoiled_picture_degrades_and_heals(middle, spoiled, words):
    said = middle.still(5, spoiled)
    assert not zone_words(said)
    health = [one for _, one in said if isinstance(one, Health)]
    assert health[0].state == "lost"
    assert words in health[0].degraded[0]
    after = middle.still(6)
    assert not zone_words(after)
    assert next(one.state for _, one in after if isinstance(one, Health)) == "ok"


def test_everything_is_said_again_when_asked(middle):
    before = zones_of(middle.said)
    middle.watcher.again()
    said = middle.still(5)
    after = zones_of(said)
    assert set(after) >= {key for key in before if key[1] != "centre"}
    assert all(essence(after[key]) == essence(before[key]) for key in after)


def test_trouble_holds_readings_back_until_it_is_over(middle):
    middle.watcher.trouble("the camera has moved")
    said = middle.still(5)
    assert not zone_words(said)
    assert any(isinstance(one, Health) and one.degraded == ("the camera has moved",) for _, one in said)
    middle.watcher.trouble()
    looked = middle.eyes[-1].looks
    assert not zone_words(middle.still(5))
    assert middle.eyes[-1].looks > looked


@pytest.mark.parametrize("shift_mm", [0.4, -0.4])
def test_a_tile_on_the_border_of_a_window_is_neither_doubled_nor_lost(middle, shift_mm):
    watcher, spot = middle.watcher, (Seat.S0, Zone.POND)
    before = watcher.sightings[spot]
    tile = before[0]
    ((x, y),) = watcher.calibration.scale(np.array([[tile.x + shift_mm / 2, tile.y]]))
    window = (round(x), round(y) - 40, round(x) + 60, round(y) + 40)
    decided = [s for s in before if watcher._within(s, window) or s is tile]
    seen = [replace(s, x=s.x + shift_mm, track=0) for s in decided]
    frame = Frame(middle.film.simulation.at_ms + 10_000, 99_000, image=middle.film.frame().image)
    watcher._taken(frame, spot, seen, window)
    after = watcher.sightings[spot]
    watcher.sightings[spot] = before
    assert sorted(s.code for s in after) == sorted(s.code for s in before)
    assert len({(round(s.x / 10), round(s.y / 10)) for s in after}) == len(before)


class Shown:
    """Eyes that see what they are told lies there, and an arm over all of it or over none."""

    def __init__(self, calibration) -> None:
        self.calibration, self.sightings, self.covered = calibration, list[Sighting](), False

    def look(self, _: np.ndarray, window) -> Look:
        x0, y0, x1, y1 = window
        places = self.calibration.scale(np.array([[s.x, s.y] for s in self.sightings]).reshape(-1, 2))
        inside = [x0 <= x < x1 and y0 <= y < y1 for x, y in places]
        seen = tuple(s for s, here in zip(self.sightings, inside, strict=True) if here)
        arms = np.full(((y1 - y0) // 4 + 1, (x1 - x0) // 4 + 1), float(self.covered), np.float32)
        return Look(seen, 0.5 if self.covered else 0.0, arms, (x0, y0))


class Tabletop:
    """A watched table of which only eyes like these know what lies on it."""

    def __init__(self) -> None:
        self.layout = Layout()
        self.calibration = calibrated(Camera.overhead(1920, 1080, self.layout.half), self.layout)
        self.eyes = Shown(self.calibration)
        self.watcher = Watcher(self.calibration, lambda _: self.eyes)
        self.picture = np.full((1080, 1920, 3), 60, np.uint8)
        self.picture[:, ::2] = np.linspace(20, 200, 960, dtype=np.uint8)[None, :, None]
        self.said: list[tuple[int, Observation]] = []
        self.frames = 0

    def show(self, count: int) -> None:
        for _ in range(count):
            self.said += self.watcher.feed(Frame(100 * self.frames, self.frames, image=self.picture.copy()))
            self.frames += 1

    def paint(self, x: float, y: float, colour: int, wide: int = 8, high: int = 12) -> None:
        """A block of px around a place of the table, mm."""
        px, py = np.rint(self.calibration.project(np.array([[x, y, self.layout.tile.depth]]))[0]).astype(int)
        self.picture[py - high : py + high, px - wide : px + wide] = colour

    def pond(self) -> list[str]:
        return [str(t.code) for t in zones_of(self.said)[Seat.S0, Zone.POND].tiles]


def test_a_hand_that_rests_on_a_tile_takes_nothing_from_the_table():
    table = Tabletop()
    x, y = 0.0, table.layout.pond_top - 20
    table.eyes.sightings = [Sighting(x, y, 0.0, FACE, Tile("1m"), 0.99, 0.95)]
    table.show(8)
    assert table.pond() == ["1m"]
    bare = table.picture.copy()
    lying, table.eyes.sightings = table.eyes.sightings, []
    table.eyes.covered = True
    px, py = np.rint(table.calibration.project(np.array([[x, y, 20.0]]))[0]).astype(int)
    table.picture[py - 30 :, px - 45 : px + 45] = 60
    table.show(90)
    assert table.pond() == ["1m"]
    table.picture, table.eyes.covered, table.eyes.sightings = bare, False, lying
    table.show(8)
    assert table.pond() == ["1m"]


def test_a_cloth_that_looks_like_an_arm_keeps_no_zone_from_being_read():
    table = Tabletop()
    table.show(8)
    table.eyes.covered = True
    x, y = 0.0, table.layout.pond_top - 20
    table.eyes.sightings = [Sighting(x, y, 0.0, FACE, Tile("1m"), 0.99, 0.95)]
    table.paint(x, y, 240, 4, 5)
    table.show(8)
    assert table.pond() == ["1m"]


def test_a_blotch_on_an_empty_table_is_no_tile_and_a_tile_laid_there_is_one():
    table = Tabletop()
    x, y = 0.0, table.layout.pond_top - 20
    table.eyes.sightings = [Sighting(x, y, 0.0, FACE, Tile("1m"), 0.6, 0.5)]
    table.show(6)
    assert table.pond() == []
    table.eyes.sightings = [Sighting(x, y, 0.0, FACE, Tile("1m"), 0.9, 0.55)]
    table.paint(x, y, 240)
    table.show(6)
    assert table.pond() == ["1m"]


def test_where_the_table_looks_bare_no_arm_is_over_it():
    table = Tabletop()
    x, y = 0.0, table.layout.pond_top - 20
    table.show(6)
    bare = table.picture.copy()
    table.eyes.sightings = [Sighting(x, y, 0.0, FACE, Tile("1m"), 0.99, 0.95)]
    table.paint(x, y, 240)
    table.show(6)
    assert table.pond() == ["1m"]
    table.picture, table.eyes.sightings, table.eyes.covered = bare, [], True
    table.show(6)
    assert table.pond() == []


def test_a_blotch_taken_for_a_back_is_taken_back_when_the_walls_show_what_backs_look_like():
    table = Tabletop()
    layout = table.layout
    blotch = Sighting(0.0, layout.pond_top - 20, 0.0, BACK_UP, BACK, 0.75, 0.75, colour=(70.0, 170.0, 140.0))
    table.eyes.sightings = [blotch]
    table.show(6)
    assert table.pond() == ["b"]
    walls = [to_table(Seat.S1, layout.wall_u(n), layout.wall_v) for n in range(10)]
    teal = (120.0, 100.0, 110.0)
    table.eyes.sightings += [Sighting(x, y, 90.0, BACK_UP, BACK, 0.9, 0.9, 2.0, colour=teal) for x, y in walls]
    for x, y in walls:
        table.paint(x, y, 140)
    table.show(12)
    assert table.pond() == []
    assert sum(zones_of(table.said)[Seat.S1, "wall_seen"].heights) >= 10
    mark = -1
    for at_ms, one in table.said:
        assert at_ms >= mark, "nothing is said of a moment before a watermark"
        mark = at_ms if isinstance(one, Watermark) else mark


def test_a_darker_set_that_rises_after_another_is_seen():
    table = Tabletop()
    layout = table.layout
    walls = [to_table(Seat.S1, layout.wall_u(n), layout.wall_v) for n in range(12)]
    for colour, grey in (((160.0, 165.0, 195.0), 200), ((90.0, 135.0, 85.0), 130)):
        table.eyes.sightings = [
            Sighting(x, y, 90.0, BACK_UP, BACK, 0.93, 0.93, 2.0, size=1.0, colour=colour) for x, y in walls
        ]
        for x, y in walls:
            table.paint(x, y, grey)
        table.show(12)
        assert sum(h > 0 for h in zones_of(table.said)[Seat.S1, "wall_seen"].heights) == 12
        table.eyes.sightings = []
        for x, y in walls:
            table.paint(x, y, 60)
        table.show(12)
