"""One observation → the picture after it. Most observations repeat what is known; they leave the picture as it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeVar

from table_engine.fusion.picture import LONG_AGO, Arm, Face, Lying, Picture, Rack, Reading, Side
from table_engine.wire.frozen import replace
from table_engine.wire.layout import Zone
from table_engine.wire.observations import (
    Bay,
    Button,
    Dealer,
    Dice,
    DiscardZone,
    Envelope,
    HandFaces,
    HandSeen,
    HandZone,
    Health,
    Honba,
    Jam,
    RackSeen,
    ReadyStick,
    ScoreTray,
    SetComplete,
    TagSeen,
    TileMissing,
    TileSeen,
    WallCount,
    WallSeen,
    Watermark,
    ZoneSeen,
)
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import Tile

T = TypeVar("T")
_ARMS_KEPT: Final = 16


@dataclass(frozen=True, slots=True)
class _Stamp:
    at_ms: int
    came_ms: int
    proof: str


def look(picture: Picture, envelope: Envelope, now_ms: int, away_ms: int = LONG_AGO) -> Picture:
    """The picture after one observation; the very same object when nothing changed. `now_ms`: the moment up to which
    all sources have been heard. `away_ms`: since when no camera looked, the last time it was so; that a hand or pond is
    as it was before is news then."""
    at = envelope.at_ms
    stamp = _Stamp(at, max(at, now_ms), envelope.id)
    match envelope.data:
        case ZoneSeen() as seen:
            return _zone(picture, seen, stamp, away_ms)
        case RackSeen(seat=seat) as seen:
            old = picture.racks[seat]
            if at < old.at_ms or (
                old.at_ms > away_ms
                and (seen.standing, seen.apart) == (old.standing, old.apart)
                and _alike(seen.open, old.open)
            ):
                return picture
            same = old.known and seen.standing + len(seen.open) == old.count
            since = old.count_ms if same else at
            rack = Rack(seen.standing, seen.apart, _faces(seen.open), at, stamp.came_ms, stamp.proof, since)
            return replace(picture, racks=put(picture.racks, seat, rack))
        case WallSeen(seat=seat) as seen:
            side = picture.walls[seat]
            if at < side.at_ms or (side.known and seen.heights == side.heights and _alike(seen.open, side.open)):
                return picture
            side = Side(seen.heights, _faces(seen.open), at, stamp.came_ms, stamp.proof)
            return replace(picture, walls=put(picture.walls, seat, side))
        case HandSeen() as seen:
            return _arm(picture, seen, at)
        case WallCount(side=seat) as seen:
            new = _read(picture.wall_counts, seat, seen.count, stamp)
            if new is picture.wall_counts:
                return picture
            return replace(picture, wall_counts=new, wall_slots=put(picture.wall_slots, seat, seen.slot))
        case DiscardZone(seat=seat) as seen:
            new = _read(picture.discard_counts, seat, seen.count, stamp)
            return picture if new is picture.discard_counts else replace(picture, discard_counts=new)
        case HandZone(side=seat) as seen:
            new = _read(picture.walls_touched, seat, int(seen.present), stamp)
            return picture if new is picture.walls_touched else replace(picture, walls_touched=new)
        case ReadyStick(seat=seat) as seen:
            new = _read(picture.sticks, seat, int(seen.present), stamp)
            return picture if new is picture.sticks else replace(picture, sticks=new)
        case Bay() as seen:
            if picture.bay.known and picture.bay.value == int(seen.open):
                return picture
            return replace(picture, bay=Reading(int(seen.open), at, stamp.came_ms, stamp.proof))
        case SetComplete() as seen:
            return replace(picture, complete=Reading(seen.tiles, at, stamp.came_ms, stamp.proof))
        case Dice() as seen:
            if at <= picture.dice_ms:
                return picture  # the same roll told again
            return replace(picture, dice=(*picture.dice, seen.dice)[-4:], dice_ms=at)
        case Dealer() as seen:
            return picture if seen.seat == picture.dealer else replace(picture, dealer=seen.seat)
        case Button() as seen:
            return replace(picture, buttons=(*picture.buttons, (at, seen.seat, seen.call))[-8:])
        case Watermark() | Health() | Honba() | Jam() | TileMissing() | ScoreTray() | HandFaces() | TagSeen():
            return picture


def put(old: tuple[T, ...], index: int, new: T) -> tuple[T, ...]:
    """A tuple with one place changed."""
    return (*old[:index], new, *old[index + 1 :])


def _zone(picture: Picture, seen: ZoneSeen, stamp: _Stamp, away_ms: int) -> Picture:
    if seen.zone == Zone.CENTRE:
        old = picture.centre
    else:
        old = {Zone.POND: picture.ponds, Zone.MELD: picture.melds, Zone.FLOWER: picture.flowers}[seen.zone][seen.seat]
    told = old.at_ms > (away_ms if seen.zone == Zone.POND else LONG_AGO)
    if stamp.at_ms < old.at_ms or (told and _alike(seen.tiles, old.faces)):
        return picture
    new = Lying(_faces(seen.tiles), stamp.at_ms, stamp.came_ms, stamp.proof)
    match seen.zone:
        case Zone.POND:
            return replace(picture, ponds=put(picture.ponds, seen.seat, new))
        case Zone.MELD:
            return replace(picture, melds=put(picture.melds, seen.seat, new))
        case Zone.FLOWER:
            return replace(picture, flowers=put(picture.flowers, seen.seat, new))
        case Zone.CENTRE:
            return replace(picture, centre=new)


def _faces(tiles: tuple[TileSeen, ...]) -> tuple[Face, ...]:
    return tuple(
        Face(
            Tile(t.code),
            t.sideways,
            t.group,
            t.confidence,
            tuple((Tile(code), share) for code, share in t.candidates),
            t.u_mm,
        )
        for t in tiles
    )


def _alike(new: tuple[TileSeen, ...], old: tuple[Face, ...]) -> bool:
    """Read alike; places and confidences may differ."""
    return len(new) == len(old) and all(
        a.code == b.code and a.sideways == b.sideways and a.group == b.group for a, b in zip(new, old, strict=True)
    )


def _read(old: tuple[Reading, ...], seat: Seat, value: int, stamp: _Stamp) -> tuple[Reading, ...]:
    if stamp.at_ms < old[seat].at_ms or (old[seat].known and old[seat].value == value):
        return old
    return put(old, seat, Reading(value, stamp.at_ms, stamp.came_ms, stamp.proof))


def _arm(picture: Picture, seen: HandSeen, at_ms: int) -> Picture:
    arms = list(picture.arms)
    for n, arm in enumerate(arms):
        if (arm.seat, arm.zone, arm.owner) == (seen.seat, seen.zone, seen.owner) and arm.until_ms is None:
            if seen.present:
                return picture
            arms[n] = replace(arm, until_ms=at_ms)
            return replace(picture, arms=tuple(arms))
    if not seen.present:
        return picture
    arms.append(Arm(seen.seat, seen.zone, seen.owner, at_ms))
    there = [a for a in arms if a.until_ms is None]
    gone = [a for a in arms if a.until_ms is not None][-_ARMS_KEPT:]
    return replace(picture, arms=tuple(sorted((*gone, *there), key=lambda a: a.since_ms)))
