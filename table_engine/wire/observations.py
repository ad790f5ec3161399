"""What a sensor observed. A closed union; sensors say what is there, never what it means for the game.

Cameras report *zones as they lie* (whole content of one zone, each time it settled into something new), not moves: a lost
message, a restart or a dead minute is healed by the next picture. Table controllers report readings and touches.
All times are on the envelope (`at_ms`: when it was so). Each source repeats `Watermark` so that the engine knows up to
which moment a quiet sensor has nothing to say.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from table_engine.wire.layout import Zone
from table_engine.wire.seats import Seat


class Wired(BaseModel):
    """Base of everything that crosses a door: frozen, unknown keys refused, numbers that every reader of JSON can hold."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


CODE = r"^(?:[0-9][mps]|[1-7]z|[1-8]f|b|\?)$"
Code = Annotated[str, Field(pattern=CODE)]
Confidence = Annotated[float, Field(ge=0.0, le=1.0)]
End = Literal["head", "tail"]
"""Which end of the living wall: `head` where turns are drawn, `tail` where flowers and kongs are replaced."""


class TileSeen(Wired):
    """One tile lying in a zone."""

    code: Code
    confidence: Confidence = 1.0
    candidates: tuple[tuple[Code, Confidence], ...] = ()
    u_mm: float = 0.0
    v_mm: float = 0.0
    angle_deg: float = 0.0
    """Turn of the tile's own up direction, counter-clockwise, -180..180; 0 reads upright for the zone's player."""
    sideways: bool = False
    group: int = 0
    """MELD zone: which set the tile belongs to, counted from the player's right (the first set made) on."""
    track: int = 0
    """Identity while the camera can follow the tile; 0 when it cannot."""


class Part(Wired):
    """What one of several cameras over a table sees of a zone. Inside the convex `outline` (in the seat's frame, mm) it sees every
    tile whole, a face `face_px` pixels long; the tiles are `tile_mm` wide. Of what two see, the larger look counts."""

    outline: tuple[tuple[float, float], ...] = Field(min_length=3, max_length=24)
    face_px: float = Field(gt=0)
    tile_mm: float = Field(gt=0)


class ZoneSeen(Wired):
    """The whole content of one zone of one seat once it has settled. POND: tiles in the order the rows read.
    MELD: left to right within a group. FLOWER: left to right. CENTRE: anything face up in the middle."""

    type: Literal["zone"] = "zone"
    zone: Literal[Zone.POND, Zone.MELD, Zone.FLOWER, Zone.CENTRE]
    seat: Seat
    tiles: tuple[TileSeen, ...]
    frame: int = 0
    """Number of the picture it was read from (evidence)."""
    part: Part | None = None
    """None: the camera sees all of the zone and no other one does. Otherwise `group` in a POND is the tile's row."""


class RackSeen(Wired):
    """A seat's hand: how many tiles stand in it, and the faces of those that lie open."""

    type: Literal["rack"] = "rack"
    seat: Seat
    standing: int = Field(ge=0)
    apart: int = Field(default=0, ge=0)
    """How many of the standing tiles stand apart from the rest at the player's right (a drawn tile not racked)."""
    open: tuple[TileSeen, ...] = ()
    confidence: Confidence = 1.0
    frame: int = 0
    part: Part | None = None
    standing_mm: tuple[float, ...] = ()
    """With `part`: where along the rack each standing tile stands, from the player's left."""


class HandFaces(Wired):
    """The faces of a standing hand, as a rack camera or tag reader knows them: only on the secret branch, which nobody but
    the engine reads. `drawn` stands apart at the player's right."""

    type: Literal["faces"] = "faces"
    seat: Seat
    tiles: tuple[Code, ...] = Field(max_length=20)
    drawn: Code | None = None


class WallSeen(Wired):
    """One side of the wall: height (0, 1 or 2 tiles) of every stack counted from its player's right, and faces up in it
    (dora indicators, tiles turned up by accident)."""

    type: Literal["wall_seen"] = "wall_seen"
    seat: Seat
    heights: tuple[int, ...]
    open: tuple[TileSeen, ...] = ()
    """`group` of each open tile is its stack's index."""
    confidence: Confidence = 1.0
    frame: int = 0
    part: Part | None = None


class HandSeen(Wired):
    """An arm of one seat entered or left a zone of the table (`owner` is the seat whose zone it is)."""

    type: Literal["hand"] = "hand"
    seat: Seat
    zone: Zone
    owner: Seat
    present: bool
    frame: int = 0


class Dice(Wired):
    type: Literal["dice"] = "dice"
    dice: tuple[Annotated[int, Field(ge=1, le=6)], ...] = Field(min_length=2, max_length=3)


class Dealer(Wired):
    """The table's dealer lamp moved."""

    type: Literal["dealer"] = "dealer"
    seat: Seat


class WallCount(Wired):
    """Tiles left in one wall side and at which place it last changed: `slot` is the stack, counted from its player's
    right, at which a tile left (-1: unknown or none yet)."""

    type: Literal["wall"] = "wall"
    side: Seat
    count: int = Field(ge=0)
    slot: int = -1


class HandZone(Wired):
    """Something is inside the wall zone in front of one side (the sensor cannot tell whose hand)."""

    type: Literal["hand_zone"] = "hand_zone"
    side: Seat
    present: bool


class DiscardZone(Wired):
    """A seat's discard zone: tiles lying in it, by weight or field of sensors."""

    type: Literal["discard_zone"] = "discard_zone"
    seat: Seat
    count: int = Field(ge=0)
    touched: bool = False


class SetComplete(Wired):
    """The machine has built the walls: a new hand may begin. `tiles` is 136 or 144."""

    type: Literal["set_complete"] = "set_complete"
    tiles: int


class Bay(Wired):
    """The bay into which the used tiles are pushed opened or closed."""

    type: Literal["bay"] = "bay"
    open: bool


class Button(Wired):
    """A call button was pressed. Helps where it exists; nothing needs it."""

    type: Literal["button"] = "button"
    seat: Seat
    call: Literal["chow", "pung", "kong", "win", "ready", "referee"]


class ReadyStick(Wired):
    """The riichi slot of a seat holds a stick or not."""

    type: Literal["ready_stick"] = "ready_stick"
    seat: Seat
    present: bool


class Honba(Wired):
    """The table's counter of repeats was set."""

    type: Literal["honba"] = "honba"
    count: int = Field(ge=0)


class Jam(Wired):
    """Tiles are stuck in the machine, or no longer. Equipment: it accuses nobody."""

    type: Literal["jam"] = "jam"
    place: Literal["table", "washer", "conveyor", "lift", "bay", "shuffler"]
    present: bool


class TileMissing(Wired):
    """The machine counted a set that is not whole; both numbers equal: it is whole again."""

    type: Literal["tile_missing"] = "tile_missing"
    expected: int = Field(ge=0)
    counted: int = Field(ge=0)


class ScoreTray(Wired):
    """Points in a seat's tray of score sticks."""

    type: Literal["score_tray"] = "score_tray"
    seat: Seat
    points: int


class TagSeen(Wired):
    """A tag reader sees a tile's tag at one of its places. `tag` is its number as 16 hexadecimal digits (no number of JSON
    holds it), none when the tag left."""

    type: Literal["tag"] = "tag"
    reader: int = Field(ge=0)
    slot: int = Field(ge=0)
    tag: Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")] | None


class Watermark(Wired):
    """Nothing further will be said about any moment before the envelope's `at_ms`."""

    type: Literal["watermark"] = "watermark"


class Health(Wired):
    """A sensor about itself. `degraded` names what is missing in words for people; the engine rules nothing from it."""

    type: Literal["health"] = "health"
    state: Literal["ok", "degraded", "lost"]
    degraded: tuple[str, ...] = ()
    counters: dict[str, float] = Field(default_factory=dict)


Observation = Annotated[
    ZoneSeen
    | RackSeen
    | HandFaces
    | WallSeen
    | HandSeen
    | Dice
    | Dealer
    | WallCount
    | HandZone
    | DiscardZone
    | SetComplete
    | Bay
    | Button
    | ReadyStick
    | Honba
    | Jam
    | TileMissing
    | ScoreTray
    | TagSeen
    | Watermark
    | Health,
    Field(discriminator="type"),
]
OBSERVATION: TypeAdapter[Observation] = TypeAdapter(Observation)


class Envelope(Wired):
    """One message of one source. Exactly-once in effect by `(src, boot, seq)`; seq counts from 1 within a boot without holes."""

    v: Literal[1] = 1
    id: str
    src: str
    boot: int = Field(ge=0, lt=2**53)
    seq: int = Field(ge=1, lt=2**53)
    at_ms: int = Field(gt=-(2**53), lt=2**53)
    recorded_ms: int = Field(gt=-(2**53), lt=2**53)
    data: Observation

    @classmethod
    def of(cls, src: str, boot: int, seq: int, at_ms: int, recorded_ms: int, data: Observation) -> Envelope:
        return cls(
            id=f"{src}:{boot}:{seq}", src=src, boot=boot, seq=seq, at_ms=at_ms, recorded_ms=recorded_ms, data=data
        )
