"""Two cameras over one table: every tile once, the better look counts, and who is away takes nothing with it."""

from __future__ import annotations

from itertools import count

import pytest

from table_engine.fusion.belief import Fusion
from table_engine.fusion.observe import observe
from table_engine.fusion.panorama import Panorama, united
from table_engine.rules import load_ruleset
from table_engine.state import State
from table_engine.wire.layout import Zone
from table_engine.wire.observations import (
    Envelope,
    HandSeen,
    Health,
    Part,
    RackSeen,
    TileSeen,
    WallSeen,
    Watermark,
    ZoneSeen,
)
from table_engine.wire.seats import Seat

LEFT = Part(outline=((-250, -400), (20, -400), (20, 0), (-250, 0)), face_px=40, tile_mm=26)
RIGHT = Part(outline=((-20, -400), (430, -400), (430, 0), (-20, 0)), face_px=60, tile_mm=26)
ALL = Part(outline=((-250, -400), (430, -400), (430, 0), (-250, 0)), face_px=36, tile_mm=26)


def tile(code: str, u: float, v: float = -110, *, sure: float = 0.95, row: int = 0, sideways: bool = False) -> TileSeen:
    return TileSeen(code=code, confidence=sure, u_mm=u, v_mm=v, group=row, sideways=sideways)


class Table:
    """Hears cameras and holds what they see together."""

    def __init__(self) -> None:
        self.panorama, self.at_ms, self.away, self.cleared_ms = Panorama(), count(1_000, 100), frozenset(), 0

    def hears(self, src: str, word):
        at_ms = next(self.at_ms)
        envelope = Envelope.of(src, 1, at_ms, at_ms, at_ms, word)
        self.panorama, said = united(self.panorama, envelope, self.away, self.cleared_ms)
        assert (said.id, said.at_ms) == (envelope.id, at_ms)
        return said.data

    def pond(self, src: str, part: Part, *tiles: TileSeen) -> list[str]:
        return codes(self.hears(src, ZoneSeen(zone=Zone.POND, seat=Seat.S0, tiles=tiles, part=part)))


def codes(word: ZoneSeen) -> list[str]:
    return [t.code for t in word.tiles]


@pytest.fixture
def table() -> Table:
    return Table()


def test_a_camera_alone_is_heard_as_it_speaks(table):
    word = ZoneSeen(zone=Zone.POND, seat=Seat.S0, tiles=(tile("1m", 0), tile("2m", -30)))
    assert table.hears("top", word) is word


def test_two_halves_make_a_whole_in_the_order_of_the_rows(table):
    assert table.pond("a", LEFT, tile("1m", -80), tile("4m", -70, -146, row=1)) == ["1m", "4m"]
    whole = table.pond("b", RIGHT, tile("2m", 60), tile("3m", 90), tile("5m", 100, -146, row=1))
    assert whole == ["1m", "2m", "3m", "4m", "5m"]


def test_what_both_see_is_one_tile_where_the_larger_look_has_it(table):
    table.pond("a", LEFT, tile("1m", 2))
    word = ZoneSeen(zone=Zone.POND, seat=Seat.S0, tiles=(tile("1m", 0), tile("1m", 27)), part=RIGHT)
    said = table.hears("b", word)
    assert [(t.code, t.u_mm) for t in said.tiles] == [("1m", 0), ("1m", 27)]
    assert said.part is None


@pytest.mark.parametrize(
    ("small", "large", "read"),
    [
        (("7p", 0.9), ("?", 0.3), "7p"),
        (("7p", 0.9), ("1p", 0.5), "7p"),
        (("?", 0.9), ("1p", 0.5), "1p"),
        (("7p", 0.9), ("1p", 0.95), "1p"),
    ],
)
def test_the_surer_reading_is_taken(table, small, large, read):
    table.pond("a", LEFT, tile(small[0], 0, sure=small[1]))
    assert table.pond("b", RIGHT, tile(large[0], 1, sure=large[1])) == [read]


def test_a_reading_of_a_small_face_counts_less(table):
    tiny = LEFT.model_copy(update={"face_px": 15.0})
    table.pond("a", tiny, tile("7p", 0, sure=0.9))
    assert table.pond("b", RIGHT, tile("1p", 1, sure=0.6)) == ["1p"]


def test_what_the_larger_look_does_not_see_is_not_there(table):
    table.pond("b", RIGHT)
    assert table.pond("a", ALL, tile("1m", -80), tile("9s", 60)) == ["1m"]
    assert table.pond("b", RIGHT, tile("9s", 61)) == ["1m", "9s"]
    assert table.pond("b", RIGHT) == ["1m"]


def test_who_speaks_first_or_last_makes_no_difference():
    words = [("a", ALL, (tile("1m", -80), tile("9s", 60))), ("b", RIGHT, (tile("9s", 61), tile("8s", 90)))]
    ends = []
    for order in (words, words[::-1]):
        table = Table()
        ends.append([table.pond(src, part, *tiles) for src, part, tiles in order][-1])
    assert ends == [["1m", "9s", "8s"]] * 2


def test_what_only_a_camera_that_is_away_saw_stays(table):
    table.pond("a", LEFT, tile("1m", -80))
    table.away = frozenset({"a"})
    assert table.pond("b", RIGHT, tile("2m", 60)) == ["1m", "2m"]


def test_of_what_both_see_the_one_that_is_there_is_heard(table):
    table.pond("b", RIGHT, tile("2m", 60))
    table.away = frozenset({"b"})
    assert table.pond("a", ALL, tile("1m", -80)) == ["1m"]
    table.away = frozenset()
    assert table.pond("a", ALL, tile("1m", -80)) == ["1m", "2m"]


def test_nothing_stays_of_a_camera_away_once_the_table_was_cleared(table):
    table.pond("a", LEFT, tile("1m", -80))
    table.away, table.cleared_ms = frozenset({"a"}), 1_050
    assert table.pond("b", RIGHT, tile("2m", 60)) == ["2m"]


def test_sets_are_parted_anew(table):
    def strip(*tiles: TileSeen, part: Part) -> ZoneSeen:
        return ZoneSeen(zone=Zone.MELD, seat=Seat.S0, tiles=tiles, part=part)

    table.hears("a", strip(tile("1m", -40, -306), tile("2m", -14, -306), part=LEFT))
    said = table.hears(
        "b",
        strip(tile("2m", -13, -306), tile("3m", 12, -306), *(tile("7z", u, -306) for u in (52, 78, 104)), part=RIGHT),
    )
    assert [(t.code, t.group) for t in said.tiles] == [("7z", 0)] * 3 + [("1m", 1), ("2m", 1), ("3m", 1)]


def test_a_hand_is_counted_over_both(table):
    def hand(*us: float, part: Part) -> RackSeen:
        return RackSeen(seat=Seat.S1, standing=len(us), standing_mm=us, part=part, confidence=0.8)

    table.hears("a", hand(-91, -65, -39, -13, 13, part=LEFT))
    said = table.hears("b", hand(-12, 14, 40, 66, 105, part=RIGHT))
    assert (said.standing, said.apart, said.part, said.standing_mm) == (8, 1, None, ())
    assert said.confidence == 0.8


def test_a_hand_laid_open_is_read_over_both(table):
    def hand(*tiles: TileSeen, part: Part) -> RackSeen:
        return RackSeen(seat=Seat.S1, standing=0, open=tiles, part=part)

    table.hears("a", hand(tile("1m", -26, -358), tile("2m", 0, -358), part=LEFT))
    said = table.hears("b", hand(tile("2m", 1, -358), tile("3m", 27, -358), part=RIGHT))
    assert [t.code for t in said.open] == ["1m", "2m", "3m"]


def test_a_wall_is_seen_over_both(table):
    def wall(heights: str, *opened: TileSeen, part: Part) -> WallSeen:
        return WallSeen(seat=Seat.S0, heights=tuple(map(int, heights)), open=opened, part=part)

    # Stacks count from the player's right: the first eight or nine are in the right half.
    table.hears("a", wall("00000000122222222", tile("4z", -52, -252, row=10), part=LEFT))
    said = table.hears("b", wall("22222222100000000", part=RIGHT))
    assert said.heights == (2, 2, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 2, 2)
    assert [(t.code, t.group) for t in said.open] == [("4z", 10)]


def test_a_wall_counted_in_other_stacks_is_not_mixed(table):
    table.hears("a", WallSeen(seat=Seat.S0, heights=(2,) * 17, part=LEFT))
    assert table.hears("b", WallSeen(seat=Seat.S0, heights=(1,) * 18, part=RIGHT)).heights == (1,) * 18


def test_an_arm_is_there_while_any_camera_sees_it(table):
    def arm(present: bool) -> HandSeen:
        return HandSeen(seat=Seat.S0, zone=Zone.WALL, owner=Seat.S1, present=present)

    for src in ("a", "b"):
        table.pond(src, ALL)
        assert table.hears(src, arm(True)) == arm(True)
    assert table.hears("a", arm(False)) == Watermark()
    assert table.hears("b", arm(False)) == arm(False)


def test_an_arm_a_camera_that_is_away_saw_is_not_waited_for(table):
    arm = HandSeen(seat=Seat.S0, zone=Zone.WALL, owner=Seat.S1, present=True)
    for src in ("a", "b"):
        table.pond(src, ALL)
        table.hears(src, arm)
    table.away = frozenset({"a"})
    gone = arm.model_copy(update={"present": False})
    assert table.hears("b", gone) == gone


class Followed:
    """Fusion fed by two cameras."""

    def __init__(self) -> None:
        self.fusion, self.rules, self.seq = Fusion(), load_ruleset("riichi"), count(1)

    def hears(self, src: str, at_ms: int, word, boot: int = 1):
        envelope = Envelope.of(src, boot, next(self.seq), at_ms, at_ms, word)
        observed = observe(self.fusion, State(), envelope, self.rules)
        self.fusion = observed.fusion
        return observed.faults


def pond(part: Part, *tiles: TileSeen) -> ZoneSeen:
    return ZoneSeen(zone=Zone.POND, seat=Seat.S0, tiles=tiles, part=part)


def lying(table: Followed) -> list[str]:
    return list(table.fusion.picture.ponds[0].codes)


def test_the_picture_is_that_of_both_and_who_is_away_is_a_fault():
    table = Followed()
    table.hears("a", 1_000, pond(LEFT, tile("1m", -80)))
    table.hears("b", 1_100, pond(RIGHT, tile("2m", 60)))
    assert lying(table) == ["1m", "2m"]
    faults = table.hears("a", 1_200, Health(state="lost", degraded=("the camera has moved",)))
    assert [(f.source, f.code) for f in faults] == [("a", "silent")]
    (says,) = table.fusion.degraded
    assert "a says nothing; what only this camera sees of the table" in str(says)
    faults = table.hears("b", 1_300, pond(RIGHT, tile("2m", 60), tile("3m", 90)))
    assert lying(table) == ["1m", "2m", "3m"]
    assert faults
    table.hears("a", 1_400, Health(state="ok"))
    assert not table.fusion.faults


def test_a_camera_that_starts_anew_makes_nothing_unknown():
    table = Followed()
    table.hears("a", 1_000, pond(LEFT, tile("1m", -80)))
    table.hears("b", 1_100, pond(RIGHT, tile("2m", 60)))
    table.hears("a", 1_200, HandSeen(seat=Seat.S0, zone=Zone.WALL, owner=Seat.S1, present=True))
    assert len(table.fusion.picture.arms) == 1
    table.hears("a", 1_300, Watermark(), boot=2)
    assert lying(table) == ["1m", "2m"]
    assert table.fusion.picture.arms == ()
    table.hears("a", 1_400, pond(LEFT), boot=2)
    assert lying(table) == ["2m"]
