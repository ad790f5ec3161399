"""What fusion carries from one observation to the next. Frozen; `observe` makes the next one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from table_engine.fusion.compare import PondChange, Reread, SetChange
from table_engine.fusion.panorama import Panorama
from table_engine.fusion.picture import LONG_AGO, Face, Lying, Picture
from table_engine.fusion.wall import Course, Tally
from table_engine.state import Player
from table_engine.wire.alerts import Fault
from table_engine.wire.seats import Seat

Sense = Literal["camera", "bridge"]


@dataclass(frozen=True, slots=True)
class Patience:
    """How long evidence is held, ms of event time. A longer patience is safer and slower."""

    corroborate: int = 2_000
    """For the other sensor to confirm what one says, before it is believed alone."""
    irregular: int = 800
    """For lagging evidence, before something the rules don't provide for is believed."""
    who: int = 1_200
    """For a sign of who took a tile, before turn order is asked."""
    reread: int = 600
    """For another reading of a tile to stay, before the first one is corrected."""
    flowers: int = 1_000
    """For more flowers of the same player."""
    count: int = 2_000
    """For a hand to stand with another number of tiles than the game adds up to, before that is said."""
    unexplained: int = 4_000
    """For a sign nobody can explain, before it is called a fault of the equipment."""
    dora: int = 3_000
    """For the first indicator to be seen, before the first turn is told without it: it belongs to the deal."""
    deal: int = 5_000
    """For a deal that looks nearly finished to look finished."""
    silence: int = 2_500
    """Without any word, before a source is taken for dead."""


@dataclass(frozen=True, slots=True)
class Source:
    """A source as fusion knows it."""

    sense: Sense | None = None
    """None until it has said something only one kind of sensor can say."""
    boot: int = 0
    heard_ms: int = LONG_AGO
    lost: bool = False


@dataclass(frozen=True, slots=True)
class Passage:
    """A tile that came into a discard zone and went out of it again before it was told."""

    seat: Seat
    laid_ms: int
    gone_ms: int
    proofs: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Silence:
    """When a sense was away: from its last word to the first one after."""

    from_ms: int = LONG_AGO
    to_ms: int = LONG_AGO

    def hid(self, at_ms: int) -> bool:
        """What was done at that moment can only have been noticed afterwards."""
        return self.from_ms < at_ms <= self.to_ms


@dataclass(frozen=True, slots=True)
class Compared:
    """One seat's zones held against what the game believes lies there."""

    player: Player
    zones: tuple[Lying, Lying, Lying]
    pond: PondChange
    sets: SetChange
    flowers: tuple[tuple[Face, ...], tuple[Reread, ...]]


PATIENCE: Final = Patience()
_EMPTY: Final = Picture()
_ALONE: Final = Panorama()
_UNTOLD: Final = Tally()
_NEVER: Final = Silence()


@dataclass(frozen=True, slots=True)
class Fusion:
    """Everything believed beyond the game's own state. Start with `Fusion()`."""

    picture: Picture = _EMPTY
    panorama: Panorama = _ALONE
    now_ms: int = LONG_AGO
    """Up to here all sources have been heard."""
    sources: Mapping[str, Source] = field(default_factory=dict)
    stage: Literal["idle", "playing", "clearing"] = "idle"
    """`clearing`: the tiles are being pushed into the machine, nothing that vanishes is a move."""
    dora_due_ms: int = LONG_AGO
    """Until then the first turn is held for the first dora indicator."""
    course: Course | None = None
    broke_first: Seat | None = None
    """The wall side that lost the first tile since the walls were built."""
    gap: Course | None = None
    counted_gap: Course | None = None
    """Where the wall was broken by camera and counter, as long as only the deal had been taken."""
    full: bool = False
    """The walls stand complete, or have since they were built."""
    seen: Tally = _UNTOLD
    counted: Tally = _UNTOLD
    zones_off: tuple[int, int, int, int] = (0, 0, 0, 0)
    """By how much each discard zone's count is known to differ from the pond."""
    passages: tuple[Passage, ...] = ()
    indicators: tuple[tuple[Seat, int], ...] = ()
    """Where the dora indicators shown so far lie."""
    laid_ms: tuple[int, int, int, int] = (LONG_AGO, LONG_AGO, LONG_AGO, LONG_AGO)
    """When the last change of each pond that was told took place."""
    drawn_ms: int = LONG_AGO
    """When the last draw that was told took place."""
    doubted: frozenset[tuple[Seat, int]] = frozenset()
    """Discards told although their faces were read in doubt: whose, and their places among all discards of the seat."""
    handled_ms: tuple[int, int, int, int] = (LONG_AGO, LONG_AGO, LONG_AGO, LONG_AGO)
    """When each hand last grew or shrank by what was told: a count from before that says nothing about it."""
    back_ms: int = LONG_AGO
    """When a source last came back after a silence, or began anew."""
    silences: Mapping[Sense, Silence] = field(default_factory=dict)
    """The last one of each."""
    clearing_ms: int = LONG_AGO
    swept: Picture = _EMPTY
    """What lay on the table when it began to be cleared."""
    wake_ms: int | None = None
    """When what is held back must be looked at again though nothing new was seen."""
    faults: Mapping[tuple[str, str], Fault] = field(default_factory=dict)
    patience: Patience = PATIENCE
    compared: tuple[Compared, ...] = field(default=(), compare=False, repr=False)
    """Remembered so that nothing is compared twice; follows from the rest."""

    def alive(self, sense: Sense) -> bool:
        """A source of this kind speaks and is well."""
        return any(
            s.sense == sense and not s.lost and s.heard_ms >= self.now_ms - self.patience.silence
            for s in self.sources.values()
        )

    def has(self, sense: Sense) -> bool:
        """A source of this kind has ever spoken."""
        return any(s.sense == sense for s in self.sources.values())

    def away(self, sense: Sense) -> Silence:
        """When a sense that speaks again was away last."""
        return self.silences.get(sense, _NEVER)

    @property
    def silent(self) -> frozenset[str]:
        """Sources that are away."""
        return frozenset(name for name, code in self.faults if code == "silent")

    @property
    def degraded(self) -> tuple[str, ...]:
        """What is in doubt, in words for people; empty when all is well."""
        return tuple(fault.says for fault in self.faults.values())
