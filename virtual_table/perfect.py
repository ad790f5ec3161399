"""Perfect sensors at a game: what a faultless camera and table controller would publish, without pixels, bytes or broker."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from table_engine.records.model import HandRecord
from table_engine.rules import RuleSet
from table_engine.wire.layout import Layout, TileSize
from virtual_table.customs import Customs, customs_of
from virtual_table.deed import Setting
from virtual_table.director import Director, Performed
from virtual_table.games import own_hands
from virtual_table.motion import BRISK, Batch, Pace
from virtual_table.recorded import settings_of
from virtual_table.script import Foul
from virtual_table.watching import PerfectSensors, Sighting, Source

__all__ = ["PerfectSensors", "Sighting", "Source", "observe", "observe_players", "sense"]


def sense(
    batches: Iterable[Batch],
    layout: Layout,
    *,
    sensors: Iterable[Source] = ("serial", "camera"),
    start_ms: int = 0,
    watermark_ms: int = 500,
) -> Iterator[Sighting]:
    """Everything perfect sensors say about a game, in order of time."""
    watch = PerfectSensors(layout, frozenset(sensors), watermark_ms)
    yield from watch.first(start_ms)
    end = start_ms
    for batch in batches:
        end = batch.until_ms
        yield from watch.feed(batch)
    yield from watch.until(end + 5_000)


def observe(
    records: Sequence[HandRecord],
    *,
    sensors: Iterable[Source] = ("serial", "camera"),
    fouls: Sequence[Foul] = (),
    seed: int = 1,
    pace: Pace = BRISK,
    tile_width_mm: float = 26.0,
    watermark_ms: int = 500,
    truth: list[Performed] | None = None,
) -> Iterator[Sighting]:
    """Plays recorded hands of one rule set and gives what perfect sensors say: (source, at_ms, observation) by time.
    `truth` is filled with what was really played, hand by hand. Raises RecordError for a hand that cannot be played."""
    settings = settings_of(records, seed, fouls)
    return _observe(customs_of(records[0].rules()), settings, sensors, seed, pace, tile_width_mm, watermark_ms, truth)


def observe_players(
    ruleset: str | RuleSet,
    hands: int,
    *,
    sensors: Iterable[Source] = ("serial", "camera"),
    fouls: Sequence[Foul] = (),
    seed: int = 1,
    pace: Pace = BRISK,
    tile_width_mm: float = 26.0,
    watermark_ms: int = 500,
    truth: list[Performed] | None = None,
) -> Iterator[Sighting]:
    """As `observe`, with our own players."""
    customs = customs_of(ruleset)
    settings = own_hands(customs, seed, fouls, hands)
    return _observe(customs, settings, sensors, seed, pace, tile_width_mm, watermark_ms, truth)


def _observe(
    customs: Customs,
    settings: Iterator[Setting],
    sensors: Iterable[Source],
    seed: int,
    pace: Pace,
    tile_width_mm: float,
    watermark_ms: int,
    truth: list[Performed] | None,
) -> Iterator[Sighting]:
    layout = Layout(TileSize.of_width(tile_width_mm), customs.stacks)
    director = Director(customs, layout, pace, seed)
    if truth is not None:
        director.performed = truth
    return sense(director.play(settings), layout, sensors=sensors, watermark_ms=watermark_ms)
