"""Which detections are believed, what is static, who is followed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from vision_truth import calibrated

from table_engine.wire.layout import Layout, Zone
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import Tile
from virtual_table.render.view import Camera
from vision import zones
from vision.arms import arms
from vision.bare import BareTable
from vision.belief import believed, in_company, strange
from vision.calibrate import Calibration
from vision.labels import BACK_UP, FACE, TOP
from vision.motion import Grid
from vision.sighting import Sighting
from vision.tracks import Tracks

LAYOUT = Layout()


@pytest.fixture(scope="module")
def calibration() -> Calibration:
    return calibrated(Camera.overhead(1920, 1080, LAYOUT.half), LAYOUT)


def at(x: float, y: float, *, what: int = FACE, code: str = "1m", score: float = 0.9, **more) -> Sighting:
    return Sighting(x, y, 0.0, what, Tile(code if what == FACE else "b"), 0.99, score, **more)


def test_a_weak_back_counts_where_a_stack_has_its_top_and_nowhere_else(calibration):
    spot = (Seat.S0, Zone.WALL)
    in_place = at(LAYOUT.wall_u(3), LAYOUT.wall_v, what=BACK_UP, score=0.25)
    beside = at(LAYOUT.wall_u(3) + 9, LAYOUT.wall_v - 8, what=BACK_UP, score=0.6)
    sure = at(LAYOUT.wall_u(9) + 9, LAYOUT.wall_v - 8, what=BACK_UP, score=0.95)
    assert believed(calibration, spot, [in_place, beside, sure], (17,)) == [in_place, sure]


def test_before_the_stacks_are_counted_both_numbers_are_possible(calibration):
    spot = (Seat.S0, Zone.WALL)
    half_way = at(LAYOUT.wall_u(3) + 13, LAYOUT.wall_v, what=BACK_UP, score=0.3)
    assert believed(calibration, spot, [half_way], (17, 18)) == [half_way]
    assert believed(calibration, spot, [half_way], (17,)) == []


def test_backs_of_standing_tiles_that_lean_into_view_are_no_tiles(calibration):
    rack, strip = (Seat.S0, Zone.RACK), (Seat.S0, Zone.MELD)
    leaning = at(0, LAYOUT.rack_v + 11, what=BACK_UP, score=0.7)
    lying = at(0, LAYOUT.rack_v, what=BACK_UP, score=0.7)
    top = at(40, 1.01 * LAYOUT.rack_v, what=TOP, score=0.25)
    assert believed(calibration, rack, [leaning, lying, top], (17,)) == [lying, top]
    edge = at(0, LAYOUT.meld_v - 20, what=BACK_UP, score=0.6)
    kong = at(100, LAYOUT.meld_v, what=BACK_UP, score=0.6)
    assert believed(calibration, strip, [edge, kong], (17,)) == [kong]


def test_nothing_is_believed_of_nothing(calibration):
    assert believed(calibration, (Seat.S0, Zone.WALL), [], (17, 18)) == []


def test_a_place_that_looks_as_it_did_empty_holds_no_tile(calibration):
    rng = np.random.default_rng(0)
    empty = rng.integers(60, 90, (270, 480, 3)).astype(np.uint8)
    bare = BareTable(calibration, empty.shape[:2])
    phantom = at(0, -250)
    assert not bare.shows(phantom, empty)
    bare.learn(np.ones(empty.shape[:2], np.bool_), empty)
    assert bare.shows(phantom, empty)
    assert bare.shows(phantom, np.clip(empty.astype(np.float32) * 0.7, 0, 255).astype(np.uint8))
    laid = empty.copy()
    x, y = (round(float(v) / 4) for v in calibration.project(np.array([[0.0, -250.0, 20.0]]))[0])
    laid[y - 6 : y + 6, x - 5 : x + 5] = 220
    assert not bare.shows(phantom, laid)
    laid[y - 6 : y + 6, x - 5 : x + 5] = (20, 75, 130)  # of the cloth's grey, not of its colour
    assert not bare.shows(phantom, laid)


def test_tiles_on_it_do_not_change_the_light_a_bare_table_is_compared_in(calibration):
    rng = np.random.default_rng(0)
    empty = rng.integers(60, 90, (270, 480, 3)).astype(np.uint8)
    bare = BareTable(calibration, empty.shape[:2])
    everywhere = np.ones(empty.shape[:2], np.bool_)
    bare.learn(everywhere, empty)
    laid = np.clip(empty * 0.9, 0, 255).astype(np.uint8)
    laid[:, :300] = 220
    assert bare.shows(at(300, -100), laid)
    seen = bare.here(everywhere, laid).reshape(everywhere.shape)
    assert not seen[:, :300].any()
    assert seen[:, 300:].all()


@pytest.mark.parametrize("light", [0.3, 0.45, 1.0, 2.1])
def test_a_lamp_that_is_switched_makes_no_tile_the_bare_table(calibration, light):
    rng = np.random.default_rng(0)
    empty = rng.integers(80, 100, (270, 480, 3)).astype(np.uint8)
    bare = BareTable(calibration, empty.shape[:2])
    bare.learn(np.ones(empty.shape[:2], np.bool_), empty)
    lit = np.clip(empty * light, 0, 255).astype(np.uint8)
    x, y = (round(float(v) / 4) for v in calibration.project(np.array([[0.0, -250.0, 20.0]]))[0])
    assert bare.shows(at(0, -250), lit)
    lit[y - 6 : y + 6, x - 5 : x + 5] = min(255, 120 * light + 20)
    assert not bare.shows(at(0, -250), lit)


@pytest.mark.parametrize(
    ("blotch", "backs"),
    [((15.0, 128.0, 128.0), (60.0, 116.0, 148.0)), ((70.0, 128.0, 128.0), (225.0, 128.0, 132.0))],
    ids=["black cloth, green backs", "grey shadow, white backs"],
)
def test_what_has_no_hue_is_told_from_backs_by_its_brightness(blotch, backs):
    assert strange(at(0, 0, what=BACK_UP, colour=blotch), backs)
    assert not strange(at(0, 0, what=BACK_UP, colour=(backs[0] * 0.9, *backs[1:])), backs)


def test_a_tile_that_moves_keeps_its_number():
    tracks = Tracks()
    first = tracks.follow([], [at(0, 0, code="3p"), at(30, 0, code="5s")], 0)
    assert [s.track for s in first] == [1, 2]
    stayed = tracks.follow(first, [at(31, 1, code="5s")], 1_000)
    assert [s.track for s in stayed] == [2]
    elsewhere = tracks.follow([], [at(300, -200, code="3p"), at(330, -200, code="9m")], 2_000)
    assert [s.track for s in elsewhere] == [1, 3]
    late = tracks.follow(elsewhere, [], 3_000)
    assert late == ()
    assert tracks.follow([], [at(0, 0, code="3p")], 30_000)[0].track == 4


def test_an_unread_flower_is_still_a_flower():
    unread = at(-220, LAYOUT.meld_v, code="?", candidates=((Tile("2f"), 0.45), (Tile("3f"), 0.4)))
    melds, flowers = zones.strip(LAYOUT, Seat.S0, [unread], 0)
    assert melds.tiles == ()
    assert [t.code for t in flowers.tiles] == ["?"]


def test_lamps_in_the_middle_are_no_tiles():
    seen = zones.centre([at(0, 0, score=0.4), at(20, 0, score=0.9), at(-20, 5, what=BACK_UP)], 7)
    assert [t.u_mm for t in seen.tiles] == [20]


def limb(grid: Grid, x0: float, y0: float, x1: float, y1: float, width: float) -> np.ndarray:
    """The mask of a straight arm from (x0, y0) to (x1, y1), mm."""
    length = np.hypot(x1 - x0, y1 - y0)
    along = ((grid.x - x0) * (x1 - x0) + (grid.y - y0) * (y1 - y0)) / length
    across = np.abs((grid.x - x0) * (y1 - y0) - (grid.y - y0) * (x1 - x0)) / length
    return np.where((along > 0) & (along < length) & (across < width / 2), 255, 0).astype(np.uint8)


def test_arms_belong_to_the_side_they_come_from(calibration):
    grid = Grid.of(calibration)
    mask = np.maximum(limb(grid, 30, -620, 20, -150, 80), limb(grid, 620, 100, 180, 40, 80))
    found, cover = arms(grid, mask, 1.0)
    assert {arm.seat for arm in found} == {Seat.S0, Seat.S1}
    palm = next(arm for arm in found if arm.seat == Seat.S0)
    assert abs(palm.palm_x - 20) < 25
    assert abs(palm.palm_y + 230) < 25
    assert (cover[mask > 0] == 255).mean() > 0.95


def test_two_arms_that_meet_are_two(calibration):
    grid = Grid.of(calibration)
    mask = np.maximum(limb(grid, 0, -620, 0, 10, 80), limb(grid, 0, 620, 0, -10, 80))
    found, _ = arms(grid, mask, 1.0)
    assert {arm.seat for arm in found} == {Seat.S0, Seat.S2}


@pytest.mark.parametrize("place", [(0, -160, 20, -160, 35), (-415, -306, -340, -306, 35)])
def test_tiles_are_no_arms_even_near_the_edge(calibration, place):
    grid = Grid.of(calibration)
    found, cover = arms(grid, limb(grid, *place), 1.0)
    assert found == []
    assert not cover.any()


def test_the_two_colours_of_a_standing_tile_are_one_tile(calibration):
    row = [at(26.0 * n, LAYOUT.rack_v, what=TOP, score=0.8) for n in range(5)]
    backs = [at(26.0 * n + 1, LAYOUT.rack_v - 10, what=TOP, score=0.5) for n in range(5)]
    kept = believed(calibration, (Seat.S0, Zone.RACK), [*backs, *row], (17,))
    assert sorted(s.x for s in kept) == [26.0 * n for n in range(5)]


def rack_of(calibration, codes, *, score: float, size: float) -> list[Sighting]:
    row = [
        at(26.0 * n, LAYOUT.rack_v, what=BACK_UP if code == "b" else FACE, code=code, score=score, size=size)
        for n, code in enumerate(codes)
    ]
    return believed(calibration, (Seat.S0, Zone.RACK), row, (17,))


def test_a_hand_of_which_top_and_back_show_stands(calibration):
    kept = rack_of(calibration, ["5z", "b", "b", "?", "b", "5z"], score=0.66, size=0.87)
    assert [s.what for s in kept] == [TOP] * 6


def test_a_hand_laid_open_or_face_down_lies(calibration):
    assert all(s.what == FACE for s in rack_of(calibration, ["1m", "2m", "5z", "?"], score=0.66, size=0.9))
    assert all(s.what == BACK_UP for s in rack_of(calibration, ["b"] * 5, score=0.95, size=1.0))


def test_one_tile_of_a_standing_hand_that_looks_white_or_like_a_back_stands_too(calibration):
    v = 1.01 * LAYOUT.rack_v
    row = [at(26.0 * n, v, what=TOP, score=0.62, size=0.68) for n in range(11)]
    odd = [at(286.0, v, code="5z", score=0.64, size=0.8), at(312.0, v, what=BACK_UP, score=0.45, size=0.85)]
    kept = believed(calibration, (Seat.S0, Zone.RACK), [*row, *odd], (17,))
    assert [s.what for s in kept] == [TOP] * 13


def test_a_tile_beside_a_gap_stands_though_it_is_found_plainly_and_looks_white(calibration):
    v = 1.01 * LAYOUT.rack_v
    row = [at(26.0 * n, v, what=TOP, score=0.7, size=0.6) for n in range(11)]
    gap = [at(312.0, v, code="5z", score=0.86, size=0.87), at(364.0, v, code="5z", score=0.7, size=0.86)]
    assert [s.what for s in believed(calibration, (Seat.S0, Zone.RACK), gap, (17,), row)] == [TOP, TOP]
    lying = at(364.0, v, code="5z", score=0.9, size=1.0)
    assert believed(calibration, (Seat.S0, Zone.RACK), [lying], (17,), row) == [lying]


def test_the_flank_of_a_hands_last_tile_is_no_tile(calibration):
    v = 1.01 * LAYOUT.rack_v
    row = [at(26.0 * n, v, what=TOP, score=0.62, size=0.68) for n in range(13)]
    flank = at(364.0, v, what=BACK_UP, score=0.27, size=0.9)
    assert len(believed(calibration, (Seat.S0, Zone.RACK), [*row, flank], (17,))) == 13


def test_what_shows_much_more_than_the_standing_tiles_beside_it_is_a_flank_though_only_the_rows_end_was_looked_at(
    calibration,
):
    v = 1.01 * LAYOUT.rack_v
    known = [at(26.0 * n, v, what=TOP, score=0.7, size=0.53) for n in range(12)]
    end = [at(286.0, v, what=TOP, score=0.73, size=0.52), at(312.0, v, what=TOP, score=0.6, size=0.54)]
    flank = at(338.0, v, what=BACK_UP, score=0.5, size=0.76)
    assert believed(calibration, (Seat.S0, Zone.RACK), [*end, flank], (17,), known) == end
    beside = at(338.0, v, what=BACK_UP, score=0.5, size=0.66)
    assert len(believed(calibration, (Seat.S0, Zone.RACK), [*end, beside], (17,), known)) == 3


@pytest.mark.parametrize("zone", [Zone.POND, Zone.MELD])
def test_a_blotch_of_the_cloth_is_no_back(calibration, zone):
    v = LAYOUT.meld_v if zone == Zone.MELD else LAYOUT.pond_top - 20
    blotches = [at(0, v, what=BACK_UP, score=0.45, size=0.65), at(50, v, what=BACK_UP, score=0.31, size=0.95)]
    back = at(100, v, what=BACK_UP, score=0.45, size=0.97)
    assert believed(calibration, (Seat.S0, zone), [*blotches, back], (17,)) == [back]


@pytest.mark.parametrize("zone", [Zone.POND, Zone.MELD])
def test_a_back_in_another_colour_than_the_walls_is_a_blotch_unless_it_is_plain(calibration, zone):
    v = LAYOUT.meld_v if zone == Zone.MELD else LAYOUT.pond_top - 20
    teal, red = (120.0, 100.0, 110.0), (70.0, 170.0, 140.0)
    blotch = at(0, v, what=BACK_UP, score=0.6, size=0.97, colour=red)
    back = at(50, v, what=BACK_UP, score=0.45, size=0.97, colour=(90.0, 104.0, 112.0))
    plain = at(100, v, what=BACK_UP, score=0.9, size=0.97, colour=red)
    assert believed(calibration, (Seat.S0, zone), [blotch, back, plain], (17,), (), teal) == [back, plain]
    assert believed(calibration, (Seat.S0, zone), [blotch, back, plain], (17,)) == [blotch, back, plain]


def test_a_white_dragon_on_a_wall_in_the_colour_of_the_backs_is_a_back(calibration):
    spot, green, ivory = (Seat.S0, Zone.WALL), (160.0, 118.0, 140.0), (200.0, 128.0, 134.0)
    wall = [at(LAYOUT.wall_u(n), LAYOUT.wall_v, code="5z", colour=c) for n, c in enumerate((green, ivory))]
    back, dora = believed(calibration, spot, wall, (17,), (), (150.0, 117.0, 141.0))
    assert (back.what, back.code) == (BACK_UP, "b")
    assert (dora.what, dora.code) == (FACE, "5z")


def test_the_cloth_where_a_stack_was_and_a_flank_are_larger_than_stacks(calibration):
    spot = (Seat.S0, Zone.WALL)
    known = [at(LAYOUT.wall_u(n), LAYOUT.wall_v, what=BACK_UP, size=1.0) for n in range(3, 9)]
    end = at(LAYOUT.wall_u(2), LAYOUT.wall_v, what=BACK_UP, size=1.08)
    cloth = at(LAYOUT.wall_u(1), LAYOUT.wall_v, what=BACK_UP, size=1.33)
    assert believed(calibration, spot, [end, cloth], (17,), known) == [end]


def test_the_shadow_of_a_standing_row_and_a_flank_in_its_gap_are_no_tiles(calibration):
    v, spot, green = 1.01 * LAYOUT.rack_v, (Seat.S0, Zone.RACK), (60.0, 116.0, 148.0)
    row = [at(26.0 * n, v, what=TOP, score=0.56, size=0.54) for n in range(8)]
    shadow = at(-26.0, v + 6, what=BACK_UP, score=0.58, size=0.69, colour=(49.0, 114.0, 125.0))
    flank = at(212.0, v, what=TOP, score=0.35, size=0.34)
    assert believed(calibration, spot, [*row, shadow, flank], (17,), (), green) == row
    back = at(-26.0, v, what=BACK_UP, score=0.5, size=0.69, colour=(50.0, 118.0, 142.0))
    assert len(believed(calibration, spot, [*row, back], (17,), (), green)) == 9


def test_on_a_table_that_holds_next_to_nothing_only_what_is_plain_is_a_tile():
    weak, plain, read = at(0, 0, what=TOP, score=0.6), at(30, 0, what=BACK_UP, score=0.75), at(60, 0, score=0.55)
    unread = Sighting(90, 0, 0.0, FACE, Tile("7p"), 0.6, 0.65)
    white, faint = at(120, 0, code="5z", score=0.6), at(150, 0, score=0.4)
    assert list(in_company([weak, plain, read, unread, white, faint])) == [plain, read]
    many = [at(26.0 * n, 0, what=TOP, score=0.5) for n in range(13)]
    assert list(in_company([weak, *many])) == [weak, *many]
    faint = [at(26.0 * n, 0, what=BACK_UP, score=0.4) for n in range(68)]
    assert list(in_company(faint)) == faint, "a full table in bad light"


def test_a_stack_that_a_lamp_outshines_stays_one_and_the_shadow_at_the_end_of_a_side_is_none(calibration):
    orange, spot = (160.0, 165.0, 195.0), (Seat.S0, Zone.WALL)
    stacks = [
        at(LAYOUT.wall_u(n), LAYOUT.wall_v, what=BACK_UP, score=0.8, size=1.0, colour=colour)
        for n, colour in enumerate([(205.0, 138.0, 200.0), orange, (90.0, 152.0, 172.0), orange, orange])
    ]
    shadow = at(LAYOUT.wall_u(5), LAYOUT.wall_v, what=BACK_UP, score=0.9, size=1.0, colour=(60.0, 128.0, 124.0))
    assert believed(calibration, spot, [*stacks, shadow], (17,), (), orange) == stacks
    veiled = at(LAYOUT.wall_u(2), LAYOUT.wall_v, what=BACK_UP, score=0.8, size=1.0, colour=(60.0, 128.0, 124.0))
    row = [*stacks[:2], veiled, *stacks[3:]]
    assert believed(calibration, spot, row, (17,), (), orange) == row, "a shadow lies beside an end"


def test_a_white_dragon_is_told_from_dull_backs_by_how_bright_it_is(calibration):
    """An olive back's tint is near to ivory's; a lamp may outshine a back, but not one tile of three."""
    olive, ivory, spot = (94.0, 122.0, 147.0), (203.0, 130.0, 149.0), (Seat.S0, Zone.MELD)
    whites = [at(300.0 + 78 * n, LAYOUT.meld_v, code="5z", score=0.6, colour=ivory) for n in range(2)]
    taken = at(340.0, LAYOUT.meld_v, what=BACK_UP, score=0.78, size=1.05, colour=ivory)
    bright = at(340.0, LAYOUT.meld_v, what=BACK_UP, score=0.78, size=1.05, colour=(130.0, 122.0, 149.0))
    assert [s.code for s in believed(calibration, spot, [*whites, taken], (17,), (), olive)] == ["5z"] * 3
    assert [s.code for s in believed(calibration, spot, [*whites, bright], (17,), (), olive)] == ["5z", "5z", "b"]


@pytest.mark.parametrize("zone", [Zone.POND, Zone.MELD])
def test_a_faint_face_has_about_the_size_of_a_face(calibration, zone):
    """Blotches of a cloth are of any size, and like some face now and then; a tile covered in part is smaller."""
    v = LAYOUT.meld_v if zone == Zone.MELD else LAYOUT.pond_top - 20
    faces = [
        at(0, v, score=0.33, size=0.95),
        at(50, v, score=0.32, size=0.75, code="5z"),
        at(100, v, score=0.5, size=1.3),
        at(150, v, score=0.5, size=0.7, code="?"),
    ]
    blotches = [
        at(200, v, score=0.33, size=1.25),
        at(250, v, score=0.4, size=0.75, code="?"),
        replace(at(300, v, score=0.4, size=0.78), confidence=0.8),
    ]
    assert believed(calibration, (Seat.S0, zone), [*faces, *blotches], (17,)) == faces


def test_a_white_dragon_taken_for_a_back_is_told_by_one_beside_it(calibration):
    blue, ivory, spot = (90.0, 130.0, 95.0), (205.0, 130.0, 140.0), (Seat.S0, Zone.MELD)
    v = LAYOUT.meld_v
    whites = [at(300.0 + 26 * n, v, code="5z", score=0.7, colour=ivory) for n in range(2)]
    taken = at(352.0, v, what=BACK_UP, score=0.8, size=1.0, colour=(200.0, 131.0, 141.0))
    back = at(378.0, v, what=BACK_UP, score=0.8, size=1.0, colour=blue)
    kept = believed(calibration, spot, [*whites, taken, back], (17,), (), blue)
    assert [s.code for s in kept] == ["5z", "5z", "5z", "b"]
    assert [s.code for s in believed(calibration, spot, [taken, back], (17,), (), blue)] == ["b"]
    faint = at(300.0, v, code="5z", score=0.19, colour=ivory)
    assert [s.code for s in believed(calibration, spot, [faint, taken, back], (17,), (), blue)] == ["b"]
