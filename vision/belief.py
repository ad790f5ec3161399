"""Which detections are believed: a weak one only where a tile may be expected to lie, any only with the size of a tile."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import replace

from table_engine.wire.layout import Zone, to_seat
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import BACK, UNKNOWN
from vision.calibrate import Calibration
from vision.colour import Colour, apart, hued, tinted
from vision.labels import BACK_UP, BLANK, FACE, TOP
from vision.sighting import Sighting, unlifted
from vision.wall import in_place
from vision.zones import Spot

_FLOOR = 0.3
_HALF_SURE, _FEW, _MANY = 0.45, 12, 40
"""A table of which no more finds than the first number are half sure, nor more than the second faint, holds next to nothing."""
_LONE, _LONE_READ = 0.7, 0.5
"""Score that a tile on such a table must have, and one that can be read."""
_BLOTCH, _PER_SIZE, _SIZED = 0.36, 2.0, 0.12
_LYING_BACK, _LEANING_IN, _INWARD_MM = 0.55, 0.9, 6.0
"""A hand is hardly ever laid face down on its rack line, and the backs of standing tiles lean into view there."""
_LEANING, _LEAN_MM = 0.8, 11.0
_EXPECTED = 0.2
_PER_OFF = 0.07
_MOST = 0.85
_PER_MM = 0.02
_SEVERAL, _READ, _PLAINLY, _LYING, _FLANK = 3, 0.8, 0.85, 0.95, 0.6
_ALIKE, _FAR_APART = 8.0, 24.0
"""Backs of one set are no further apart; what is as bright as a white dragon beside it and so far from them is none of them."""
_OTHER, _BRIGHTNESS, _OTHER_TINT = 18.0, 0.12, 0.14
"""Backs whose colours are further apart are of two sets; what brightness counts in it: a lamp may leave half in the shade. What
is darker than the backs is told by its tint."""
_IN_SHADE = 0.97
"""A find of another colour on a wall must be so sure: the shadow beside its end has a stack's shape."""
_LARGER_STACK = 1.2
"""A stack of two that shows its flanks is not so many times as large as those beside it."""
_LARGER, _AS_SURELY = 1.3, 0.9
"""A standing tile shows at most so many times the area that its neighbours show, unless it is found about as surely: beside a
gap its flank shows too."""
_SLIVER = 0.68
"""What shows and scores less than this share of what its row does is no tile of it."""
_CLEARLY, _CERTAIN = 0.85, 0.95
"""Score and confidence of a look that is believed against what was read there while nothing moved."""
_ACROSS = 0.5
"""Two tops of one hand stand a tile's width apart; closer than this share of it they are one."""


def believed(
    calibration: Calibration,
    spot: Spot,
    seen: Sequence[Sighting],
    stacks: Sequence[int],
    known: Sequence[Sighting] = (),
    backs: Colour | None = None,
) -> list[Sighting]:
    """The sightings of one zone that are worth their score. `stacks`: how many a wall side may have; `known`: what the zone
    held beyond the part that was looked at; `backs`: the colour of the set's backs, as the walls show it."""
    seat, zone = spot
    if not seen:
        return []
    if zone == Zone.RACK:
        seen = _stood_up(seen, known, backs)
    match zone:
        case Zone.WALL:
            seen = _stack_sized([_turned_down(s, backs) for s in seen], known)
            row = [s for s in (*seen, *known) if s.what == BACK_UP and not strange(s, backs)]
            floors = [
                _IN_SHADE
                if _shadow(s, backs) and not _between(calibration, seat, s, row)
                else min(_EXPECTED + _PER_OFF * float(off), _MOST)
                for s, off in zip(seen, in_place(calibration, seat, seen, stacks), strict=True)
            ]
        case Zone.RACK:
            floors = [_rack_floor(calibration, spot, s, backs) for s in seen]
        case Zone.MELD:
            seen = _turned_up(seen, known, backs)
            floors = [_strip_floor(calibration, spot, s, backs) for s in seen]
        case _:
            floors = [_cloth_floor(s, backs) for s in seen]
    worth = [s for s, floor in zip(seen, floors, strict=True) if s.score >= floor]
    return _single(calibration, seat, worth) if zone == Zone.RACK else worth


def in_company(seen: Sequence[Sighting]) -> Sequence[Sighting]:
    """What is seen of a whole table; on one that seems to hold next to nothing only what is plain or can be read: tiles come in
    sets, and a blotch of the cloth is as lonely as it looks. Much that is faint is a table in bad light."""
    half_sure, faint = (sum(s.score >= least for s in seen) for least in (_HALF_SURE, _FLOOR))
    if half_sure > _FEW or faint > _MANY:
        return seen
    return [s for s in seen if s.score >= _LONE or (s.score >= _LONE_READ and _readable(s))]


def unmoved(old: Sequence[Sighting], seen: Sequence[Sighting], scale: float) -> list[Sighting]:
    """What lies where nothing has moved since it was read as `old`: only the light can differ. A tile stays what it was unless
    it is plainly another one now, none is gone, and what is new must be plain."""
    left, kept = list(old), []
    for one in seen:
        clear = one.score >= _CLEARLY and one.confidence >= _CERTAIN
        known = next((o for o in left if unlifted(o, one, scale)), None)
        if known is not None:
            left.remove(known)
            kept.append(one if clear or (known.what, known.code) == (one.what, one.code) else known)
        elif clear:
            kept.append(one)
    return [*kept, *left]


def _stood_up(seen: Sequence[Sighting], known: Sequence[Sighting], backs: Colour | None) -> list[Sighting]:
    """A standing tile seen with its top and its back may look like one that lies, white or a back by turns. In a hand of which
    no face can be read, what is too small to lie and no plain find stands, if it is found nearly as surely as the others and
    shows no more than they do: the flank of the last one is not, nor its shadow. What is much smaller and weaker than the others
    is a flank in a gap."""
    hand = [*seen, *known]
    if len(hand) < _SEVERAL or any(_readable(s) for s in hand):
        return list(seen)
    usual = statistics.median(s.score for s in hand)
    tops = [s.size for s in hand if s.what == TOP]
    most = _LARGER * statistics.median(tops or [_LYING])
    least = _SLIVER * statistics.median(tops or [0.0])
    out = []
    for one in seen:
        if one.what == TOP and one.size < least and one.score < _SLIVER * usual:
            continue
        shadow = _shadow(one, backs)
        lies = one.what == TOP or shadow or one.size >= _LYING or (one.score >= _PLAINLY and one.code != BLANK)
        if lies or (one.score >= _FLANK * usual and (one.size <= most or one.score >= _AS_SURELY * usual)):
            out.append(one if lies else replace(one, what=TOP, code=BACK))
    return out


def _readable(sighting: Sighting) -> bool:
    return sighting.what == FACE and sighting.code not in (BLANK, UNKNOWN) and sighting.confidence > _READ


def _single(calibration: Calibration, seat: Seat, seen: Sequence[Sighting]) -> list[Sighting]:
    """Standing tiles once each: of a tile with a thick back both halves of its top look like one. The surer stays."""
    tile = calibration.layout.tile
    kept: list[Sighting] = []
    for one in sorted(seen, key=lambda s: -s.score):
        u, v = to_seat(seat, one.x, one.y)
        again = any(
            s.what == one.what == TOP
            and abs(to_seat(seat, s.x, s.y)[0] - u) < _ACROSS * tile.width
            and abs(to_seat(seat, s.x, s.y)[1] - v) < tile.depth
            for s in kept
        )
        if not again:
            kept.append(one)
    return kept


def _cloth_floor(sighting: Sighting, backs: Colour | None) -> float:
    """A blotch of the cloth may look like a tile, but hardly with the size of one, and seldom in the colour of the set's backs."""
    if sighting.what != BACK_UP:
        read = sighting.code != UNKNOWN and sighting.confidence >= _CERTAIN  # a face may be covered in part
        off = max(0.0, sighting.size - 1 - _SIZED, 0.0 if read else 1 - _SIZED - sighting.size)
        return min(_FLOOR + _PER_SIZE * off, _HALF_SURE)
    if strange(sighting, backs):
        return _PLAINLY
    return _BLOTCH + _PER_SIZE * max(0.0, abs(sighting.size - 1) - _SIZED)


def _between(calibration: Calibration, seat: Seat, sighting: Sighting, row: Sequence[Sighting]) -> bool:
    """Whether stacks of a row stand on both sides of it: a shadow lies beside an end."""
    u = to_seat(seat, sighting.x, sighting.y)[0]
    away = [(to_seat(seat, s.x, s.y)[0] - u) / calibration.layout.tile.width for s in row]
    near = [widths for widths in away if 0.5 < abs(widths) < 1.5]
    return bool(near) and min(near) < 0 < max(near)


def _stack_sized(seen: Sequence[Sighting], known: Sequence[Sighting]) -> list[Sighting]:
    """Without what is larger than the stacks beside it: a flank, or the cloth where a stack was."""
    sizes = [s.size for s in (*seen, *known) if s.what == BACK_UP]
    if len(sizes) < _SEVERAL:
        return list(seen)
    most = _LARGER_STACK * statistics.median(sizes)
    return [s for s in seen if s.what != BACK_UP or s.size <= most]


def _turned_down(sighting: Sighting, backs: Colour | None) -> Sighting:
    """A back that was read as a white dragon: it has the colour of the others."""
    if backs is None or sighting.code != BLANK or sighting.colour is None:
        return sighting
    alike = apart(sighting.colour, backs, _BRIGHTNESS) < _ALIKE
    return replace(sighting, what=BACK_UP, code=BACK, confidence=sighting.score, candidates=()) if alike else sighting


def _turned_up(seen: Sequence[Sighting], known: Sequence[Sighting], backs: Colour | None) -> list[Sighting]:
    """White dragons that were taken for backs: they have not the backs' colour, but that of a white dragon beside them."""
    whites = [s.colour for s in (*seen, *known) if s.code == BLANK and s.colour is not None and s.score >= _HALF_SURE]

    def white(one: Sighting) -> bool:
        if one.what != BACK_UP or one.score < _HALF_SURE or one.colour is None or backs is None:
            return False
        if not strange(one, backs) and apart(one.colour, backs) < _FAR_APART:
            return False
        return any(apart(one.colour, other) < _ALIKE for other in whites)

    return [replace(s, what=FACE, code=BLANK, confidence=s.score) if white(s) else s for s in seen]


def strange(sighting: Sighting, backs: Colour | None) -> bool:
    """Whether it looks like a back of another colour than the set's, and not just like one in the shade."""
    if backs is None or sighting.colour is None:
        return False
    if sighting.colour[0] < backs[0] and hued(sighting.colour) and hued(backs):
        return _shadow(sighting, backs)
    return apart(sighting.colour, backs, _BRIGHTNESS) > _OTHER


def _shadow(sighting: Sighting, backs: Colour | None) -> bool:
    """Whether what looks like a back is darker than the set's backs and has not their tint, as a shadow on the cloth. What is
    brighter may be one of them under a lamp that outshines its colour."""
    return (
        backs is not None
        and sighting.colour is not None
        and sighting.what == BACK_UP
        and sighting.colour[0] < backs[0]
        and tinted(sighting.colour, backs) > _OTHER_TINT
    )


def _strip_floor(calibration: Calibration, spot: Spot, sighting: Sighting, backs: Colour | None) -> float:
    """At the strip's edge towards the player the backs of standing tiles lean into view."""
    layout = calibration.layout
    v = to_seat(spot[0], sighting.x, sighting.y)[1]
    leans = sighting.what == BACK_UP and v < layout.meld_v - _LEAN_MM * layout.scale
    return max(_LEANING if leans else _FLOOR, _cloth_floor(sighting, backs))


def _rack_floor(calibration: Calibration, spot: Spot, sighting: Sighting, backs: Colour | None) -> float:
    """Tops of standing tiles stand in a line; they look a little further out than they are."""
    layout = calibration.layout
    v = to_seat(spot[0], sighting.x, sighting.y)[1]
    if sighting.what != TOP:
        inward = v - layout.rack_v > _INWARD_MM * layout.scale
        lying = _PLAINLY if _shadow(sighting, backs) else _LYING_BACK
        return _FLOOR if sighting.what == FACE else _LEANING_IN if inward else lying
    off = abs(v - 1.01 * layout.rack_v) / layout.scale
    return _EXPECTED + _PER_MM * off
