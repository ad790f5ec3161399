"""The benchmark's own judgement: a wrong measure would be worse than none."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bench"))

from hands.film import Moment
from hands.judge import Judge, aligned, episodes, misordered
from hands.report import targets

from table_engine.wire.layout import Zone
from table_engine.wire.observations import RackSeen, TileSeen, WallSeen, ZoneSeen
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import Tile
from virtual_table.table import TableSnapshot

POND = (Seat.S0, "pond")


def pond(*codes: str, off: float = 0.0) -> ZoneSeen:
    tiles = tuple(
        TileSeen(code=Tile(code), confidence=1.0, u_mm=26.0 * n + off, v_mm=-100.0, angle_deg=0.0)
        for n, code in enumerate(codes)
    )
    return ZoneSeen(zone=Zone.POND, seat=Seat.S0, tiles=tiles, frame=1)


def moment(at_ms: int, truth: dict, still: int = 4) -> Moment:
    return Moment(TableSnapshot(at_ms, ()), truth, dict.fromkeys(truth, still), settled=still >= 4)


def course(*contents: str) -> list[tuple[object, int, int]]:
    """One content a second, at rest as soon as it is there."""
    return [(content, 1000 * n, 1000 * n) for n, content in enumerate(contents)]


def words(*told: tuple[str, int]) -> list[tuple[object, int]]:
    return list(told)


def test_every_settled_content_has_to_be_told_in_its_turn():
    true = course("a", "b", "c")
    assert aligned(true, {0, 1, 2}, words(("a", 0), ("b", 1000), ("c", 2000))) == {0: 0, 1: 1, 2: 2}
    assert aligned(true, {0, 1, 2}, words(("a", 0), ("c", 2000))) == {0: 0, 2: 1}
    assert len(aligned(true, {0, 1}, words(("b", 1000), ("a", 2000)))) == 1


def test_of_two_ways_to_match_the_one_counts_that_tells_more_settled_contents():
    told = words(("b", 1000), ("a", 2000), ("c", 3000))
    assert aligned(course("a", "b", "a", "c"), {2, 3}, told) == {1: 0, 2: 1, 3: 2}


def test_no_word_tells_what_came_about_after_it():
    assert aligned(course("a", "b"), {0, 1}, words(("a", 0), ("b", 400))) == {0: 0}
    assert aligned(course("a", "b"), {0, 1}, words(("a", 0), ("b", 600))) == {0: 0, 1: 1}


def test_a_content_that_was_not_told_is_missed_and_makes_no_later_ones_late():
    true = course("13", "14", "13", "14", "13")
    told = words(("13", 0), ("14", 3000), ("13", 4000))
    assert aligned(true, set(range(5)), told) == {0: 0, 3: 1, 4: 2}


def test_what_is_there_again_need_not_be_told_again_unless_what_was_in_between_had_to_be():
    assert episodes(course("a", "b", "a"), {0, 2}) == ([("a", 0, 0), ("b", 1000, 1000), ("a", 0, 2000)], {0})
    assert episodes(course("a", "b", "a"), {2}) == ([("a", 0, 0), ("b", 1000, 1000), ("a", 0, 2000)], {2})
    assert episodes(course("a", "b", "a"), {0, 1, 2}) == (course("a", "b", "a"), {0, 1, 2})
    assert episodes(course("a", "b", "c"), {0, 2}) == (course("a", "b", "c"), {0, 2})


def test_what_is_told_as_later_than_something_that_came_well_after_it_is_out_of_order():
    assert misordered([(0, 0, 0), (1000, 1000, 1000), (2000, 2000, 2000)]) == set()
    assert misordered([(0, 0, 2500), (1000, 1000, 1000), (2000, 2000, 2000)]) == {0}
    assert misordered([(0, 0, 400), (300, 300, 300)]) == set()
    # An arm is over the second until long after the first is at rest, but it came about before.
    assert misordered([(1000, 1200, 1200), (900, 3000, 900)]) == set()


def test_a_settled_picture_counts_tiles_places_and_owners():
    judge = Judge(26.0)
    judge.hear([(0, pond("1m", "2m"))])
    assert judge.see(moment(1000, {POND: pond("1m", "2m")})) == []
    (slip,) = judge.see(moment(2000, {POND: pond("1m", "3m")}))
    assert (slip.kind, slip.true, slip.told) == ("misread", "1m 3m", "1m 2m")
    assert judge.see(moment(3000, {POND: pond("1m", "3m")})) == []  # told once, counted again
    assert (judge.counts["pictures"], judge.counts["pictures_exact"]) == (3, 1)
    assert (judge.counts["tiles"], judge.counts["tiles_right"]) == (6, 4)
    assert judge.confused == Counter({"3m > 2m": 1})


def test_a_tile_told_elsewhere_is_missing_here_and_false_there():
    judge = Judge(26.0)
    judge.hear([(0, pond("1m", off=60.0))])
    (slip,) = judge.see(moment(1000, {POND: pond("1m")}))
    assert slip.kind == "places"
    assert judge.counts["ghosts"] == 1
    assert judge.counts["tiles_right"] == 0


def test_racks_and_sides_are_counted_by_themselves():
    rack, side = (Seat.S1, "rack"), (Seat.S1, "wall_seen")
    judge = Judge(26.0)
    truth = {
        rack: RackSeen(seat=Seat.S1, standing=13, apart=0, frame=0),
        side: WallSeen(seat=Seat.S1, heights=(0,) * 18, frame=0),
    }
    judge.hear(
        [
            (0, RackSeen(seat=Seat.S1, standing=12, apart=0, frame=0)),
            (0, WallSeen(seat=Seat.S1, heights=(0,) * 17, frame=0)),
        ]
    )
    (slip,) = judge.see(moment(1000, truth))
    assert slip.kind == "standing"
    assert (judge.counts["counts_exact"], judge.counts["sides_exact"]) == (0, 1)  # a bare side is bare


def test_events_are_what_settled_and_a_word_that_was_never_true_counts_against_them():
    judge = Judge(26.0)
    judge.hear([(0, pond())])
    judge.see(moment(0, {POND: pond()}))
    judge.hear([(1000, pond("1m")), (1500, pond("1m", "9s")), (2000, pond("1m", "2m"))])
    judge.see(moment(1000, {POND: pond("1m")}))
    judge.see(moment(2000, {POND: pond("1m", "2m")}))
    judge.see(moment(3000, {POND: pond("1m", "2m", "3m")}))
    judge.see(moment(4000, {POND: pond("1m", "2m", "4m")}, still=2))  # gone before it had to be told
    judge.close()
    assert (judge.counts["events_discards"], judge.counts["events_discards_right"], judge.counts["false_discards"]) == (
        4,
        3,
        1,
    )


def test_a_target_is_met_by_enough_and_never_by_nothing():
    full = {"tiles": 1000, "tiles_right": 999, "pictures": 100, "pictures_exact": 97}
    hand = {way: {"counts": full} for way in ("net alone", "enrolled")}
    met = {line["target"]: line["met"] for line in targets([hand])}
    assert met["tiles right, enrolled"]
    assert not met["settled pictures exact, enrolled"]
    assert not met["rack counts exact, enrolled"]
