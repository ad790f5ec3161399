"""What a session with a table controller comes to: the events `Link` hands out and what it counts."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from firmware_bridge.messages import Birth, Command, Reading


@dataclass(frozen=True, slots=True)
class Place:
    """How far a device has been heard: its boot, the seq of its last message, the moment up to which it has told."""

    boot: int
    seq: int
    at_ms: int

    def __str__(self) -> str:
        return f"{self.boot} {self.seq} {self.at_ms}"

    @classmethod
    def parse(cls, text: str) -> Place | None:
        """What `str` made of a place; None for anything else."""
        words = text.split()
        if len(words) != 3 or not all(word.lstrip("-").isdecimal() for word in words):
            return None
        return cls(*map(int, words))


@dataclass(frozen=True, slots=True)
class Told:
    """A reading, in order. `boot` and `seq` are its identity."""

    message: Reading
    at_ms: int
    boot: int
    seq: int


@dataclass(frozen=True, slots=True)
class Quiet:
    """Everything before this moment has been told."""

    at_ms: int


@dataclass(frozen=True, slots=True)
class Born:
    """The device introduced itself: at first contact, or (`reset`) because it has started anew."""

    birth: Birth
    reset: bool
    at_ms: int


@dataclass(frozen=True, slots=True)
class Gap:
    """`lost` messages are gone for good; the state is being asked for."""

    lost: int
    at_ms: int


@dataclass(frozen=True, slots=True)
class Whole:
    """The state has been told in full."""

    at_ms: int


@dataclass(frozen=True, slots=True)
class ClockSet:
    """The host's clock was set by this much (negative: back)."""

    by_ms: int
    at_ms: int


@dataclass(frozen=True, slots=True)
class Answered:
    """A command was carried out or not: one of `done`, `unknown`, `refused`."""

    ticket: int
    command: Command
    result: str


@dataclass(frozen=True, slots=True)
class Foreign:
    """The device speaks another version of the protocol."""

    version: int
    at_ms: int


LinkEvent = Told | Quiet | Born | Gap | Whole | ClockSet | Answered | Foreign


@dataclass(slots=True)
class Counters:
    """What has happened on the line since the session began."""

    frames: int = 0
    bad_frames: int = 0
    crc_errors: int = 0
    resyncs: int = 0
    malformed: int = 0
    unknown: int = 0
    duplicates: int = 0
    asked_again: int = 0
    recovered: int = 0
    gaps: int = 0
    lost: int = 0
    births: int = 0
    commands_resent: int = 0

    def as_dict(self) -> dict[str, float]:
        return {name: float(value) for name, value in asdict(self).items()}
