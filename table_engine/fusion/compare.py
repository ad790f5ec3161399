"""Where what lies in a zone differs from what the game believes lies there. Plain comparison, nothing concluded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from table_engine.fusion.picture import Face
from table_engine.state import Meld, Player
from table_engine.wire.frozen import replace
from table_engine.wire.tiles import BACK, FLOWERS, UNKNOWN, Tile, is_face


@dataclass(frozen=True, slots=True)
class Reread:
    """A tile already known reads otherwise now. `index` as `TileCorrected` counts."""

    index: int
    was: Tile
    face: Face


@dataclass(frozen=True, slots=True)
class PondChange:
    """`gained` in order, `lost` and `reread` by the index among all discards of the seat."""

    gained: tuple[Face, ...] = ()
    lost: tuple[int, ...] = ()
    reread: tuple[Reread, ...] = ()


@dataclass(frozen=True, slots=True)
class SetChange:
    """`new` groups of tiles, `grown` sets by their number with the tile that came, `missing` sets by number."""

    new: tuple[tuple[Face, ...], ...] = ()
    grown: tuple[tuple[int, Face], ...] = ()
    missing: tuple[int, ...] = ()
    reread: tuple[Reread, ...] = ()


_NOTHING = PondChange()
_LARGEST = 4
_SUBSTITUTE, _LOSE_LAST, _LOSE, _GAIN_LAST, _GAIN = 12, 10, 13, 10, 17


def alike(a: Tile, b: Tile) -> bool:
    """The same face, or one of the two unknown."""
    return a == b or UNKNOWN in (a, b)


def pond_change(player: Player, faces: Sequence[Face]) -> PondChange:
    """What a pond shows beyond the discards believed to lie in it."""
    lying = [(n, p.tile) for n, p in enumerate(player.pond) if p.taken is None]
    if player.pinned:
        named = [(n, UNKNOWN if ("pond", n) in player.pinned else tile) for n, tile in lying]
        change = _aligned(named, faces)
        return replace(change, reread=tuple(r for r in change.reread if ("pond", r.index) not in player.pinned))
    if len(faces) >= len(lying) and all(f.code == t for f, (_, t) in zip(faces, lying, strict=False)):
        return PondChange(gained=tuple(faces[len(lying) :])) if len(faces) > len(lying) else _NOTHING
    return _aligned(lying, faces)


def _aligned(lying: Sequence[tuple[int, Tile]], faces: Sequence[Face]) -> PondChange:
    """The cheapest way from one row of tiles to the other: tiles come and go at the end rather than inside."""
    rows, columns = len(lying), len(faces)
    cost = [[0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows, -1, -1):
        for j in range(columns, -1, -1):
            if i == rows and j == columns:
                continue
            choices = []
            if i < rows and j < columns:
                same = 0 if alike(lying[i][1], faces[j].code) else _SUBSTITUTE
                choices.append(cost[i + 1][j + 1] + same)
            if i < rows:
                choices.append(cost[i + 1][j] + (_LOSE_LAST if i == rows - 1 else _LOSE))
            if j < columns:
                choices.append(cost[i][j + 1] + (_GAIN_LAST if i == rows else _GAIN))
            cost[i][j] = min(choices)
    gained, lost, reread = list[Face](), list[int](), list[Reread]()
    i = j = 0
    while i < rows or j < columns:
        if i < rows and j < columns:
            fits = alike(lying[i][1], faces[j].code)
            if cost[i][j] == cost[i + 1][j + 1] + (0 if fits else _SUBSTITUTE):
                if lying[i][1] != faces[j].code and is_face(faces[j].code):
                    reread.append(Reread(lying[i][0], lying[i][1], faces[j]))
                i, j = i + 1, j + 1
                continue
        if i < rows and cost[i][j] == cost[i + 1][j] + (_LOSE_LAST if i == rows - 1 else _LOSE):
            lost.append(lying[i][0])
            i += 1
        else:
            gained.append(faces[j])
            j += 1
    return PondChange(tuple(gained), tuple(lost), tuple(reread))


def set_change(player: Player, faces: Sequence[Face]) -> SetChange:
    """What the sets in front of a seat show beyond those believed to lie there."""
    groups: dict[int, list[Face]] = {}
    for face in faces:
        groups.setdefault(face.group, []).append(face)
    free = [part for n in sorted(groups) for part in _apart(player.melds, tuple(groups[n]))]
    grown, missing, reread = list[tuple[int, Face]](), list[int](), list[Reread]()
    first = 0
    for number, meld in enumerate(player.melds):
        match = next((g for g in free if _fits(meld, g)), None)
        if match is None:
            missing.append(number)
        else:
            free.remove(match)
            extra, other = _beyond(meld, match)
            reread += [Reread(first + index, was, face) for index, was, face in other]
            grown += [(number, face) for face in extra]
        first += len(meld.tiles)
    if player.pinned:
        reread = [other for other in reread if ("meld", other.index) not in player.pinned]
    return SetChange(tuple(free), tuple(grown), tuple(missing), tuple(reread))


def _apart(melds: Sequence[Meld], group: tuple[Face, ...]) -> list[tuple[Face, ...]]:
    """Sets that touch are read as one group: takes those believed to lie there out of it, from the player's right on. A
    fourth tile laid beside a pung stays with it."""
    if len(group) <= _LARGEST:
        return [group]
    for number, meld in enumerate(melds):
        size = len(meld.tiles)
        for start in range(len(group) - size, -1, -1):
            end = start + size
            part = group[start:end]
            if not _fits(meld, part) or sum(f.code in meld.tiles or f.code == BACK for f in part) < size:
                continue
            first = start
            if meld.call == "pung" and size == 3:
                if start and group[start - 1].code in meld.tiles:
                    first -= 1
                elif end < len(group) and group[end].code in meld.tiles:
                    end += 1
            others = [*melds[:number], *melds[number + 1 :]]
            rest = [p for side in (group[end:], group[:first]) if side for p in _apart(others, side)]
            return [group[first:end], *rest]
    return [group]


def _fits(meld: Meld, group: Sequence[Face]) -> bool:
    """The group is this set, perhaps with one more tile or one read otherwise."""
    if not len(meld.tiles) <= len(group) <= len(meld.tiles) + 1:
        return False
    hidden = meld.call == "concealed"
    if hidden != (sum(f.code == BACK for f in group) >= 2) and BACK in {f.code for f in group}:
        return False
    left, matched = list(meld.tiles), 0
    for face in group:
        hit = next((t for t in left if t == face.code), None)
        hit = hit or next((t for t in left if alike(t, face.code) or face.code == BACK), None)
        if hit is not None:
            left.remove(hit)
            matched += 1
    return matched >= len(meld.tiles) - 1


def _beyond(meld: Meld, group: Sequence[Face]) -> tuple[list[Face], list[tuple[int, Tile, Face]]]:
    """The tiles a set has grown by, and those that read otherwise as (index in the set, was, face)."""
    open_places = list(range(len(meld.tiles)))
    rest = list(group)
    for exact in (True, False):
        for face in sorted(rest, key=lambda f: -f.confidence):  # what is left over is rather the one read in doubt
            fits = [i for i in open_places if (meld.tiles[i] == face.code if exact else face.code in (BACK, UNKNOWN))]
            if fits:
                open_places.remove(fits[0])
                rest.remove(face)
    other = []
    for place in open_places:
        if not rest:
            break
        # The called tile lies sideways, or in the middle: what it is, is told first.
        face = min(rest, key=lambda f: (not is_face(f.code), not f.sideways, f is not group[1]))
        rest.remove(face)
        other.append((place, meld.tiles[place], face))
    return rest, other


def as_flower(face: Face) -> Face:
    """A tile among the flowers as it must be: the likeliest flower it may be, or unknown."""
    if face.code in FLOWERS:
        return face
    chances = sorted(((chance, code) for code, chance in face.candidates if code in FLOWERS), reverse=True)
    code = chances[0][1] if chances else UNKNOWN
    return replace(face, code=code, confidence=chances[0][0] if chances else 0.0)


def flower_change(player: Player, faces: Sequence[Face]) -> tuple[tuple[Face, ...], tuple[Reread, ...]]:
    """Flowers beyond those believed to lie there, and unknown ones that can be read now."""
    have = list(player.flowers)
    rest = []
    for face in map(as_flower, faces):
        if face.code in have:
            have.remove(face.code)
        else:
            rest.append(face)
    for index, tile in enumerate(player.flowers):
        if rest and tile in have and ("flower", index) in player.pinned:
            rest.pop(0)
    reread = []
    for index, tile in enumerate(player.flowers):
        if tile == UNKNOWN and rest and is_face(rest[0].code):
            reread.append(Reread(index, tile, rest.pop(0)))
    return tuple(rest), tuple(reread)
