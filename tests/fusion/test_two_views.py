"""Whole hands seen by two cameras, each over one half of the table: told as exactly as if one had seen everything."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from random import Random

import pytest

from jantaku.comparison import compare
from table_engine.rules import load_ruleset
from table_engine.wire.layout import Layout, TileSize, Zone, to_seat, to_table
from table_engine.wire.observations import (
    Envelope,
    HandSeen,
    Health,
    Observation,
    Part,
    RackSeen,
    TileSeen,
    WallSeen,
    Watermark,
    ZoneSeen,
)
from table_engine.wire.seats import Seat
from tests.conformance.records import follow
from virtual_table.customs import customs_of
from virtual_table.director import Director
from virtual_table.games import own_hands
from virtual_table.motion import PACES
from virtual_table.perfect import sense

BEYOND_MM = 90.0
"""How far each sees beyond the middle."""


@dataclass
class View:
    """One of two cameras: over the half of seat 0 (`side` -1) or of seat 2 (1), `late_ms` behind what happens."""

    name: str
    side: int
    face_px: float
    late_ms: int
    layout: Layout
    rng: Random = field(default_factory=lambda: Random(7))
    said: dict[tuple[str, Seat], object] = field(default_factory=dict)

    def words(self, at_ms: int, seen: Observation) -> Iterator[tuple[int, str, Observation]]:
        word = self._word(seen)
        if word is None:
            return
        if isinstance(word, ZoneSeen | RackSeen | WallSeen):
            key = (word.zone.value if isinstance(word, ZoneSeen) else word.type, word.seat)
            if self.said.get(key) == _essence(word):
                return
            self.said[key] = _essence(word)
        yield at_ms + self.late_ms, self.name, word

    def _word(self, seen: Observation) -> Observation | None:
        match seen:
            case ZoneSeen(seat=seat, zone=zone, tiles=tiles):
                part = self._part(seat, zone)
                found = tuple(self._row(zone, tile) for tile in self._of(seat, tiles))
                return part and seen.model_copy(update={"tiles": found, "part": part})
            case RackSeen(seat=seat):
                part = self._part(seat, Zone.RACK)
                us = tuple(u for u in _places(seen) if self._sees(seat, u, self.layout.rack_v))
                more = {"standing": len(us), "standing_mm": us, "open": self._of(seat, seen.open), "part": part}
                return part and seen.model_copy(update=more)
            case WallSeen(seat=seat, heights=heights):
                part, layout = self._part(seat, Zone.WALL), self.layout
                there = [self._sees(seat, layout.wall_u(n), layout.wall_v) for n in range(len(heights))]
                low = tuple(h if here else 0 for h, here in zip(heights, there, strict=True))
                opened = tuple(tile for tile in seen.open if there[tile.group])
                return part and seen.model_copy(update={"heights": low, "open": opened, "part": part})
            case HandSeen(seat=seat, zone=zone, owner=owner):
                return seen if self._part(seat, Zone.RACK) and self._part(owner, zone) else None
            case _:
                return seen

    def _sees(self, seat: Seat, u: float, v: float) -> bool:
        return self.side * to_table(seat, u, v)[1] > -BEYOND_MM

    def _of(self, seat: Seat, tiles: Iterable[TileSeen]) -> tuple[TileSeen, ...]:
        off = self.rng.uniform
        return tuple(
            tile.model_copy(update={"u_mm": tile.u_mm + off(-1.5, 1.5), "v_mm": tile.v_mm + off(-1.5, 1.5)})
            for tile in tiles
            if self._sees(seat, tile.u_mm, tile.v_mm)
        )

    def _row(self, zone: Zone, tile: TileSeen) -> TileSeen:
        if zone != Zone.POND:
            return tile
        size = self.layout.tile
        low = tile.v_mm - (size.width if tile.sideways else size.length) / 2
        row = round((self.layout.pond_top - size.length - low) / (size.length + 1))
        return tile.model_copy(update={"group": row})

    def _part(self, seat: Seat, zone: Zone) -> Part | None:
        """What of a zone lies some way on this side of the edge of the picture."""
        rect, edge = self.layout.zone(zone), self.side * (20 - BEYOND_MM)
        corners = [(rect.u0, rect.v0), (rect.u1, rect.v0), (rect.u1, rect.v1), (rect.u0, rect.v1)]
        points = [to_table(seat, u, v) for u, v in corners]
        kept = [(x, max(y, edge) if self.side > 0 else min(y, edge)) for x, y in points]
        if len({round(x) for x, _ in kept}) < 2 or len({round(y) for _, y in kept}) < 2:
            return None
        outline = tuple(to_seat(seat, x, y) for x, y in kept)
        return Part(outline=outline, face_px=self.face_px, tile_mm=self.layout.tile.width)


def _places(rack: RackSeen) -> list[float]:
    """Where the tiles of a hand stand, as far as its counts tell."""
    us = [26.0 * n - 180.0 for n in range(rack.standing)]
    return [u + 20.0 * (n >= rack.standing - rack.apart) for n, u in enumerate(us)]


def _essence(word: Observation) -> object:
    match word:
        case ZoneSeen():
            return [(t.code, t.sideways, t.group) for t in word.tiles]
        case RackSeen():
            return word.standing_mm, [(t.code, t.sideways) for t in word.open]
        case WallSeen():
            return word.heights, [(t.code, t.group) for t in word.open]
    return word


def filmed(ruleset: str, seed: int, hands: int, away: tuple[int, int] | None = None):
    """A game as the controller and both cameras tell it. `away`: between these moments the far camera is gone."""
    customs = customs_of(ruleset)
    layout = Layout(TileSize(), customs.stacks)
    director = Director(customs, layout, PACES["lifelike"], seed)
    views = View("near", -1, 60.0, 0, layout), View("far", 1, 70.0, 67, layout)
    told: list[tuple[int, str, Observation]] = []
    for source, at_ms, seen in sense(director.play(own_hands(customs, seed, (), hands)), layout):
        if source == "serial":
            told.append((at_ms, source, seen))
            continue
        for view in views:
            told += view.words(at_ms, seen)
    if away is not None:
        told = list(_gone(told, "far", *away))
    told.sort(key=lambda one: one[0])
    return _numbered(told), director


def _gone(
    told: Iterable[tuple[int, str, Observation]], name: str, from_ms: int, to_ms: int
) -> Iterator[tuple[int, str, Observation]]:
    """One source under trouble for a while: it reads nothing, and tells how things lie once it is back."""
    missed: dict[tuple[str, Seat], Observation] = {}
    yield from_ms, name, Health(state="lost", degraded=("the camera has moved; fix its mount",))
    yield to_ms, name, Health(state="ok")
    for at_ms, source, word in told:
        if source != name or not from_ms <= at_ms < to_ms or isinstance(word, Watermark):
            yield at_ms, source, word
        elif isinstance(word, ZoneSeen | RackSeen | WallSeen):
            missed[word.zone.value if isinstance(word, ZoneSeen) else word.type, word.seat] = word
    yield from ((to_ms + 1, name, word) for word in missed.values())


def _numbered(told: Iterable[tuple[int, str, Observation]]) -> Iterator[Envelope]:
    seqs: dict[str, int] = {}
    for at_ms, source, word in told:
        seqs[source] = seqs.get(source, 0) + 1
        yield Envelope.of(source, 1, seqs[source], at_ms, at_ms, word)


@pytest.mark.parametrize("ruleset", ["riichi", "chinese_official", "taiwan16", "world_series"])
@pytest.mark.parametrize("seed", [1, 2])
def test_two_halves_tell_hands_as_exactly_as_one_camera(ruleset: str, seed: int) -> None:
    stream, director = filmed(ruleset, seed, 2)
    hands, _ = follow(stream, load_ruleset(ruleset))
    for performed, hand in zip(director.performed, hands, strict=True):
        assert compare("two views", performed.moves, hand.actions).differences == ()
        assert hand.alerts == {}


@pytest.mark.parametrize("ruleset", ["riichi", "taiwan16"])
def test_with_one_half_away_for_a_while_nobody_is_accused(ruleset: str) -> None:
    stream, director = filmed(ruleset, 1, 1, away=(60_000, 70_000))
    (hand,), _ = follow(stream, load_ruleset(ruleset))
    assert any("what only this camera sees" in fault for fault in hand.faults)
    assert not [words for words in hand.alerts.values() if words.startswith("foul")]
    assert compare("one away", director.performed[0].moves, hand.actions).differences == ()
