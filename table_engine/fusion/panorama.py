"""Several cameras over one table as one: what each of them sees of a zone, and the zone they see together.

Every place of the table belongs to the camera with the largest look among those that see it and are there. A tile that two see
at one place is one tile, lying where the larger look has it and read as the surer reading says. A tile that only the smaller
look has is not believed where the larger one sees nothing. What only a camera that is away saw stays as it was.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from table_engine.wire.arrangement import apart, in_sets
from table_engine.wire.frozen import replace
from table_engine.wire.layout import TileSize, Zone
from table_engine.wire.observations import (
    Envelope,
    HandSeen,
    Part,
    RackSeen,
    TileSeen,
    WallSeen,
    Watermark,
    ZoneSeen,
)
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import UNKNOWN

Word = ZoneSeen | RackSeen | WallSeen
_NEAR: Final = 0.5
"""Looks of two cameras at places closer than this share of a tile's width are looks at one tile."""
_PLAIN_PX: Final = 30.0
"""A face this long is read as well as any; of a shorter one the confidence counts the less the shorter it is."""


@dataclass(frozen=True, slots=True)
class _Share:
    """One camera's word on a zone."""

    src: str
    word: Word
    part: Part
    at_ms: int


@dataclass(frozen=True, slots=True)
class Panorama:
    """`shares`: by zone each camera's last word on it, those of cameras that share the table. `arms`: who sees which arm."""

    shares: Mapping[tuple[str, Seat], tuple[_Share, ...]] = field(default_factory=dict)
    arms: Mapping[tuple[Seat, Zone, Seat], frozenset[str]] = field(default_factory=dict)

    def knows(self, src: str) -> bool:
        """Whether a source is one of several cameras over the table."""
        return any(share.src == src for shares in self.shares.values() for share in shares)

    def began(self, src: str) -> Panorama:
        """A camera starts anew: no arm it saw is there until it says so again. What it saw lie stays until it looks again."""
        return replace(self, arms={key: seers - {src} for key, seers in self.arms.items()})


def united(panorama: Panorama, envelope: Envelope, away: Collection[str], cleared_ms: int) -> tuple[Panorama, Envelope]:
    """The panorama after an envelope, and the envelope as if one camera saw the whole table. `away`: sources that are silent; what
    they said before `cleared_ms`, when the table was last cleared, is forgotten."""
    match envelope.data:
        case ZoneSeen(part=Part() as part) | RackSeen(part=Part() as part) | WallSeen(part=Part() as part):
            word = envelope.data
            key = (word.zone.value if isinstance(word, ZoneSeen) else word.type, word.seat)
            share = _Share(envelope.src, word, part, envelope.at_ms)
            others = [s for s in panorama.shares.get(key, ()) if s.src != share.src]
            others = [s for s in others if s.src not in away or s.at_ms > cleared_ms]
            here = (share, *others)
            panorama = replace(panorama, shares={**panorama.shares, key: here})
            return panorama, envelope.model_copy(update={"data": _together(here, away)})
        case HandSeen() as seen if panorama.knows(envelope.src):
            arm = (seen.seat, seen.zone, seen.owner)
            seers = panorama.arms.get(arm, frozenset())
            left = seers - {envelope.src}
            now = left | {envelope.src} if seen.present else left
            panorama = replace(panorama, arms={**panorama.arms, arm: now})
            if not seen.present and left.difference(away):  # another camera still sees it
                return panorama, envelope.model_copy(update={"data": Watermark()})
        case _:
            pass
    return panorama, envelope


def _together(shares: Sequence[_Share], away: Collection[str]) -> Word:
    """One word on a zone; of the newest share (the first) what has no place."""
    views = sorted(shares, key=lambda s: (-s.part.face_px, s.src))
    sight = _Sight(tuple(views), tuple(s for s in views if s.src not in away))
    match shares[0].word:
        case ZoneSeen() as word:
            return word.model_copy(update={"tiles": _ordered(word.zone, sight), "part": None})
        case RackSeen() as word:
            return _rack(word, sight)
        case WallSeen() as word:
            return _wall(word, sight)


@dataclass(frozen=True, slots=True)
class _Sight:
    """The shares of one zone, largest look first: all, and those of cameras that are there."""

    all: tuple[_Share, ...]
    there: tuple[_Share, ...]

    @property
    def size(self) -> TileSize:
        return TileSize.of_width(self.all[0].part.tile_mm)

    def owner(self, u: float, v: float) -> _Share | None:
        """Whose word counts at a place; None where no camera that is there sees tiles whole."""
        return next((s for s in self.there if _holds(s.part.outline, u, v)), None)

    def tiles(self) -> tuple[TileSeen, ...]:
        """Lying tiles, each once."""
        near = _NEAR * self.size.width
        looks: list[list[tuple[_Share, TileSeen]]] = []
        for share in self.all:
            for tile in share.word.tiles if isinstance(share.word, ZoneSeen) else share.word.open:
                same = next((seen for seen in looks if _one(seen, share, tile, near)), None)
                if same is None:
                    looks.append([(share, tile)])
                else:
                    same.append((share, tile))
        return tuple(_best(seen) for seen in looks if self._counts(seen))

    def _counts(self, seen: Sequence[tuple[_Share, TileSeen]]) -> bool:
        tile = seen[0][1]
        owner = self.owner(tile.u_mm, tile.v_mm)
        return owner is None or any(share is owner for share, _ in seen)

    def places(self) -> list[float]:
        """Standing tiles, each once, from the player's left."""
        near, found = _NEAR * self.size.width, list[tuple[float, list[_Share]]]()
        for share in self.all:
            for u in share.word.standing_mm if isinstance(share.word, RackSeen) else ():
                same = next((by for at, by in found if share not in by and abs(at - u) < near), None)
                if same is None:
                    found.append((u, [share]))
                else:
                    same.append(share)
        return sorted(u for u, by in found if (owner := self.along(u)) is None or owner in by)

    def along(self, u: float) -> _Share | None:
        """Whose word counts at a place along the middle of what is seen of the zone."""
        return next((s for s in self.there if _holds(s.part.outline, u, _middle(s.part.outline))), None)


def _one(seen: Iterable[tuple[_Share, TileSeen]], share: _Share, tile: TileSeen, near: float) -> bool:
    return all(
        by is not share and abs(at.u_mm - tile.u_mm) < near and abs(at.v_mm - tile.v_mm) < near for by, at in seen
    )


def _best(seen: Sequence[tuple[_Share, TileSeen]]) -> TileSeen:
    """The place of the largest look (the first) with the surest reading."""
    tile = seen[0][1]
    _, sure = max(seen, key=lambda look: _sureness(*look))
    return tile.model_copy(
        update={"code": sure.code, "confidence": sure.confidence, "candidates": sure.candidates, "group": tile.group}
    )


def _sureness(share: _Share, tile: TileSeen) -> float:
    return 0.0 if tile.code == UNKNOWN else tile.confidence * min(1.0, share.part.face_px / _PLAIN_PX)


def _ordered(zone: Zone, sight: _Sight) -> tuple[TileSeen, ...]:
    """As `ZoneSeen` asks for it."""
    tiles = sight.tiles()
    match zone:
        case Zone.MELD:
            return in_sets(sight.size, tiles)
        case Zone.POND:
            rows = sorted(tiles, key=lambda t: (t.group, t.u_mm))
            return tuple(tile.model_copy(update={"group": 0}) for tile in rows)
        case Zone.CENTRE:
            return tuple(sorted(tiles, key=lambda t: (-t.v_mm, t.u_mm)))
        case _:
            return tuple(sorted(tiles, key=lambda t: t.u_mm))


def _rack(word: RackSeen, sight: _Sight) -> RackSeen:
    places = sight.places()
    return word.model_copy(
        update={
            "standing": len(places),
            "apart": apart(sight.size, places),
            "open": tuple(sorted(sight.tiles(), key=lambda t: t.u_mm)),
            "confidence": min(share.word.confidence for share in sight.all if isinstance(share.word, RackSeen)),
            "part": None,
            "standing_mm": (),
        }
    )


def _wall(word: WallSeen, sight: _Sight) -> WallSeen:
    """Stack by stack. A camera that counts another number of stacks than the one that spoke last is not heard."""
    stacks, size = len(word.heights), sight.size
    walls = [(s, s.word) for s in sight.all if isinstance(s.word, WallSeen) and len(s.word.heights) == stacks]
    heights: list[int] = []
    opened: list[TileSeen] = []
    for n in range(stacks):
        owner = sight.along((stacks / 2 - 0.5 - n) * size.width)
        heard = [wall for share, wall in walls if share is owner] or [wall for _, wall in walls]
        best = max(heard, key=lambda wall: wall.heights[n])
        heights.append(best.heights[n])
        opened += [tile for tile in best.open if tile.group == n]
    return word.model_copy(update={"heights": tuple(heights), "open": tuple(opened), "part": None})


def _middle(outline: Sequence[tuple[float, float]]) -> float:
    return sum(v for _, v in outline) / len(outline)


def _holds(outline: Sequence[tuple[float, float]], u: float, v: float) -> bool:
    """Whether a convex outline, in either sense of turning, holds a point."""
    turns = [(b[0] - a[0]) * (v - a[1]) - (b[1] - a[1]) * (u - a[0]) for a, b in pairwise((*outline, outline[0]))]
    return min(turns) >= 0 or max(turns) <= 0
