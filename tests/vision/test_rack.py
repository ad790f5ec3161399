"""A standing hand seen from its player's side: told when two looks agree, in the order its player sees it."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from pydantic import ValidationError

from table_engine.wire.layout import TileSize
from table_engine.wire.observations import HandFaces, Health, Watermark
from table_engine.wire.seats import Seat
from table_engine.wire.settings import CameraSettings
from table_engine.wire.tiles import Tile
from virtual_table.render.canvas import Canvas
from virtual_table.render.light import Light
from virtual_table.render.style import STYLES
from virtual_table.render.view import Camera
from virtual_table.table import Place, TileThing
from vision.camera import Lost
from vision.frame import Frame
from vision.photo import PhotoReader, PhotoTile
from vision.rack import RackEyes, RackWatcher, hand, longest_row
from vision.runner import RackLoop
from vision.train.scenes import block

HAND = ("1m", "2m", "3m", "5p", "5p", "7s", "8s", "9s", "1z", "1z", "6z", "6z", "6z")


def tile(code: str, x: float, y: float = 0.0, *, upside_down: bool = False) -> PhotoTile:
    quad = np.array([[-13, -17], [13, -17], [13, 17], [-13, 17]], np.float32)
    quad = (np.roll(quad, 2, axis=0) if upside_down else quad) + np.array([x, y], np.float32)
    return PhotoTile(Tile(code), 0.99, (), quad)


def row(*codes: str, gap: float = 27.0, **more) -> list[PhotoTile]:
    return [tile(code, gap * n, **more) for n, code in enumerate(codes)]


class Eyes:
    """Answers what it is told to, and counts the looks."""

    def __init__(self, *answers: list[PhotoTile]) -> None:
        self.answers, self.looks = list(answers), 0

    def __call__(self, _: np.ndarray) -> list[PhotoTile]:
        self.looks += 1
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def picture(level: int = 90) -> np.ndarray:
    ramp = np.tile(np.linspace(40, 200, 320, dtype=np.uint8), (200, 1))
    out = np.repeat(ramp[..., None], 3, axis=2)
    out[50:120, 60:200] = level
    return out


def shown(watcher: RackWatcher, *levels: int, start: int = 0) -> list[HandFaces]:
    said = [
        one for n, level in enumerate(levels) for one in watcher.feed(Frame(100 * (start + n), n, image=picture(level)))
    ]
    return [one for _, one in said if isinstance(one, HandFaces)]


def test_a_row_is_read_from_left_to_right():
    seen = hand(Seat.S2, row("3p", "1m", "9s"))
    assert seen == HandFaces(seat=Seat.S2, tiles=("3p", "1m", "9s"))


def test_a_camera_that_hangs_upside_down_changes_nothing():
    assert hand(Seat.S0, row("3p", "1m", "9s", upside_down=True)).tiles == ("9s", "1m", "3p")


def test_the_drawn_tile_stands_apart_at_the_right():
    seen = hand(Seat.S0, [*row("1m", "2m", "3m"), tile("7z", 3 * 27 + 18)])
    assert (seen.tiles, seen.drawn) == (("1m", "2m", "3m"), "7z")


def test_what_lies_off_the_row_does_not_belong_to_it():
    flat = [tile("9p", 30 * n, 60 + 10 * n) for n in range(3)]
    assert [t.code for t in longest_row([*row("1m", "2m", "3m", "4m"), *flat])] == ["1m", "2m", "3m", "4m"]
    assert hand(Seat.S0, []) is None


def test_a_hand_is_told_once_when_two_looks_agree():
    eyes = Eyes(row("1m", "2m"))
    watcher = RackWatcher(Seat.S1, eyes)
    assert shown(watcher, *[90] * 12) == [HandFaces(seat=Seat.S1, tiles=("1m", "2m"))]
    assert eyes.looks == 2


def test_nothing_is_told_while_something_moves_or_looks_differ():
    watcher = RackWatcher(Seat.S1, Eyes(row("1m"), row("2m"), row("3m"), row("4m"), row("5m")))
    assert shown(watcher, 90, 140, 190, 90, 140, 190) == []
    assert shown(watcher, *[90] * 6, start=6) == []


def test_a_changed_hand_is_told_anew_and_again_when_asked():
    eyes = Eyes(row("1m", "2m"))
    watcher = RackWatcher(Seat.S1, eyes)
    shown(watcher, *[90] * 6)
    eyes.answers = [row("1m", "9p")]
    assert [h.tiles for h in shown(watcher, *[160] * 6, start=6)] == [("1m", "9p")]
    watcher.again()
    assert [h.tiles for h in shown(watcher, *[160] * 6, start=12)] == [("1m", "9p")]


def test_a_watermark_never_passes_a_hand_that_is_being_read():
    watcher = RackWatcher(Seat.S1, Eyes(row("1m", "2m")))
    mark = -2
    for n in range(60):
        level = 90 if n < 25 else 150
        for at_ms, one in watcher.feed(Frame(100 * n, n, image=picture(level))):
            if isinstance(one, Watermark):
                assert at_ms > mark
                mark = at_ms
            else:
                assert at_ms > mark
    assert mark >= 5_500


def test_a_covered_camera_says_so():
    watcher = RackWatcher(Seat.S1, Eyes(row("1m")))
    said = watcher.feed(Frame(0, 0, image=np.zeros((200, 320, 3), np.uint8)))
    assert [one.state for _, one in said if isinstance(one, Health)] == ["degraded"]


def test_the_loop_says_what_is_wrong_once():
    class Heard:
        def __init__(self) -> None:
            self.said: list = []

        def put_all(self, observations) -> None:
            self.said += observations

    heard = Heard()
    camera = CameraSettings(id="r1", source="none", role="rack", seat=1)
    loop = RackLoop(camera, heard, RackWatcher(Seat.S1, Eyes(row("1m"))))
    for n in range(3):
        loop.take(Lost("camera r1: gone"), 1_000 + n)
    loop.take(Frame(2_000, 1, jpeg=b"nothing"), 0)
    assert [(at_ms, one.state) for at_ms, one in heard.said] == [(1_000, "lost"), (2_000, "degraded")]


@pytest.mark.parametrize("told", [{"role": "rack"}, {"role": "overhead", "seat": 2}])
def test_a_rack_camera_needs_a_seat_and_no_other_has_one(told):
    with pytest.raises(ValidationError, match="needs seat"):
        CameraSettings(id="r1", source="0", **told)


def test_a_real_looking_hand_is_read():
    camera = Camera.aimed(
        1280, 720, focal=1500, distance=620, elevation_deg=22, azimuth_deg=-90, target=(0.0, 0.0, 18.0)
    )
    canvas = Canvas(np.full((720, 1280, 3), (70, 100, 40), np.uint8), camera, Light())
    things = [TileThing(n, Tile(code), 0, Place((n - 6) * 26.0, 0.0, 0.0, 0.0, 90.0)) for n, code in enumerate(HAND)]
    canvas.show([block(t, STYLES["japanese"], TileSize()) for t in things])
    eyes = RackEyes(PhotoReader(threads=1))
    first = hand(Seat.S0, eyes(canvas.picture))
    again = hand(Seat.S0, eyes(canvas.picture))
    cv2.setNumThreads(1)
    assert sum(a == b for a, b in zip(first.tiles, HAND, strict=True)) >= 12
    assert sum(a == b for a, b in zip(again.tiles, HAND, strict=True)) >= 12
