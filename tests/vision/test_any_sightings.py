"""Whatever a camera takes for tiles, wherever: nothing crashes, and nothing is believed that was not seen."""

from __future__ import annotations

import numpy as np
import pytest
from vision_truth import calibrated

from table_engine.wire.layout import Layout, Zone, to_table
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import BACK, Tile
from virtual_table.render.view import Camera
from vision.belief import believed, in_company, unmoved
from vision.calibrate import Calibration
from vision.labels import BACK_UP, CLASSES, FACE, NONE, TOP
from vision.sighting import Sighting
from vision.wall import Before, wall

LAYOUT = Layout()
SEATED = (Zone.RACK, Zone.WALL, Zone.POND, Zone.MELD)
SHOWN = [code for code in CLASSES if code not in (NONE, BACK)]


@pytest.fixture(scope="module")
def calibration() -> Calibration:
    return calibrated(Camera.overhead(1920, 1080, LAYOUT.half), LAYOUT)


def some(rng: np.random.Generator, seat: Seat, zone: Zone) -> list[Sighting]:
    """None to thirty finds in a zone, many of one size, as of a row, or of all sizes."""
    rect = LAYOUT.zone(zone)
    usual = float(rng.uniform(0.3, 1.3))
    out = []
    for _ in range(int(rng.choice((0, 1, 2, 3, 5, 30)))):
        what = int(rng.choice((FACE, BACK_UP, TOP)))
        x, y = to_table(seat, float(rng.uniform(rect.u0, rect.u1)), float(rng.uniform(rect.v0, rect.v1)))
        colour = tuple(float(v) for v in rng.uniform(0, 255, 3)) if rng.random() < 0.7 else None
        size = usual * float(np.exp(rng.normal(0, rng.choice((0.03, 0.5)))))
        code = Tile(str(rng.choice(SHOWN))) if what == FACE else BACK
        sure, score, level = (float(v) for v in rng.uniform(0, 1, 3))
        out.append(Sighting(x, y, 0.0, what, code, sure, score, 2 * level, size, colour=colour))
    return out


@pytest.mark.parametrize("zone", SEATED)
def test_any_sightings_of_a_zone_are_judged(calibration, zone):
    rng = np.random.default_rng(SEATED.index(zone))
    for _ in range(250):
        seat = SEATS[int(rng.integers(4))]
        seen, known = some(rng, seat, zone), some(rng, seat, zone)
        backs = (120.0, 90.0, 140.0) if rng.random() < 0.7 else None
        told = believed(calibration, (seat, zone), seen, (17, 18), known, backs)
        assert {(s.x, s.y) for s in told} <= {(s.x, s.y) for s in seen}
        assert len(in_company(seen)) <= len(seen)
        assert len(unmoved(known, seen, 1.0)) >= len(known)


def test_any_sightings_of_a_wall_are_heights(calibration):
    rng = np.random.default_rng(9)
    for _ in range(250):
        seat = SEATS[int(rng.integers(4))]
        before = Before(tuple(some(rng, seat, Zone.WALL)), tuple(int(n) for n in rng.integers(0, 3, LAYOUT.stacks)))
        changed = rng.uniform(-LAYOUT.half, LAYOUT.half, (int(rng.integers(0, 40)), 2)).astype(np.float32)
        said = wall(calibration, seat, some(rng, seat, Zone.WALL), 1, before, changed)
        assert len(said.heights) == LAYOUT.stacks
        assert set(said.heights) <= {0, 1, 2}


def test_a_side_of_which_only_what_is_too_large_was_looked_at_is_no_wall(calibration):
    """The window held nothing but cloth that looked like a stack: everything there is filtered away."""
    stacks = [
        Sighting(LAYOUT.wall_u(n), LAYOUT.wall_v, 0.0, BACK_UP, BACK, 0.9, 0.9, 2.0, 1.0, colour=(120.0, 90.0, 140.0))
        for n in range(3)
    ]
    cloth = Sighting(LAYOUT.wall_u(8), LAYOUT.wall_v, 0.0, BACK_UP, BACK, 0.9, 0.9, 2.0, 1.5)
    assert believed(calibration, (Seat.S0, Zone.WALL), [cloth], (17,), stacks) == []
