"""Riichi vectors: yaku, fu, han, points and payments. Houses by their layout: payments by seat wind are kobalab's rules
(double yakuman), score changes relative to the winner Tenhou's."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import cache

from table_engine import scoring
from table_engine.rules import RuleSet, load_ruleset
from table_engine.scoring import Context, Hand, NoWin, Score
from table_engine.wire.seats import SEATS, Seat
from tests.conformance.vector_tiles import STEPS, Check, Vector, compare, drawn, listed, melds, tiles, wind

NO_RED, NO_OPEN_TANYAO = 2, 4
"""Bits of Tenhou's game type."""

_ALIASES = {
    "翻牌": "役牌",
    "ダブル立直": "両立直",
    "国士無双十三面": "国士無双13面",
    "国士無双十三面待ち": "国士無双13面",
    "四暗刻単騎待ち": "四暗刻単騎",
    "門前清自摸": "門前清自摸和",
    "断么九": "断幺九",
    "対対和": "対々和",
}


def check(vector: Vector) -> Check:
    """One vector against our own scorer."""
    context, expected = vector.get("context", {}), vector["expected"]
    rules = _rules(vector)
    winner = SEATS[context.get("seat_wind", 0) % 4]
    circumstances = _context(vector, winner)
    sets = melds(vector, winner)
    hand = Hand(tiles(vector["concealed"]), tiles([vector["win_tile"]])[0], sets[::-1] if "pao" in vector else sets)
    outcome = scoring.score(hand, circumstances, rules)
    if isinstance(outcome, NoWin) or not expected.get("win", True):
        won = isinstance(outcome, Score)
        says = "a win" if won else str(outcome.says)  # type: ignore[union-attr]
        return Check(vector.get("id", "?"), () if won == expected.get("win", True) else (f"here {says}",))
    return Check(vector.get("id", "?"), tuple(_differences(outcome, expected, winner)))


def _differences(score: Score, expected: Vector, winner: Seat) -> Iterator[str]:
    limits = [one["name"] if isinstance(one, dict) else one for one in _listed(expected.get("yakuman"))]
    theirs = {_name(one["name"]): one.get("han") for one in expected.get("yaku") or () if one.get("han") != 0}
    theirs |= {_name(name): None for name in limits}
    ours = {_name(item.name): item.value for item in score.items}
    if theirs:
        if set(ours) != set(theirs):
            yield f"yaku: {listed(ours)} here, {listed(theirs)} there"
        yield from (
            f"{name}: {ours[name]} han here, {han} there"
            for name, han in theirs.items()
            if name in ours and isinstance(han, int) and ours[name] < 13 and ours[name] != han
        )
    limit = bool(limits) or "yakuman" in score.limit
    if not limit and expected.get("fu") is not None:
        yield from compare("fu", score.fu, expected["fu"])
    if not limit and expected.get("han") is not None:
        yield from compare("han", score.total, expected["han"])
    if expected.get("points") is not None:
        yield from compare("points", score.points, expected["points"])
    payments = _payments(expected, winner)
    if payments is not None:
        yield from compare("payments", list(score.payments), payments)


def _context(vector: Vector, winner: Seat) -> Context:
    """Without its seats a vector tells winds only: seat 0 is east and deals. A further winner on one discard gets neither
    counters nor sticks, which shows in a gain that holds none."""
    given, expected = vector.get("context", {}), vector["expected"]
    self_drawn = drawn(vector)
    gain = (expected.get("score_delta_relative_to_winner") or {}).get("rel0")
    further = not self_drawn and gain is not None and gain == expected.get("points")
    first = given.get("tenhou") or given.get("chihou") or given.get("renhou")
    source = None if self_drawn else winner.step(STEPS.get(vector.get("ron_from") or "left", 3))
    return Context(
        winner=winner,
        source=source,
        dealer=SEATS[0],
        seat_wind=wind(given.get("seat_wind")),
        round_wind=wind(given.get("round_wind")),
        ready=bool(given.get("riichi")),
        double_ready=bool(given.get("double_riichi")),
        one_round=bool(given.get("ippatsu")),
        last_tile=bool(given.get("haitei") or given.get("houtei")),
        replacement=bool(given.get("rinshan")),
        robbing=bool(given.get("chankan")),
        first_turn=bool(first),
        dora=tiles(given.get("dora_indicators") or ()),
        ura=tiles(given.get("ura_indicators") or ()),
        honba=0 if further else given.get("honba") or 0,
        sticks=0 if further else given.get("riichi_sticks") or 0,
    )


def _rules(vector: Vector) -> RuleSet:
    given = vector.get("context", {})
    kind = given.get("tenhou_type")
    red = given.get("aka", True) and not (kind is not None and kind & NO_RED)
    tenhou = kind is not None or "score_delta_relative_to_winner" in vector["expected"]
    return _house(tenhou, bool(red), not (kind is not None and kind & NO_OPEN_TANYAO))


@cache
def _house(tenhou: bool, red: bool, open_tanyao: bool) -> RuleSet:
    return load_ruleset(
        "riichi",
        {
            "scoring.four_consecutive_triplets": False,
            "scoring.liability": ["big_three_dragons", "big_four_winds"],
            "scoring.double_yakuman": not tenhou,
            "scoring.red_fives": red,
            "scoring.open_tanyao": open_tanyao,
        },
    )


def _payments(expected: Vector, winner: Seat) -> list[int] | None:
    if "payments_by_seatwind" in expected:
        return list(expected["payments_by_seatwind"])
    relative = expected.get("score_delta_relative_to_winner")
    return [relative[f"rel{(number - winner) % 4}"] for number in SEATS] if relative else None


def _listed(given: object) -> list[object]:
    return given if isinstance(given, list) else []


def _name(name: str) -> str:
    """A yaku in one spelling."""
    plain = unicodedata.normalize("NFKC", name).strip()
    for other, own in _ALIASES.items():
        if plain == other or plain.startswith(other + " "):
            plain = own + plain[len(other) :]
    return plain
