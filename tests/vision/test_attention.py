"""Which zones are worth a look: what moved, what only the light changed, and what is believed of either."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from vision_truth import calibrated

from table_engine.wire.layout import Layout, Zone
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import Tile
from virtual_table.render.view import Camera
from vision.attention import Attention
from vision.belief import unmoved
from vision.labels import BACK_UP, FACE
from vision.sighting import Sighting
from vision.zones import SPOTS, Spot

LAYOUT = Layout()
POND: Spot = (Seat.S0, Zone.POND)
ONE = Sighting(10.0, 20.0, 0.0, FACE, Tile("1m"), 0.99, 0.9)


@pytest.fixture
def attention() -> Attention:
    """Of a camera that has read every zone of a grey, slightly uneven table."""
    one = Attention(calibrated(Camera.overhead(1920, 1080, LAYOUT.half), LAYOUT))
    for n in range(3):
        one.glance(table(one), 100 * n)
    for spot in SPOTS:
        one.took(spot, table(one))
    return one


def table(attention: Attention) -> np.ndarray:
    high, wide = attention.grid.owner.shape
    return (110 + 60 * np.linspace(0, 1, wide, dtype=np.float32) * np.ones((high, 1), np.float32)).astype(np.uint8)


def tile_in(attention: Attention, picture: np.ndarray) -> np.ndarray:
    """The picture with something bright of a tile's size in the pond of seat 0."""
    rows, columns = np.nonzero(attention.masks[POND])
    out = picture.copy()
    y, x = int(rows.mean()), int(columns.mean())
    out[y - 3 : y + 4, x - 2 : x + 3] = 235
    return out


def test_light_that_slowly_changes_over_half_a_table_makes_nothing_due(attention):
    plain = table(attention).astype(np.float32)
    half = np.zeros_like(plain)
    half[:, : plain.shape[1] // 2] = 1
    for n in range(1, 16):
        seen = np.clip(plain * (1 + 0.012 * n * half), 0, 255).astype(np.uint8)
        glance = attention.glance(seen, 300 + 100 * n)
        inside = [s for s in glance.due if not _crosses(attention, s, plain.shape[1] // 2)]
        assert inside == []


def _crosses(attention: Attention, spot: Spot, column: int) -> bool:
    columns = np.nonzero(attention.masks[spot])[1]
    return bool(columns.min() < column + 2 and columns.max() >= column - 2)


def test_a_tile_that_comes_while_the_light_changes_is_due(attention):
    seen = np.clip(tile_in(attention, table(attention)).astype(np.float32) * 1.1, 0, 255).astype(np.uint8)
    attention.glance(seen, 400)
    assert attention.glance(seen, 500).due == (POND,)
    assert attention.zones[POND].stirred


def test_what_only_the_light_changed_is_told_from_what_moved(attention):
    assert not attention.zones[POND].stirred
    slow = table(attention).astype(np.float32)
    rows, columns = np.nonzero(attention.masks[POND])
    for n in range(1, 8):
        slow[rows.min() + 2 : rows.min() + 8, columns.min() + 2 : columns.min() + 8] += 2
        attention.glance(slow.astype(np.uint8), 300 + 100 * n)
    zone = attention.zones[POND]
    assert zone.differs
    assert not zone.stirred


def test_where_nothing_moved_a_tile_stays_what_it_was_unless_it_is_plainly_another():
    other = replace(ONE, code=Tile("2m"))
    assert unmoved([ONE], [replace(other, confidence=0.93)], 1.0) == [ONE]
    assert unmoved([ONE], [replace(other, score=0.6)], 1.0) == [ONE]
    assert unmoved([ONE], [other], 1.0) == [other]


def test_where_nothing_moved_nothing_goes_and_only_what_is_plain_comes():
    ghost = Sighting(60.0, 20.0, 0.0, BACK_UP, Tile("b"), 0.6, 0.6)
    late = Sighting(60.0, 20.0, 0.0, FACE, Tile("5z"), 0.98, 0.95)
    assert unmoved([ONE], [], 1.0) == [ONE]
    assert unmoved([ONE], [ghost], 1.0) == [ONE]
    assert unmoved([ONE], [late], 1.0) == [late, ONE]


def test_zones_beside_the_picture_are_never_due_and_hold_nothing_up():
    half = Camera.aimed(1920, 1080, focal=1900.0, distance=1500.0, target=(0.0, -380.0, 0.0))
    one = Attention(calibrated(half, LAYOUT))
    assert 0 < len(one.zones) < len(SPOTS)
    small = table(one)
    for n in range(4):
        due = one.glance(small, 100 * n).due
        assert set(due) <= set(one.zones)
        for spot in due:
            one.took(spot, small)
    assert one.waiting_ms(300) == 300


def test_where_an_arm_was_small_differences_are_worth_a_look(attention):
    """Of two tiles on one another, right under the camera, the lower one looks nearly as the upper one did."""
    spot: Spot = (Seat.S0, Zone.WALL)
    plain = table(attention)
    rows, columns = np.nonzero(attention.masks[spot])
    middle = (round(rows.mean()), round(columns.mean()))
    other = plain.copy()
    other[middle[0] - 3 : middle[0] + 4, middle[1] - 3 : middle[1] + 4] += 5
    for n in range(3):
        assert spot not in attention.glance(other, 300 + 100 * n).due
    attention.zones[spot].closely = True
    glance = attention.glance(other, 600)
    assert spot in glance.due
    assert glance.differs[middle]
    attention.took(spot, other)
    assert spot not in attention.glance(other, 700).due
    attention.zones[spot].closely = True
    assert spot not in attention.glance(other, 800).due
    assert not attention.zones[spot].closely, "nothing differs"


def test_an_arm_over_a_zone_has_it_looked_at_closely(attention):
    spot: Spot = (Seat.S0, Zone.WALL)
    plain = table(attention)
    reach = plain.copy()
    rows, columns = np.nonzero(attention.masks[spot])
    y, x = round(rows.mean()), round(columns.mean())
    reach[y - 6 :, x - 8 : x + 9] = 235
    for n in range(2):
        attention.glance(reach, 300 + 100 * n)
    assert attention.zones[spot].closely
    for n in range(3):
        attention.glance(plain, 500 + 100 * n)
    assert not attention.zones[spot].closely


def test_a_zone_is_read_though_what_may_be_an_arm_never_moves(attention):
    plain, spot = table(attention), POND
    attention.zones[spot].fresh = True
    now = 300
    while spot not in attention.glance(plain, now).due or attention.wait_for_arm(spot, now, surely=False):
        now += 100
    assert 2_500 <= now - 300 <= 3_000


def test_a_zone_waits_for_what_surely_is_an_arm_however_long_it_rests(attention):
    other = tile_in(attention, table(attention))
    for n in range(60):
        if POND in attention.glance(other, 300 + 100 * n).due:
            assert attention.wait_for_arm(POND, 300 + 100 * n, surely=True)


def test_a_small_difference_stays_due_until_it_has_been_read(attention):
    """An arm's fingers at the window's edge, or a face nobody is sure of, must not lose it."""
    rows, columns = np.nonzero(attention.masks[POND])
    other = table(attention)
    other[round(rows.mean()) - 3 : round(rows.mean()) + 4, round(columns.mean()) - 3 : round(columns.mean()) + 4] += 5
    attention.zones[POND].closely = True
    due = [POND in attention.glance(other, 300 + 100 * n).due for n in range(5)]
    assert due[1:] == [True] * 4
    attention.took(POND, other)
    assert POND not in attention.glance(other, 900).due


def test_a_zone_that_is_asked_for_again_is_told_for_the_moment_it_is_seen_anew(attention):
    plain = table(attention)
    for n in range(3):
        attention.glance(plain, 1000 + 100 * n)
    attention.read_anew(POND)
    assert POND not in attention.glance(plain, 1300).due
    assert POND in attention.glance(plain, 1400).due
    assert attention.zones[POND].since_ms == 1300
