"""What follows from a foul, as the texts say it: points by seat, foul points, standing effects."""

from __future__ import annotations

import pytest

from table_engine.penalties import Circumstances, penalty
from table_engine.rules import load_ruleset
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import Tile

S0, S1, S2, S3 = Seat
FIVE = (Tile("5p"),)

TABLE = [
    # TW: base 5, tai 2; base and 8 tai are 21 points to each
    ("taiwan16", "TW-F1", Circumstances(S1, other=S2), (0, -2, 2, 0), ()),
    ("taiwan16", "TW-F2", Circumstances(S1), (0, -2, 0, 0), ()),
    ("taiwan16", "TW-F3", Circumstances(S1), (0, 0, 0, 0), ("dead hand",)),
    ("taiwan16", "TW-F11", Circumstances(S1), (0, -2, 0, 0), ()),
    ("taiwan16", "TW-F12", Circumstances(S1, tiles=FIVE), (0, 0, 0, 0), ("dead hand", "forced discard 5p")),
    ("taiwan16", "TW-F15", Circumstances(S1), (21, -63, 21, 21), ()),
    ("taiwan16", "TW-F16", Circumstances(S0), (-63, 21, 21, 21), ()),
    ("taiwan16", "TW-F17", Circumstances(S1), (21, -63, 21, 21), ()),
    ("taiwan16", "TW-F17", Circumstances(S1, own_tai=13), (31, -93, 31, 31), ()),
    ("taiwan16", "TW-F18", Circumstances(S1), (21, -63, 21, 21), ()),
    ("taiwan16", "TW-F19", Circumstances(S1), (5, -15, 5, 5), ()),
    ("taiwan16", "TW-F20", Circumstances(S1), (21, -63, 21, 21), ()),
    ("taiwan16", "TW-F21", Circumstances(S1), (0, 0, 0, 0), ("draw discard only",)),
    ("taiwan16", "TW-F22", Circumstances(S1, tiles=FIVE), (0, 0, 0, 0), ("barred 5p", "forced discard 5p")),
    ("riichi", "RI-F2", Circumstances(S1), (0, 0, 0, 0), ("no win",)),
    ("riichi", "RI-F9", Circumstances(S1, dealer=S0), (4000, -8000, 2000, 2000), ()),
    ("riichi", "RI-F9", Circumstances(S0, dealer=S0), (-12000, 4000, 4000, 4000), ()),
    # CO: warning, 5, 10, 20, doubling within a hand
    ("chinese_official", "CO-F2", Circumstances(S1, nth=1), (0, 0, 0, 0), ()),
    ("chinese_official", "CO-F2", Circumstances(S1, nth=2), (0, -5, 0, 0), ()),
    ("chinese_official", "CO-F3", Circumstances(S1, nth=4), (0, -20, 0, 0), ()),
    ("chinese_official", "CO-F4", Circumstances(S1, nth=6), (0, -80, 0, 0), ()),
    ("chinese_official", "CO-F6", Circumstances(S1), (10, -30, 10, 10), ("no win",)),
    ("chinese_official", "CO-F7", Circumstances(S1), (20, -60, 20, 20), ("no win",)),
    ("chinese_official", "CO-F9", Circumstances(S1, tiles=FIVE), (0, 0, 0, 0), ("forced discard 5p",)),
    ("chinese_official", "CO-F11", Circumstances(S1, other=S3, chosen=40), (0, -40, 0, 40), ()),
    ("world_series", "WS-F1", Circumstances(S1), (0, 0, 0, 0), ("no win",)),
    ("world_series", "WS-F2", Circumstances(S1), (0, 0, 0, 0), ("no win no call",)),
    ("world_series", "WS-F3", Circumstances(S1, tiles=FIVE), (0, 0, 0, 0), ("penalty tile 5p",)),
    ("world_series", "WS-F5", Circumstances(S1, tiles=FIVE * 2), (0, 0, 0, 0), ("penalty tile 5p 5p",)),
    ("world_series", "WS-F10", Circumstances(S1, units=3), (0, -15, 0, 0), ()),
]


@pytest.mark.parametrize(("ruleset", "row", "of", "points", "effects"), TABLE, ids=lambda value: str(value)[:24])
def test_points_and_effects(
    ruleset: str, row: str, of: Circumstances, points: tuple[int, ...], effects: tuple[str, ...]
) -> None:
    rules = load_ruleset(ruleset)
    ruling = rules.recorded(row)
    assert ruling is not None
    follows = penalty(ruling, rules, of, "cause")
    assert follows.points == points
    assert tuple(str(effect) for effect in follows.effects) == effects
    assert all(effect.row == row and effect.cause == "cause" for effect in follows.effects)


@pytest.mark.parametrize(
    ("ruleset", "code", "kind", "foul_points"),
    [
        ("riichi", "wrong_set", "chow", 1),
        ("riichi", "draw_order", "early", 1),
        ("riichi", "tile_count", "many", 0),
        ("riichi", "tile_count", "many_open", 1),
        ("riichi", "ready_right", "not_ready", 1),
        ("riichi", "false_win", "one_short", 1),
    ],
)
def test_foul_points_under_riichi_rules(ruleset: str, code: str, kind: str, foul_points: int) -> None:
    """RI-F1, RI-F5, RI-F7 (with open sets only), RI-F8, RI-F9: 20 off the placement points each."""
    rules = load_ruleset(ruleset)
    ruling = rules.ruling(code, kind)
    assert ruling is not None
    assert penalty(ruling, rules, Circumstances(S1)).foul_points == foul_points
    assert rules.match.foul_point_costs == 20


def test_who_is_out() -> None:
    """CO-F8, CO-F14, TW-F24, WS-F13."""
    for ruleset, code, kind in (
        ("chinese_official", "false_win", "more_short"),
        ("world_series", "slow_play", "serious"),
    ):
        ruling = load_ruleset(ruleset).ruling(code, kind)
        assert ruling is not None
        assert ruling.disqualifies
    for ruleset, row, kind in (("taiwan16", "TW-F24", "cheating"), ("chinese_official", "CO-F14", "cheating")):
        ruling = load_ruleset(ruleset).recorded(row, kind)
        assert ruling is not None
        assert ruling.disqualifies
