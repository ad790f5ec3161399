"""One hand somebody asks about: from words to tiles and circumstances, and the answer in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from table_engine import scoring
from table_engine.rules import RuleSet, load_ruleset
from table_engine.scoring import Context, Hand, NoWin, Outcome, Score
from table_engine.scoring.notation import NotationError, meld, tiles, written
from table_engine.wire.errors import SettingsError
from table_engine.wire.seats import SEATS, WINDS, Seat, Wind
from table_engine.wire.tiles import KINDS, Tile

SHORT = {
    "riichi": "riichi",
    "japanese": "riichi",
    "chinese": "chinese_official",
    "chinese_official": "chinese_official",
    "mcr": "chinese_official",
    "gb": "chinese_official",
    "taiwan": "taiwan16",
    "taiwan16": "taiwan16",
    "tw": "taiwan16",
    "world": "world_series",
    "world_series": "world_series",
    "wsom": "world_series",
    "zj": "world_series",
    "zungjung": "world_series",
}
_STEPS = {"next": 1, "right": 1, "opposite": 2, "across": 2, "upper": 3, "left": 3}
_UNITS = {"han": "han", "tai": "tai", "fan": "fan", "point": "points"}


@dataclass(frozen=True, slots=True)
class Asked:
    """A hand with a winning tile and its outcome, or one without and what it waits for."""

    rules: RuleSet
    hand: Hand
    context: Context
    outcome: Outcome | None
    waits: Mapping[Tile, Outcome]
    distance: int
    useful: tuple[Tile, ...]

    @property
    def won(self) -> bool | None:
        """None where no win was asked about."""
        return None if self.outcome is None else isinstance(self.outcome, Score)

    def lines(self) -> Iterator[str]:
        """The answer for people."""
        if isinstance(self.outcome, Score):
            yield from _scored(self.outcome, self.hand, self.context)
        elif isinstance(self.outcome, NoWin):
            yield f"No win: {self.outcome.says}."
            if self.waits:
                yield f"Without the last tile it is ready for {' '.join(self.waits)}."
        elif self.waits:
            how = "self-drawn" if self.context.self_drawn else "by a discard"
            yield f"Ready for {' '.join(self.waits)}; worth {how}:"
            for tile, outcome in self.waits.items():
                yield f"  {tile}  {_short(outcome)}"
        else:
            yield _away(self.distance)
            if self.useful:
                yield f"Brought nearer by {' '.join(self.useful)}."

    def plain(self) -> dict[str, Any]:
        """The answer for programs."""
        return {
            "rules": self.rules.id,
            "win": self.won,
            "distance": self.distance,
            "waits": {tile: _plain(outcome) for tile, outcome in self.waits.items()},
            "useful": list(self.useful),
            **(_plain(self.outcome) if self.outcome is not None else {}),
        }


def asked(
    ruleset: str,
    text: str,
    *,
    win: str,
    melds: Sequence[str],
    flowers: str,
    seat: str,
    round_wind: str,
    dealer: bool | None,
    giver: str | None,
    dora: str,
    ura: str,
    flags: Mapping[str, bool],
    numbers: Mapping[str, int],
    settings: Sequence[str],
) -> Asked:
    """Reads a question and answers it. Raises SettingsError with one sentence on what is wrong and what to write."""
    rules = _rules(ruleset, settings)
    wind = _wind(seat, "--seat") if seat else (Wind.EAST if dealer is not False else Wind.SOUTH)
    winner = SEATS[WINDS.index(wind)]
    given = written(text, winner)
    shown = (*given.melds, *(meld(one.strip("[]()"), winner) for one in melds))
    standing = given.tiles
    winning = _one(win) if win else None
    right = rules.set.hand - 3 * len(shown)
    if winning is None and len(standing) == right + 1:
        standing, winning = standing[:-1], standing[-1]
    elif winning in standing and len(standing) == right + 1:
        place = standing.index(winning)
        standing = (*standing[:place], *standing[place + 1 :])
    if len(standing) != right:
        raise NotationError(_count(len(standing), right, len(shown), given_win=bool(win)))
    source = None if giver is None else _giver(giver, winner)
    context = Context(
        winner=winner,
        source=source,
        dealer=_dealer(rules, winner, dealer),
        seat_wind=wind,
        round_wind=_wind(round_wind, "--round"),
        dora=tiles(dora),
        ura=tiles(ura),
        **flags,  # type: ignore[arg-type]
        **numbers,  # type: ignore[arg-type]
    )
    hand = Hand(standing, winning or standing[0], shown, (*given.flowers, *tiles(flowers)))
    return _answered(rules, hand, context, asks_win=winning is not None)


def _answered(rules: RuleSet, hand: Hand, context: Context, *, asks_win: bool) -> Asked:
    try:
        waits = scoring.waits(hand.concealed, hand.melds, rules)
        away = scoring.distance(hand.concealed, hand.melds, rules)
    except scoring.TooManyError as error:
        raise NotationError(f"the hand holds {error}; a set of tiles has four of each") from error
    outcome = scoring.score(hand, context, rules) if asks_win else None
    won = isinstance(outcome, Score)
    each = {} if won else {tile: scoring.score(replace(hand, win=tile), context, rules) for tile in waits}
    useful = () if away < 1 or asks_win else _useful(hand, rules, away)
    return Asked(rules, hand, context, outcome, each, away, useful)


def _useful(hand: Hand, rules: RuleSet, away: int) -> tuple[Tile, ...]:
    """Kinds that bring a hand nearer to ready."""
    found = []
    for tile in KINDS:
        try:
            if scoring.distance((*hand.concealed, tile), hand.melds, rules) < away:
                found.append(tile)
        except scoring.TooManyError:
            continue
    return tuple(found)


def _rules(ruleset: str, settings: Sequence[str]) -> RuleSet:
    name = SHORT.get(ruleset.lower())
    if name is None:
        raise SettingsError(f"{ruleset!r} is no rule set; say riichi, chinese, taiwan or world")
    changes: dict[str, object] = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals:
            raise SettingsError(f"--set {setting}: write name=value, for example scoring.minimum=8")
        changes[key] = _value(value)
    return load_ruleset(name, changes)


def _value(text: str) -> object:
    if text.lower() in ("true", "yes", "on", "false", "no", "off"):
        return text.lower() in ("true", "yes", "on")
    return int(text) if text.lstrip("-").isdigit() else text


def _wind(text: str, option: str) -> Wind:
    for wind in WINDS:
        if text.lower() in (wind.value, wind.value[0]):
            return wind
    for number, names in enumerate(("東东", "南", "西", "北")):
        if text in names:
            return WINDS[number]
    raise SettingsError(f"{option} {text}: no wind; say E, S, W or N")


def _giver(text: str, winner: Seat) -> Seat:
    if text.lower() in _STEPS:
        return winner.step(_STEPS[text.lower()])
    try:
        seat = SEATS[WINDS.index(_wind(text, "--from"))]
    except SettingsError:
        raise SettingsError(f"--from {text}: say next, opposite, upper or a wind") from None
    if seat == winner:
        raise SettingsError(f"--from {text}: that is the winner; a self-draw is --self-draw")
    return seat


def _dealer(rules: RuleSet, winner: Seat, dealer: bool | None) -> Seat:
    """East deals; in rule sets whose winds do not follow the dealer anybody may."""
    if dealer is None:
        return Seat.S0
    if rules.match.winds == "dealer" and dealer != (winner == Seat.S0):
        raise SettingsError(
            "--dealer: east deals in these rules; say --seat E for the dealer, another wind for the others"
        )
    return winner if dealer else (Seat.S0 if winner != Seat.S0 else Seat.S1)


def _one(text: str) -> Tile:
    found = tiles(text)
    if len(found) != 1:
        raise NotationError(f"--win {text}: one tile wins, like 5z")
    return found[0]


def _count(count: int, right: int, sets: int, *, given_win: bool) -> str:
    beside = f" beside {sets} set{'s' if sets > 1 else ''} shown" if sets else ""
    if given_win:
        return f"{count} tiles{beside}: {right} are right where --win names the winning one, or {right + 1} with it"
    return f"{count} tiles{beside}: {right + 1} are a win (the last one wins), {right} a hand that waits"


def _scored(score: Score, hand: Hand, context: Context) -> Iterator[str]:
    how = "self-drawn" if context.self_drawn else f"from {_name(context.source)}"
    yield f"{_name(context.winner)} wins on {hand.win}, {how}."
    width = max((len(item.english) for item in score.items), default=0)
    unit = _UNITS[score.unit]
    for item in score.items:
        yield f"  {item.value:>4} {unit}  {item.english:<{width}}  {item.name}"
    fu = f" {score.fu} fu" if score.unit == "han" and score.fu else ""
    limit = f", {score.limit}" if score.limit else ""
    yield f"Together {score.total} {unit}{fu}{limit}."
    paid = ", ".join(f"{_name(seat)} {score.payments[seat]:+}" for seat in SEATS if score.payments[seat])
    yield f"Payments: {paid or 'none'}."


def _short(outcome: Outcome) -> str:
    if isinstance(outcome, NoWin):
        return str(outcome.says)
    names = ", ".join(item.english.lower() for item in outcome.items)
    fu = f" {outcome.fu} fu" if outcome.unit == "han" and outcome.fu else ""
    limit = f" {outcome.limit}" if outcome.limit else ""
    return f"{outcome.total} {_UNITS[outcome.unit]}{fu}{limit}, {outcome.points} points: {names or 'nothing'}"


def _away(distance: int) -> str:
    if distance < 0:
        return "The hand is complete; name the winning tile with --win."
    return f"{distance} tile{'s' if distance > 1 else ''} short of ready."


def _plain(outcome: Outcome) -> dict[str, Any]:
    if isinstance(outcome, NoWin):
        return {"why": outcome.why, "says": str(outcome.says)}
    return {
        "unit": outcome.unit,
        "total": outcome.total,
        "fu": outcome.fu,
        "limit": outcome.limit,
        "points": outcome.points,
        "items": [{"name": i.name, "english": i.english, "value": i.value} for i in outcome.items],
        "payments": {wind.value: outcome.payments[n] for n, wind in enumerate(WINDS)},
    }


def _name(seat: Seat | None) -> str:
    return WINDS[seat or 0].value.capitalize()
