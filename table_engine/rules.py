"""A rule set: the numbers a game is followed and judged by, and the rows of the rule catalogue it answers for.

One TOML file per rule set in `rulesets/`. Numbers that contradict each other inside a text are settings with the reading
chosen; `contradictions` says which passages and why. A site may override any setting by its name.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from table_engine.tariff import AnyTariff
from table_engine.wire.effects import EffectKind
from table_engine.wire.errors import SettingsError
from table_engine.wire.settings import explain


class Facts(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class TileSet(Facts):
    """`reserved` tiles stay in the wall at an exhaustive draw (dead wall or iron stacks)."""

    tiles: Literal[136, 144]
    hand: int
    reserved: int = 0
    red_fives: int = 0
    dora: bool = False

    @property
    def flowers(self) -> int:
        return self.tiles - 136


class Match(Facts):
    """`hands` or `rounds` (a round: everybody has dealt) make a match, at most `minutes` long. `dealer_stays` after an own
    win, any exhaustive draw, an exhaustive draw with a ready hand, an abortive draw. `winds` says what seat winds follow:
    the wall's break, the dealer, or the first hand's dealer for good."""

    hands: int | None = None
    minutes: int | None = None
    rounds: int | None = None
    dealer_stays: tuple[Literal["win", "draw", "tenpai", "abortive"], ...] = ()
    abortive_draws: tuple[
        Literal["nine_terminals", "four_winds", "four_kongs", "four_ready", "three_winners"], ...
    ] = ()
    triple_off_dealer_passes: bool = True
    """Three winners on the dealer's discard, where that is a draw, pass the deal on although abortive draws keep it."""
    start_points: int = 0
    return_points: int = 0
    """What a final score is reckoned from, a thousand points being one placement point."""
    uma: tuple[int, ...] = ()
    """Placement points by rank."""
    last_to_first: int = 0
    """Points that pass from the last to the first when the match is over."""
    table_points: tuple[int, ...] = ()
    """Points by rank that count over several matches (标准分)."""
    foul_point_costs: int = 0
    """Placement points that one foul point costs after the game."""
    noten_points: int = 0
    """What those short of ready pay to the ready ones at an exhaustive draw, in all."""
    bet: int = 0
    """Points of a ready bet."""
    counter: int = 0
    """Points a counter of the dealer's repeats adds to a win."""
    winds: Literal["break", "dealer", "first"] = "dealer"


class Deal(Facts):
    """`rolls` dice thrown per roll. `jump`: the dealer's last two tiles are taken with one stack between."""

    rolls: tuple[int, ...] = (2,)
    jump: bool = False


class Calls(Facts):
    """What may be called and what may follow a call."""

    kong_of_upper: bool = True
    kong_after_chow: bool = True
    kong_after_pung: bool = True
    swap_same: bool = True
    """Discarding the kind just chowed or punged."""
    swap_other_end: bool = True
    """Discarding the other end of a two-sided chow."""
    chow_back_own_discard: bool = True
    chow_back_other_end: bool = True
    """Chowing at the other end of the two-sided pair one has just broken by a discard."""
    pung_passed: bool = True
    """Punging the second tile of a kind in a go-round in which the first was let pass."""
    wrong_set_until: Literal["at_once", "own_move", "next_move"] = "at_once"
    """Until when a wrong set may be put right: not at all, until its owner draws or calls again, or until the next player
    has drawn, the discard after it is claimed or the kong is replaced."""
    exposed_barred: bool = False
    """Nobody may call, or win on, a tile of which an own copy was seen, or what a pair of own tiles seen waits for."""
    late_pung_barred: bool = False
    """No pung or kong once the next player has racked a drawn tile."""
    reach_gives_up: bool = False
    """Whoever has reached for the wall may not call the discard any more."""
    empty_free_discards: int = 0
    """An empty pung or win costs nothing while no more than so many tiles have been discarded in the hand."""
    empty_pung_of_upper_free: bool = False
    called_chow_place: Literal["middle", "turned"] = "turned"
    concealed_kong_seen: bool = False
    """The two middle tiles of a concealed kong lie face up."""
    ready_declared: bool = False
    ready_tile_open: bool = False
    """A tile laid face up at the left of the hand on the own turn says that its owner is ready (CO-S10)."""
    ready_min_tiles: int = 0


class CallBan(Facts):
    """Calls end when the wall, reserved tiles included, is down to this many tiles (none: no such rule)."""

    discards: int | None = None
    own_kongs: int | None = None


class Clocks(Facts):
    """Seconds; none: no such clock in the text."""

    first_discard_s: int | None = None
    turn_s: int | None = None
    hand_s: int | None = None
    period_s: int | None = None
    """A clock that has run out is told again after every so many seconds more."""
    pung_claim_s: int | None = None
    count_s: int | None = None
    serious_points: int | None = None
    """More than so many points of time fines in one hand are a serious matter."""
    free_after_deal_s: int = 0
    appeal_minutes: int | None = None


class Wins(Facts):
    """`several`: how many of two may win one discard; `three`: what three winners mean."""

    several: int = 1
    whole_hand_only: bool = False
    """A hand laid down in part is no false win; what was shown may not be called any more."""
    exposed_kong_passes: bool = False
    """No self-draw on the replacement of a kong made from a discard, flowers drawn there included."""
    late_tiles: int | None = None
    """A foul that makes a dead hand costs more once the wall holds no more than so many tiles."""
    three: Literal["nearest", "all", "draw"] = "nearest"
    passed: Literal["none", "own_draw", "own_discard"] = "none"
    """What releases a player who has let a winning tile go: the own next draw (for good once ready), or an own discard of
    a tile that does not win; a call releases too."""
    own_pond: bool = False
    """A winning tile among the own discards bars from winning on a discard (furiten)."""
    false_win_pays: Literal["own_hand", "base_and_tai", "points"] = "own_hand"
    """What a foul costs that pays each of the others for a whole hand (包赔): what the own hand is worth where one was shown,
    the base and the ruling's tai, or `false_win_points`."""
    false_win_points: int = 0


class Judging(Facts):
    """How sure the engine must be. An early draw by less than `simultaneous_ms` counts as none: sensors and hands are
    not finer. `settle_ms`: how long a hand may be seen wrong before it counts as at rest."""

    simultaneous_ms: int = 400
    settle_ms: int = 800
    incident_ms: int = 1_500
    """Alerts of one seat no farther apart than this are of one incident."""
    foul_confidence: float = Field(default=0.8, ge=0, le=1)
    check_confidence: float = Field(default=0.4, ge=0, le=1)


class Row(Facts):
    """One row of the catalogue. `cite` names the chapter of the rule text. `needs` lists every part of the engine that the
    row takes: a kind of a foul (`draw_order.early`), `act` for what a referee records, a function (`ask:wind`). `open` says
    in one sentence what of it is not done, and why."""

    id: str
    text: str
    cite: str
    how: tuple[Literal["auto", "call", "ref"], ...]
    follows: str = ""
    needs: tuple[str, ...] = ()
    open: str = ""


class Fine(Facts):
    """What a foul costs: `points`, or so many `bases` and `tai`, or the value of a `hand` (`tai` is then the least).

    `schedule`: points of the first, second … time within one hand; 0 is a warning, after the last entry the fine doubles.
    `per_s`: the points are for each so many seconds begun. `choices`: the referee chooses. `foul_points` are counted apart
    and cost placement points after the game."""

    to: Literal["nobody", "discarder", "each", "victim"] = "nobody"
    points: int = 0
    bases: int = 0
    tai: int = 0
    hand: Literal["own", "mangan"] | None = None
    schedule: tuple[int, ...] = ()
    per_s: int | None = None
    choices: tuple[int, ...] = ()
    foul_points: int = 0


class Ruling(Facts):
    """What one kind of a foul means under this rule set. `returned_cures`: putting the tile back at once undoes it;
    `hold_ms`: how long there is for it (None: the usual time). `tiles`: what becomes of the tiles the foul exposed: `live`
    ones may be discarded now or kept as dead ones, `forced` ones must be discarded on the player's next turn."""

    row: str
    penalty: str
    effect: EffectKind | None = None
    automatic: bool = False
    """The effect stands as soon as the foul is told for sure, without the referee's word."""
    fine: Fine | None = None
    tiles: Literal["live", "forced"] | None = None
    exposes: int = 0
    """Tiles the player has to show as penalty tiles."""
    ends_hand: bool = False
    disqualifies: bool = False
    audience: Literal["referee", "table"] = "referee"
    returned_cures: bool = False
    asks: str = ""
    """What only the referee can find out before it is a foul."""
    hold_ms: int | None = None


class Contradiction(Facts):
    """Two passages of one text that disagree, the setting that chooses, and the reading chosen."""

    setting: str
    one: str
    other: str
    chosen: str


class RuleSet(Facts):
    """`fouls` maps a foul's own name and kind to the ruling; a foul that is not in it does not exist under this set. `acts`
    maps a row that a referee records to its rulings by kind; the first one is meant where no kind is named. `silent` names
    fouls the text has no rule for, and why."""

    id: str
    title: str
    text: str
    set: TileSet
    match: Match = Match()
    deal: Deal = Deal()
    calls: Calls = Calls()
    call_ban: CallBan = CallBan()
    clocks: Clocks = Clocks()
    wins: Wins = Wins()
    scoring: AnyTariff
    judging: Judging = Judging()
    fouls: Mapping[str, Mapping[str, Ruling]] = {}
    acts: Mapping[str, Mapping[str, Ruling]] = {}
    silent: Mapping[str, str] = {}
    rows: tuple[Row, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()

    @model_validator(mode="after")
    def _rows_known(self) -> RuleSet:
        ids = [row.id for row in self.rows]
        if twice := {i for i in ids if ids.count(i) > 1}:
            raise ValueError(f"rows {', '.join(sorted(twice))} are there twice")
        cited = {ruling.row for kinds in (*self.fouls.values(), *self.acts.values()) for ruling in kinds.values()}
        if unknown := cited - set(ids):
            raise ValueError(f"fouls cite rows that are not there: {', '.join(sorted(unknown))}")
        return self

    def row(self, row: str) -> Row:
        """Raises KeyError for a row this rule set does not have."""
        for one in self.rows:
            if one.id == row:
                return one
        raise KeyError(row)

    def ruling(self, code: str, kind: str) -> Ruling | None:
        """The ruling on one kind of a foul, None where the text has none."""
        return self.fouls.get(code, {}).get(kind)

    def recorded(self, row: str, kind: str = "") -> Ruling | None:
        """The ruling that follows when a referee records a row: of its own act, or of a foul that cites it. None where
        nothing follows from the row or it has no such kind."""
        cited = {
            f"{code}.{name}": ruling
            for code, kinds in self.fouls.items()
            for name, ruling in kinds.items()
            if ruling.row == row
        }
        kinds = {**self.acts.get(row, {}), **cited}
        return kinds.get(kind) if kind else next(iter(kinds.values()), None)


RULESETS = ("taiwan16", "riichi", "chinese_official", "world_series")


@cache
def _raw(ruleset: str) -> dict[str, Any]:
    return tomllib.loads((files("table_engine") / "rulesets" / f"{ruleset}.toml").read_text(encoding="utf-8"))


def load_ruleset(ruleset: str, overrides: Mapping[str, object] | None = None) -> RuleSet:
    """A shipped rule set, with settings changed by name: nested tables or dotted keys, e.g. `{"wins.several": 2}`.

    Raises SettingsError naming an unknown rule set, an unknown setting or a wrong value.
    """
    if ruleset not in RULESETS:
        raise SettingsError(f"no rule set {ruleset!r}; there are {', '.join(RULESETS)}")
    raw = _merged(_raw(ruleset), overrides or {}, "")
    try:
        return RuleSet.model_validate(raw)
    except ValidationError as error:
        where = "overrides of rule set" if overrides else "rule set"
        raise SettingsError(f"{where} {ruleset}: {explain(error)}") from error


def _merged(base: dict[str, Any], changes: Mapping[str, object], where: str) -> dict[str, Any]:
    merged = dict(base)
    for name, value in changes.items():
        head, _, rest = name.partition(".")
        new = {rest: value} if rest else value
        old = merged.get(head, {})
        if isinstance(new, Mapping):
            if not isinstance(old, dict):
                raise SettingsError(f"rule set override {where}{name}: {where}{head} is one value, not a table")
            merged[head] = _merged(old, new, f"{where}{head}.")
        else:
            merged[head] = new
    return merged
