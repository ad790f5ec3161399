"""Chinese official vectors: fan, totals and Botzone's score changes. The vectors apply no minimum and the federation's eight
points of the table."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from table_engine import scoring
from table_engine.rules import RuleSet, load_ruleset
from table_engine.scoring import Context, Hand, NoWin, Outcome, Score
from table_engine.scoring.chinese import KNITTED_STRAIGHT
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import FLOWERS
from tests.conformance.vector_tiles import Check, Vector, compare, drawn, melds, seat, tiles, wind

_ALIASES = {
    "嵌张": "坎张",
    "单钓": "单钓将",
    "幺九头": "幺九刻",
    "独听・边张": "边张",
    "独听・嵌张": "坎张",
    "独听・单钓": "单钓将",
}


def check(vector: Vector) -> Check:
    """One vector; where only the disputed single wait of a knitted straight differs, it is asked under the other setting."""
    name = vector.get("id", "?")
    outcome = _scored(vector, single_wait=True)
    differences = tuple(_differences(outcome, vector))
    if differences and isinstance(outcome, Score) and any(item.name == KNITTED_STRAIGHT for item in outcome.items):
        other = tuple(_differences(_scored(vector, single_wait=False), vector))
        if not other:
            return Check(name, (), f"{name} agrees with scoring.knitted_single_wait = false (the known dispute)")
    return Check(name, differences)


def _scored(vector: Vector, *, single_wait: bool) -> Outcome:
    given = vector.get("context", {})
    winner = seat(given.get("seat_wind"))
    flowers = vector.get("flowers") or 0
    shown = FLOWERS[:flowers] if isinstance(flowers, int) else tiles(flowers)
    hand = Hand(tiles(vector["concealed"]), tiles([vector["win_tile"]])[0], melds(vector, winner), shown)
    return scoring.score(hand, _context(vector, winner), _house(single_wait))


def _context(vector: Vector, winner: Seat) -> Context:
    given = vector.get("context", {})
    self_drawn = drawn(vector)
    kong = bool(given.get("about_kong"))
    return Context(
        winner=winner,
        source=None if self_drawn else winner.step(vector.get("discarder_rel") or 1),
        seat_wind=wind(given.get("seat_wind")),
        round_wind=wind(given.get("round_wind")),
        last_tile=bool(given.get("wall_last")),
        replacement=kong and self_drawn,
        robbing=kong and not self_drawn,
        last_copy=bool(given.get("last_of_kind")),
    )


def _differences(outcome: Outcome, vector: Vector) -> Iterator[str]:
    expected = vector["expected"]
    if isinstance(outcome, NoWin):
        if not _refused(expected):
            yield f"here {outcome.says}"
        return
    if _refused(expected):
        yield f"here a win with {outcome.total} fan, there none"
        return
    totals = [expected[key] for key in ("total",) if expected.get(key) is not None]
    for total in totals:
        yield from compare("total", outcome.total, total)
    if expected.get("fans") and not expected.get("alternative_fans"):
        ours = {item.name for item in outcome.items}
        theirs = {_ALIASES.get(fan["name"], fan["name"]) for fan in expected["fans"]}
        if ours != theirs:
            yield f"fan: {sorted(ours - theirs)} only here, {sorted(theirs - ours)} only there"
    if expected.get("score"):
        yield from compare("score changes", list(outcome.payments), list(expected["score"]))


def _refused(expected: Vector) -> bool:
    return bool(expected.get("not_a_win")) or expected.get("total") == 0 or expected.get("win") is False


@cache
def _house(single_wait: bool) -> RuleSet:
    return load_ruleset(
        "chinese_official",
        {
            "scoring.minimum": 0,
            "scoring.flowers": True,
            "scoring.table_points": 8,
            "scoring.knitted_single_wait": single_wait,
        },
    )
