"""What is ours in riichi scores: liability, counters, sticks, double wins, the text's settings."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hands_made import hand

from table_engine import scoring
from table_engine.rules import load_ruleset
from table_engine.scoring import Context, Hand, NoWin, Score
from table_engine.state import Meld
from table_engine.wire.seats import SEATS, Wind
from table_engine.wire.tiles import Tile

TEXT = load_ruleset("riichi")
S0, S1, S2, S3 = SEATS
SOUTH = Context(winner=S1, source=S2, dealer=S0, seat_wind=Wind.SOUTH)


def dragons(*sources: int) -> Hand:
    """Three dragon sets called in turn; big three dragons."""
    melds = tuple(Meld("pung", (Tile(f"{5 + n}z"),) * 3, Tile(f"{5 + n}z"), SEATS[s]) for n, s in enumerate(sources))
    return replace(hand("23m99p [555z] [666z] [777z]", "1m"), melds=melds)


def paid(one: Hand, context: Context, **changes: object) -> tuple[int, ...]:
    outcome = scoring.score(one, context, load_ruleset("riichi", changes))
    assert isinstance(outcome, Score), outcome
    return outcome.payments


def test_who_gave_the_last_set_pays_a_self_draw_alone() -> None:
    """RI-S9."""
    assert paid(dragons(2, 2, 3), replace(SOUTH, source=None, honba=1)) == (0, 32300, 0, -32300)


def test_a_discard_is_shared_half_and_half() -> None:
    assert paid(dragons(2, 2, 3), SOUTH) == (0, 32000, -16000, -16000)
    assert paid(dragons(2, 2, 3), replace(SOUTH, honba=1)) == (0, 32300, -16300, -16000)
    liable = {"scoring.liable_counters": "liable"}
    assert paid(dragons(2, 2, 3), replace(SOUTH, honba=1), **liable) == (0, 32300, -16000, -16300)


def test_the_liable_player_who_discards_pays_alone() -> None:
    assert paid(dragons(3, 3, 2), replace(SOUTH, honba=2, sticks=1)) == (0, 33600, -32600, 0)


def test_an_own_last_set_makes_nobody_liable() -> None:
    one = dragons(2, 2, 3)
    own = replace(one, melds=(*one.melds[:2], Meld("concealed", (Tile("7z"),) * 4)))
    assert paid(own, replace(SOUTH, source=None)) == (-16000, 32000, -8000, -8000)


def test_four_kongs_and_four_consecutive_triplets_are_named_by_the_text() -> None:
    kongs = tuple(Meld("kong", (Tile(f"{n}p"),) * 4, Tile(f"{n}p"), S3) for n in (2, 4, 6, 8))
    one = Hand((Tile("9s"),), Tile("9s"), kongs)
    assert paid(one, replace(SOUTH, source=None)) == (0, 32000, 0, -32000)
    tenhou = {"scoring.liability": ["big_three_dragons", "big_four_winds"]}
    assert paid(one, replace(SOUTH, source=None), **tenhou) == (-16000, 32000, -8000, -8000)
    pungs = tuple(Meld("pung", (Tile(f"{n}p"),) * 3, Tile(f"{n}p"), S3) for n in (2, 3, 4, 5))
    row = Hand((Tile("9s"),), Tile("9s"), pungs)
    outcome = scoring.score(row, SOUTH, TEXT)
    assert isinstance(outcome, Score)
    assert [item.name for item in outcome.items] == ["四連刻"]
    assert outcome.payments == (0, 32000, -16000, -16000)
    plain = scoring.score(row, SOUTH, load_ruleset("riichi", {"scoring.four_consecutive_triplets": False}))
    assert isinstance(plain, Score)
    assert {item.name for item in plain.items} == {"対々和"}


def test_only_the_limit_a_player_is_liable_for_is_its_own() -> None:
    """All honours beside big three dragons: the liable player pays one limit, the others share the other."""
    one = replace(hand("11z22z [555z] [666z] [777z]", "1z"), melds=dragons(2, 2, 3).melds)
    assert paid(one, replace(SOUTH, source=None)) == (-16000, 64000, -8000, -40000)


def test_two_winners_the_nearer_takes_counters_and_sticks() -> None:
    """RI-S8."""
    both = [
        (hand("34m567m345p678s66s", "2m"), replace(SOUTH, winner=S1, honba=2, sticks=1)),
        (hand("34m567m345p678s66s", "2m"), replace(SOUTH, winner=S3, seat_wind=Wind.NORTH, honba=2, sticks=1)),
    ]
    near, far = (replace(one, source=S2) for _, one in both)
    outcomes = scoring.settle([(both[0][0], near), (both[1][0], far)], TEXT)
    payments = [outcome.payments for outcome in outcomes if isinstance(outcome, Score)]
    assert payments == [(0, 2000, -2000, 0), (0, 0, -2600, 3600)]
    each = scoring.settle(
        [(both[0][0], near), (both[1][0], far)], load_ruleset("riichi", {"scoring.double_win": "each"})
    )
    assert [o.payments for o in each if isinstance(o, Score)] == [(0, 2600, -2600, 0), (0, 0, -2600, 3600)]


@pytest.mark.parametrize(
    ("changes", "context", "names"),
    [
        ({}, {}, {"断幺九"}),
        ({"scoring.open_tanyao": False}, {}, None),
        ({}, {"last_tile": True}, {"断幺九", "河底撈魚"}),
        ({}, {"robbing": True, "last_tile": True}, {"断幺九", "槍槓"}),
        ({}, {"source": None, "replacement": True, "last_tile": True}, {"断幺九", "嶺上開花"}),
        ({}, {"dora": ("4p",)}, {"断幺九", "ドラ"}),
        ({}, {"ready": True, "ura": ("4p",)}, {"断幺九"}),  # nobody is ready with an open hand
    ],
)
def test_circumstances(changes: dict[str, object], context: dict[str, object], names: set[str] | None) -> None:
    outcome = scoring.score(
        hand("34m567m345p66s [678s]", "2m"), replace(SOUTH, **context), load_ruleset("riichi", changes)
    )
    if names is None:
        assert isinstance(outcome, NoWin)
        assert outcome.why == "no_yaku"
    else:
        assert isinstance(outcome, Score)
        assert {item.name for item in outcome.items} == names


def test_heaven_and_earth() -> None:
    one = hand("34m567m345p678s66s", "2m")
    heaven = scoring.score(one, Context(winner=S0, dealer=S0, first_turn=True), TEXT)
    earth = scoring.score(one, Context(winner=S1, dealer=S0, seat_wind=Wind.SOUTH, first_turn=True), TEXT)
    assert isinstance(heaven, Score)
    assert isinstance(earth, Score)
    assert [heaven.items[0].name, earth.items[0].name] == ["天和", "地和"]
