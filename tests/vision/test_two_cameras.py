"""Two cameras over one table, drawn, found, read and put together with the shipped nets: together they see what one sees."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import count

import numpy as np
import pytest
from vision_truth import Filmed, contents, essence, jpeg, zones_of

from table_engine.fusion.panorama import Panorama, united
from table_engine.wire.errors import CameraError
from table_engine.wire.layout import Layout, Zone
from table_engine.wire.observations import Envelope, HandSeen, Health, Observation, RackSeen, WallSeen, ZoneSeen
from table_engine.wire.seats import Seat
from table_engine.wire.settings import CameraSettings, TableSettings
from virtual_table.render.renderer import Renderer
from virtual_table.render.view import Camera
from virtual_table.table import TableSnapshot
from vision import markers
from vision.frame import Frame
from vision.runner import Loop
from vision.share import Share

Said = list[tuple[int, Observation]]
LAYOUT = Layout()


def half(side: int) -> Camera:
    """A camera that sees the half of the table on seat 0's side (-1) or the far one (1), twice as large as one that sees all."""
    return Camera.aimed(
        1920, 1080, focal=960 / (480 / 1600), distance=1600, elevation_deg=86, target=(0, side * 190, 0)
    )


@dataclass
class Outlet:
    said: Said = field(default_factory=list)

    def put_all(self, observations) -> None:
        self.said += observations


def watched(snapshot: TableSnapshot, camera: Camera, name: str, names: tuple[str, ...]) -> Said:
    cameras = tuple(CameraSettings(id=one, source="none", focal_px=camera.focal) for one in names)
    outlet = Outlet()
    loop = Loop(TableSettings(id="t1", cameras=cameras), cameras[names.index(name)], outlet)
    picture = jpeg(Renderer(camera, LAYOUT).frame(snapshot))
    for n in range(6):
        loop.take(Frame(1_000 + 200 * n, n, jpeg=picture), 0)
    return outlet.said


def together(**said: Said) -> Said:
    """What the engine makes of it."""
    panorama, seq, out = Panorama(), count(1), []
    for at_ms, src, word in sorted(
        ((at, src, word) for src, words in said.items() for at, word in words), key=lambda e: e[0]
    ):
        panorama, one = united(panorama, Envelope.of(src, 1, next(seq), at_ms, at_ms, word), frozenset(), 0)
        out.append((one.at_ms, one.data))
    return out


def wrong(said: Said, snapshot: TableSnapshot) -> dict:
    seen, truth = zones_of(said), contents(LAYOUT, snapshot)
    return {
        key: (essence(seen[key]) if key in seen else None, essence(one))
        for key, one in truth.items()
        if key not in seen or essence(seen[key]) != essence(one)
    }


@pytest.fixture(scope="module", params=[300, 700], ids=["a minute", "later"])
def snapshot(request) -> TableSnapshot:
    film = Filmed.of_players("riichi", seed=3)
    for _ in range(request.param):
        film.simulation.step(200)
    return replace(film.simulation.snapshot(), arms=())


def test_two_halves_are_one_table(snapshot):
    names = ("near", "far")
    near, far = (watched(snapshot, half(side), name, names) for side, name in zip((-1, 1), names, strict=True))
    for said, unseen in ((near, Seat.S2), (far, Seat.S0)):
        assert wrong(said, snapshot)
        assert (unseen, "rack") not in zones_of(said)
        assert [h.state for _, h in said if isinstance(h, Health)] == ["ok"]
    assert wrong(together(near=near, far=far), snapshot) == {}


def test_two_that_see_everything_are_one_table(snapshot):
    views = {
        "a": Camera.overhead(1920, 1080, LAYOUT.half, tilt_deg=4),
        "b": Camera.overhead(1920, 1080, LAYOUT.half, tilt_deg=9),
    }
    said = {name: watched(snapshot, view, name, tuple(views)) for name, view in views.items()}
    assert wrong(together(**said), snapshot) == {}


def test_a_camera_of_its_own_says_no_parts(snapshot):
    said = watched(snapshot, Camera.overhead(1920, 1080, LAYOUT.half, tilt_deg=4), "top", ("top",))
    words = [word for _, word in said if isinstance(word, ZoneSeen | RackSeen | WallSeen)]
    assert len(words) == 21
    assert {word.part for word in words} == {None}


def test_the_parts_are_what_lies_in_the_picture():
    camera = half(-1)
    picture = Renderer(camera, LAYOUT).frame(TableSnapshot(0, ()))
    share = Share.of(markers.calibrate(LAYOUT, picture, focal=camera.focal))
    assert {(seat, zone) for seat, zone in share.parts if seat == Seat.S2} == set()
    whole = share.parts[Seat.S0, Zone.POND]
    us, vs = zip(*whole.outline, strict=True)
    assert (min(us), min(vs), max(us), max(vs)) == (-95, -232, 180, -88)
    split = share.parts[Seat.S1, Zone.WALL]
    assert 20 < max(u for u, _ in split.outline) < 100
    assert whole.face_px == pytest.approx(camera.focal * 35 / 1580, rel=0.05)


def test_whose_arm_it_is_cannot_be_told_without_the_rack_it_comes_over():
    camera = half(-1)
    share = Share.of(
        markers.calibrate(LAYOUT, Renderer(camera, LAYOUT).frame(TableSnapshot(0, ())), focal=camera.focal)
    )
    arm = HandSeen(seat=Seat.S2, zone=Zone.POND, owner=Seat.S0, present=True)
    assert share.said(arm, {}) is None
    own = arm.model_copy(update={"seat": Seat.S0})
    assert share.said(own, {}) == own


def test_two_markers_are_enough_only_when_the_others_are_outside_and_the_lens_is_known():
    camera = half(-1)
    picture = Renderer(camera, LAYOUT).frame(TableSnapshot(0, ()))
    points = np.array([[x, y, 0.0] for x in (-400, 0, 400) for y in (-400, -200, 0)])
    made = markers.calibrate(LAYOUT, picture, focal=camera.focal)
    off = np.linalg.norm(made.project(points) - camera.project(points), axis=1) / camera.scale_at(0, 0)
    assert off.max() < 3.0
    with pytest.raises(CameraError, match="give focal_px"):
        markers.calibrate(LAYOUT, picture)
    whole = Camera.overhead(1920, 1080, LAYOUT.half)
    covered = Renderer(whole, LAYOUT).frame(TableSnapshot(0, ()))
    covered[:540] = 90
    with pytest.raises(CameraError, match=r"markers 1, 2 are not seen"):
        markers.calibrate(LAYOUT, covered, focal=whole.focal)
