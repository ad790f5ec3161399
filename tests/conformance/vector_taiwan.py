"""Taiwanese vectors, each under the house rules of its source: tai by name and sum, waits, payments."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from table_engine import scoring
from table_engine.rules import RuleSet, load_ruleset
from table_engine.scoring import Context, Hand, NoWin, Outcome, Score
from table_engine.scoring.taiwan_terms import TERMS
from table_engine.tariff import TaiwanTariff
from table_engine.wire.seats import SEATS, Seat
from tests.conformance.taiwan_names import patterns_of
from tests.conformance.taiwan_open_house import house_of
from tests.conformance.vector_tiles import Check, Vector, compare, drawn, listed, melds, tiles, wind

_BY_TERM = {own: name for name, (own, _) in TERMS.items()}
_KONG_DRAW = ("kong_draw", "out_with_replacement_tile", "kong_goal")
_ROBBING = ("rob_kong", "robbing_kong", "extend_kong_goal")
_LAST = ("last_tile", "last_tile_claim", "self_goal_last_tile")
_FIRST = ("heavenly", "heavenly_win", "earthly", "earthly_win", "human", "human_win")
_MARKS = {
    "heavenly_ready": "heavenly_ready",
    "earthly_ready": "earthly_ready",
    "tianting": "heavenly_ready",
    "miji": "early_ready",
    "eight_flowers_and_seasons": "eight_flowers",
    "seven_flowers_steal_eighth": "seven_rob_one",
    "flower_7": "seven_rob_one",
    "flower_bonus_taken": "flowers_paid",
    "flowerBonusTaken": "flowers_paid",
}


def check(vector: Vector) -> Check:
    """One vector under its source's rules."""
    name = vector.get("id", "?")
    outcome = _scored(vector, _house(vector))
    return Check(name, tuple(_differences(outcome, vector)))


def under_text(vector: Vector) -> Outcome:
    """The same hand under the rule text."""
    return _scored(vector, load_ruleset("taiwan16"))


def tai_of(outcome: Outcome) -> dict[str, int] | None:
    """Tai by pattern; None where it is no win."""
    if isinstance(outcome, NoWin):
        return None
    return {_BY_TERM[item.name]: item.value for item in outcome.items}


def _scored(vector: Vector, rules: RuleSet) -> Outcome:
    given = vector.get("context", {})
    flags = {key for key, value in given.items() if value is True} | set(given.get("extra") or ())
    winner = SEATS[given.get("seat_wind", 0) % 4]
    self_drawn = drawn(vector)
    dealer = _dealer(given, flags, winner)
    source = None if self_drawn else _discarder(vector, winner, dealer)
    context = Context(
        winner=winner,
        source=source,
        dealer=dealer,
        seat_wind=wind(given.get("seat_wind")),
        round_wind=wind(given.get("round_wind")),
        ready="declared_ready" in flags,
        last_tile=bool(flags.intersection(_LAST)),
        replacement=bool(flags.intersection(_KONG_DRAW)),
        robbing=bool(flags.intersection(_ROBBING)) or vector.get("win_by") == "robbing_kong",
        first_turn=bool(flags.intersection(_FIRST)),
        streak=given.get("dealer_streak") or 0,
        marks=tuple(mark for flag, mark in _MARKS.items() if flag in flags),
    )
    hand = Hand(
        tiles(vector["concealed"]),
        tiles([vector["win_tile"]])[0],
        melds(vector, winner),
        tiles(vector.get("flowers") or ()),
    )
    return scoring.score(hand, context, rules)


def _dealer(given: Vector, flags: set[str], winner: Seat) -> Seat:
    """East deals, unless the vector says otherwise: winds follow the break in this game, so the dealer may be anybody."""
    if "winner_is_dealer" in flags or flags.intersection(("heavenly", "heavenly_win")):
        return winner
    if flags.intersection(("earthly", "earthly_win")) or "winner_is_dealer" in given:
        return SEATS[0] if winner != SEATS[0] else SEATS[1]
    return SEATS[0]


def _discarder(vector: Vector, winner: Seat, dealer: Seat) -> Seat:
    """Whoever the payments name, the dealer where the vector says so, anybody else otherwise."""
    paid = _payments(vector)
    if len(paid) == 1:
        return next(iter(paid))
    if vector.get("context", {}).get("discarder_is_dealer"):
        return dealer
    return next(seat for seat in (winner.next, winner.opposite, winner.upper) if seat != dealer)


def _payments(vector: Vector) -> dict[Seat, int]:
    given = vector["expected"].get("payments_base30_per10") or {}
    return {SEATS["ESWN".index(name)]: amount for name, amount in given.items()}


def _differences(outcome: Outcome, vector: Vector) -> Iterator[str]:
    expected = vector["expected"]
    wins = expected.get("win", True)
    if isinstance(outcome, NoWin) or not wins:
        won = isinstance(outcome, Score)
        if won != wins:
            yield f"here {'a win' if won else outcome.says}"  # type: ignore[union-attr]
        return
    if expected.get("hand_tai") is not None:
        yield from compare("tai", outcome.total, expected["hand_tai"])
    ours, theirs = tai_of(outcome) or {}, Counter[str]()
    for item in expected.get("tai") or ():
        for pattern, value in patterns_of(item["name"], item["tai"]).items():
            theirs[pattern] += value
    if set(ours) != set(theirs):
        yield f"patterns: {listed(sorted(set(ours) - set(theirs)))} only here, {listed(sorted(set(theirs) - set(ours)))} only there"
    paid = _payments(vector)
    if paid:
        ours_paid = {seat: -outcome.payments[seat] for seat in SEATS if outcome.payments[seat] < 0}
        yield from compare("payments", ours_paid, paid)
    dealer = expected.get("dealer_tai")
    if dealer is not None:
        yield from compare("dealer's tai", _dealer_tai(outcome, vector), sum(item["tai"] for item in dealer))
    by_flowers = set(ours) <= {"eight_flowers", "seven_rob_one", "opening_flowers"} and bool(ours)
    if expected.get("waits") is not None and not by_flowers:
        yield from _waits(vector, expected["waits"])


def _dealer_tai(outcome: Score, vector: Vector) -> int:
    """The most any player pays beyond the hand's own tai, in tai."""
    tariff = _house(vector).scoring
    assert isinstance(tariff, TaiwanTariff)
    most = max(-outcome.payments[seat] for seat in SEATS if seat != outcome.winner)
    return (most - tariff.base) // tariff.unit - outcome.total


def _waits(vector: Vector, theirs: list[str]) -> Iterator[str]:
    given = vector.get("context", {})
    winner = SEATS[given.get("seat_wind", 0) % 4]
    ours = scoring.waits(tiles(vector["concealed"]), melds(vector, winner), _house(vector))
    if set(ours) != set(theirs):
        yield f"waits: {listed(ours)} here, {listed(theirs)} there"


@cache
def _houses() -> dict[str, dict[str, object]]:
    return tomllib.loads(Path(__file__).with_name("taiwan_houses.toml").read_text(encoding="utf-8"))


def _house(vector: Vector) -> RuleSet:
    source = str(vector.get("id", "")).split("-")[0]
    settings = _houses().get(source)
    if settings is None:
        return load_ruleset("taiwan16")
    changed = vector.get("context", {}).get("house_rules_changed")
    tariff = TaiwanTariff.model_validate({"by": "taiwan", **(house_of(settings, changed) if changed else settings)})
    return load_ruleset("taiwan16").model_copy(update={"scoring": tariff})
