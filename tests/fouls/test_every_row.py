"""Every row that the engine raises by itself, or once a call is known, has something that must raise it and a near miss that
must stay quiet, on bare moves and from observations, in every rule set that has it; or it says here why not."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import pytest
from sheets import trials

from jantaku.catalogue import catalogue
from table_engine.rules import RULESETS, Row, load_ruleset

ROOT = Path(__file__).parents[2]

COURSE = {
    "TW-S1": (
        "tests/fouls/test_rows.py::test_sixteen_hands_without_repeats_and_ninety_minutes",
        "tests/table_engine/test_course.py::test_the_dealer_never_repeats_and_sixteen_hands_are_a_match",
        "tests/table_engine/test_clocks.py::test_the_match_ends_after_its_minutes_and_extra_time_prolongs_it",
    ),
    "TW-S3": (
        "tests/table_engine/test_rules.py::test_the_deal",
        "tests/virtual_table/test_deal.py::test_everybody_is_dealt_a_hand_and_the_dealer_one_more",
    ),
    "TW-S4": (
        "tests/table_engine/test_apply.py::test_winds_follow_the_dealer_the_break_or_the_first_hand",
        "tests/scoring/test_taiwan.py::test_flowers_follow_the_seat",
    ),
    "TW-S8": (
        "tests/table_engine/test_draws.py::test_the_wall_is_played_out",
        "tests/fouls/test_rows.py::test_the_hand_is_drawn_with_sixteen_tiles_left_and_the_deal_passes",
    ),
    "TW-S9": (
        "tests/fouls/test_rows.py::test_whatever_falls_into_the_pond_is_a_discard",
        "tests/fusion/test_misplay.py::test_a_discard_without_a_draw",
        "tests/fusion/test_misplay.py::test_a_discard_taken_back",
    ),
    "TW-P9": (
        "tests/fouls/test_rows.py::test_a_referee_records_a_row_with_one_act",
        "tests/claim/test_claim.py::test_a_self_draw_begins_with_a_draw",
    ),
    "TW-F27": ("tests/fouls/test_rows.py::test_a_referee_records_a_row_with_one_act",),
    "TW-F28": ("tests/fouls/test_rows.py::test_a_referee_records_a_row_with_one_act",),
    "RI-S2": (
        "tests/fouls/test_rows.py::test_whatever_falls_into_the_pond_is_a_discard",
        "tests/fusion/test_moves.py::test_a_riichi_hand",
        "tests/fusion/test_misplay.py::test_a_discard_taken_back",
    ),
    "RI-S7": (
        "tests/table_engine/test_draws.py::test_drawn_on_the_moves",
        "tests/table_engine/test_draws.py::test_drawn_from_observations",
        "tests/table_engine/test_draws.py::test_a_hand_nobody_could_read_pays_what_a_person_says",
    ),
    "RI-S9": (
        "tests/scoring/test_riichi.py::test_who_gave_the_last_set_pays_a_self_draw_alone",
        "tests/scoring/test_riichi.py::test_an_own_last_set_makes_nobody_liable",
    ),
    "CO-S2": (
        "tests/table_engine/test_rules.py::test_the_deal",
        "tests/virtual_table/test_deal.py::test_the_dealer_jumps_one_stack_where_the_text_says_so",
    ),
    "CO-S3": (
        "tests/fouls/test_rows.py::test_whatever_falls_into_the_pond_is_a_discard",
        "tests/fusion/test_misplay.py::test_a_discard_taken_back",
    ),
    "CO-S7": (
        "tests/fouls/test_rows.py::test_four_fan_and_the_shapes_of_the_chinese_text",
        "tests/claim/test_claim.py::test_too_few_fan_are_ready_but_not_valid",
    ),
    "CO-S8": (
        "tests/fouls/test_rows.py::test_four_fan_and_the_shapes_of_the_chinese_text",
        "tests/scoring/test_chinese.py::test_four_fan_are_asked",
    ),
    "CO-S9": (
        "tests/fouls/test_rows.py::test_self_draws_are_paid_by_each_and_discards_by_the_discarder_alone",
        "tests/table_engine/test_course.py::test_table_points_by_rank_are_shared_by_equals",
    ),
}
"""Rows of the course of play, which no foul carries out: the tests that show them, and that they do not hold elsewhere."""

ONE_ACT = {
    "TW-P9": "that the drawn tile touched the hand is between the player's fingers; the referee records it with one act",
    "TW-F27": "when scoring begins is said and not seen; the referee records it with one act",
    "TW-F28": "a win is announced by voice or by the very laying down; which came first the referee hears and records",
}
"""Rows that a person tells, though the catalogue counts on a known call."""

NOT_OBSERVED = {
    "TW-P12 outrun": "a pung of a tile that lies in another's chow already moves nothing on the table",
    "TW-F4 door": "a dealer who was dealt a tile less has to be counted: the virtual machine deals rightly",
}
"""Kinds of a row that are raised on moves only, and why sensors do not show them."""

TRIALS = list(trials())


def kinds(row: Row) -> list[tuple[str, str]]:
    """The kinds of fouls a row is made of."""
    return [tuple(need.split(".")) for need in row.needs if "." in need and ":" not in need]  # type: ignore[misc]


def rows() -> list[tuple[str, str]]:
    return [
        (ruleset, row.id)
        for ruleset in RULESETS
        for row in load_ruleset(ruleset).rows
        if {"auto", "call"} & set(row.how)
    ]


def seen(ruleset: str, *, raised: bool, observed: bool) -> set[tuple[str, str]]:
    """Kinds with a case that raises them, or a near miss, that runs on moves or from observations."""
    found = set()
    for trial in TRIALS:
        runs = trial.case.observed is True if observed else trial.case.acted is True
        if trial.ruleset != ruleset or not runs:
            continue
        if bool(trial.case.seat) == raised:
            found.add((trial.code, trial.case.kind))
        if raised:
            found |= {tuple(other.split()[0].split(".")) for other in trial.case.besides}
    return found


@pytest.mark.parametrize(("ruleset", "ident"), rows())
def test_a_row_is_raised_and_nearly_raised(ruleset: str, ident: str) -> None:
    row = load_ruleset(ruleset).row(ident)
    mine = kinds(row)
    if not mine:
        assert ident in COURSE, "a row without a foul names the tests that show it"
        return
    for observed in (False, True):
        for raised in (True, False):
            for code, kind in set(mine) - seen(ruleset, raised=raised, observed=observed):
                how = ("from observations" if observed else "on moves", "raised" if raised else "nearly raised")
                excused = observed and raised and f"{ident} {kind}" in NOT_OBSERVED
                assert excused, (code, kind, *how)


def test_what_is_named_here_is_there_and_needed() -> None:
    functions: dict[str, set[str]] = defaultdict(set)
    for path in {name.split("::")[0] for names in COURSE.values() for name in names}:
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        functions[path] = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    for ident, names in COURSE.items():
        assert len(names) > 1 or ident in ONE_ACT, ident
        for name in names:
            path, function = name.split("::")
            assert function in functions[path], name
    without = {ident for ruleset, ident in rows() if not kinds(load_ruleset(ruleset).row(ident))}
    assert set(COURSE) == without
    assert set(ONE_ACT) <= without


@pytest.mark.parametrize("name", NOT_OBSERVED)
def test_an_exception_is_one(name: str) -> None:
    """As soon as such a kind is raised from observations its line here has to go."""
    ident, kind = name.split()
    ((code, _),) = [one for one in kinds(load_ruleset("taiwan16").row(ident)) if one[1] == kind]
    assert (code, kind) in seen("taiwan16", raised=True, observed=False)
    assert (code, kind) not in seen("taiwan16", raised=True, observed=True)


def test_every_row_is_carried_out_and_what_is_left_open_says_why() -> None:
    for line in catalogue():
        assert line.implemented_by, line.id
        assert not line.missing, line.id
        assert not line.open or ("referee" in line.open and "seen" in line.open), (
            f"{line.id}: what does a person do instead?"
        )
