"""A film in which the camera is pushed while the game goes on: noticed, said, nothing wrong told meanwhile, and put right."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import cv2
import numpy as np
import pytest
from vision_truth import Filmed, contents, essence, jpeg, key_of, zones_of

from table_engine.wire.layout import Layout
from table_engine.wire.observations import HandSeen, Health, Observation, RackSeen, WallSeen, ZoneSeen
from table_engine.wire.settings import CameraSettings, TableSettings
from virtual_table.render.renderer import Renderer
from virtual_table.render.view import Camera
from virtual_table.table import TableSnapshot
from vision.frame import Frame
from vision.runner import Loop

LAYOUT = Layout()
STOOD = Camera.overhead(1920, 1080, LAYOUT.half, tilt_deg=4)


def pushed(x_mm: float, y_mm: float, roll_deg: float = 0.0) -> Camera:
    """The same camera, its mount pushed sideways over the table and turned."""
    distance = float(np.hypot(STOOD.position[1], STOOD.position[2]))
    return Camera.aimed(
        1920,
        1080,
        focal=STOOD.focal,
        distance=distance,
        elevation_deg=86,
        roll_deg=roll_deg,
        target=(x_mm, y_mm, 0.0),
    )


@dataclass
class Film:
    """A table filmed picture by picture, and what is said of it."""

    snapshot: TableSnapshot
    loop: Loop = field(init=False)
    said: list[tuple[int, Observation]] = field(default_factory=list)
    at_ms: int = 1_000
    pictures: dict[object, np.ndarray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        camera = CameraSettings(id="top", source="none", focal_px=STOOD.focal)
        self.loop = Loop(TableSettings(id="t1", cameras=(camera,)), camera, self)

    def put_all(self, observations) -> None:
        self.said += observations

    def shows(self, camera: Camera, pictures: int = 1) -> list[tuple[int, Observation]]:
        """So many pictures, 200 ms apart; gives what was said of them."""
        key = (camera, self.snapshot)
        if key not in self.pictures:
            self.pictures[key] = Renderer(camera, LAYOUT).frame(self.snapshot)
        return self.takes(self.pictures[key], pictures)

    def takes(self, image: np.ndarray, pictures: int = 1) -> list[tuple[int, Observation]]:
        before, data = len(self.said), jpeg(image)
        for _ in range(pictures):
            self.loop.take(Frame(self.at_ms, self.at_ms // 200, jpeg=data), self.at_ms)
            self.at_ms += 200
        return self.said[before:]

    def wrong(self, said: list[tuple[int, Observation]], *, whole: bool) -> list[object]:
        """Zones told otherwise than they are; with `whole` also those not told."""
        truth, told = contents(LAYOUT, self.snapshot), zones_of(said)
        missing = [key for key in truth if key not in told] if whole else []
        words = [one for _, one in said if isinstance(one, ZoneSeen | RackSeen | WallSeen)]
        return missing + [w for w in words if key_of(w) in truth and essence(w) != essence(truth[key_of(w)])]


def health(said: list[tuple[int, Observation]]) -> list[Health]:
    return [one for _, one in said if isinstance(one, Health)]


@pytest.fixture(scope="module")
def snapshots() -> tuple[TableSnapshot, TableSnapshot]:
    """A table in the middle of a hand, and somewhat later."""
    film = Filmed.of_players("riichi", seed=3)
    taken = []
    for steps in (300, 40):
        for _ in range(steps):
            film.simulation.step(200)
        taken.append(replace(film.simulation.snapshot(), arms=()))
    return taken[0], taken[1]


@pytest.fixture
def film(snapshots) -> Film:
    made = Film(snapshots[0])
    assert made.wrong(made.shows(STOOD, 8), whole=True) == []
    return made


@pytest.mark.parametrize(
    "camera",
    [pushed(8, -6), pushed(30, 15), pushed(0, 0, roll_deg=3), pushed(-60, 40, roll_deg=-5)],
    ids=["a centimetre", "three centimetres", "three degrees", "seven centimetres and five degrees"],
)
def test_a_pushed_camera_is_noticed_says_nothing_wrong_and_calibrates_itself_anew(film, camera):
    said = film.shows(camera, 20)
    assert film.wrong(said, whole=False) == []
    states = [one.state for one in health(said)]
    assert "lost" in states
    assert states[-1] == "ok"
    (why,) = {one.degraded for one in health(said) if one.state == "lost"}
    assert "the camera has moved: the table's markers are" in why[0]
    assert "fix its mount" in why[0]
    assert film.wrong(said, whole=True) == []


def test_what_was_played_while_it_was_out_is_told_afterwards(film, snapshots):
    film.shows(pushed(30, 15), 2)
    film.snapshot = snapshots[1]
    said = film.shows(pushed(30, 15), 20)
    assert film.wrong(said, whole=True) == []


def test_a_camera_that_swings_is_not_calibrated_before_it_rests(film):
    before = film.loop.watcher.calibration
    said = []
    for n in range(15):
        said += film.shows(pushed(25 * np.cos(n / 2), 25 * np.sin(n / 2)))
    assert film.wrong(said, whole=False) == []
    assert health(said)[-1].state == "lost"
    assert film.loop.watcher.calibration is before
    rest = film.shows(pushed(10, 10), 20)
    assert health(rest)[-1].state == "ok"
    assert film.wrong(rest, whole=True) == []


def test_a_camera_pushed_back_goes_on(film):
    before = film.loop.watcher.calibration
    assert health(film.shows(pushed(30, 15), 9))[-1].state == "lost"
    said = film.shows(STOOD, 12)
    assert health(said)[-1].state == "ok"
    assert film.loop.watcher.calibration is before
    assert film.wrong(said, whole=True) == []


def test_one_that_looks_elsewhere_asks_to_be_turned_back(film):
    rng = np.random.default_rng(2)
    elsewhere = cv2.resize(rng.integers(40, 220, (9, 16, 3), np.uint8), (1920, 1080), interpolation=cv2.INTER_CUBIC)
    said = film.takes(elsewhere, 20)
    assert not [one for _, one in said if isinstance(one, ZoneSeen | RackSeen | WallSeen | HandSeen)]
    assert health(said)[-1].state == "lost"
    assert "the camera looks elsewhere" in health(said)[-1].degraded[0]
    back = film.shows(STOOD, 12)
    assert health(back)[-1].state == "ok"
    assert film.wrong(back, whole=True) == []


def test_one_of_which_too_few_markers_are_left_asks_for_them(film):
    camera = pushed(30, 15)
    picture = Renderer(camera, LAYOUT).frame(film.snapshot)
    picture[:, :500] = 90
    said = film.takes(picture, 20)
    assert film.wrong(said, whole=False) == []
    assert health(said)[-1].state == "lost"
    assert "are not seen; free the table's corners" in health(said)[-1].degraded[0]
    assert film.wrong(film.shows(camera, 20), whole=True) == []


def test_hands_over_all_markers_are_no_move(film):
    picture = film.pictures[STOOD, film.snapshot].copy()
    for x, y in STOOD.project(np.array([[*at, 0.0] for at in LAYOUT.marker_centres])).astype(int):
        cv2.circle(picture, (int(x), int(y)), 45, (110, 140, 190), -1)
    said = film.takes(picture, 20)
    assert {one.state for one in health(said)} == {"ok"}
    assert film.wrong(said, whole=False) == []
