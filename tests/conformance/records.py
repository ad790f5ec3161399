"""Plays recorded games at the virtual table before perfect sensors and compares what the engine tells with the record.

    python -m tests.conformance.records [--sensors serial,camera] [--formats tenhou-xml,…] [--limit N] [--show N] [PATH …]

Prints `agree N of M` and the first differences. An alert is *explained* when the record really does what the row forbids, by the
independent check of `forbidden.py`. Exit code 1 when a hand differs or an alert is not explained.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from jantaku.comparison import HandComparison, canonical, compare
from jantaku.fast import opening
from table_engine.engine import Outputs, begin, finish, step
from table_engine.events import Event
from table_engine.records.complete import completed
from table_engine.records.load import load
from table_engine.records.model import GameRecord, HandRecord
from table_engine.rules import RuleSet
from table_engine.wire.actions import Action, CountSeen, HandStarted
from table_engine.wire.alerts import AlertEnded, AlertRaised
from table_engine.wire.errors import RecordError
from table_engine.wire.layout import Layout, TileSize
from table_engine.wire.observations import Envelope
from tests.conformance.forbidden import forbidden
from virtual_table.customs import customs_of
from virtual_table.director import Director
from virtual_table.motion import PACES
from virtual_table.perfect import Sighting, sense
from virtual_table.recorded import settings_of

FORMATS = {
    "tenhou-xml": ("mjx_tenhou_mjlog/*.mjlog", "pantheon_tenhou/*.xml", "mjai_jsonl/*.mjlog"),
    "tenhou6": ("mjai_reviewer_tenhou6/*.json", "pantheon_tenhou/*.json"),
    "mjai": ("mjai_jsonl/*.mjson", "mjai_jsonl/*.jsonl", "mjai_jsonl/*.log"),
    "majsoul": ("majsoul/*.json.gz",),
    "majiang": ("kobalab_majiang_log/*.json",),
    "botzone": ("botzone_*/*.txt",),
    "botzone-judge": ("botzone_*/*.jsonl.gz", "botzone_*/*.jsonl"),
    "pmn": ("pmn_mcr/*.pmn",),
    "open-mahjong": ("open_mahjong_mcr/*.json",),
    "taiwan-jsonl": ("taiwan_selfplay/*.jsonl",),
    "tenhou-client": ("dnovikoff_tenhou_client_logs/*.tar.gz",),
}


def shared() -> Path:
    """The folder of records at hand."""
    root = os.environ.get("JANTAKU_SHARED") or Path(__file__).resolve().parents[2] / ".." / "shared"
    return Path(root) / "data" / "game_records"


@dataclass
class HandSeen:
    """What fusion told of one hand."""

    start: HandStarted
    actions: list[Action] = field(default_factory=list)
    faults: set[str] = field(default_factory=set)
    alerts: dict[str, str] = field(default_factory=dict)

    @property
    def counts(self) -> list[CountSeen]:
        return [a for a in self.actions if isinstance(a, CountSeen)]


def envelopes(game: GameRecord, sensors: Sequence[str], pace: str = "brisk", seed: int = 1) -> Iterator[Envelope]:
    """The whole game as two sources say it."""
    customs = customs_of(game.rules())
    director = Director(customs, Layout(TileSize(), customs.stacks), PACES[pace], seed)
    batches = director.play(settings_of(game.hands, seed))
    return enveloped(sense(batches, director.places.layout, sensors=sensors))


def enveloped(sightings: Iterable[Sighting]) -> Iterator[Envelope]:
    """Sightings as two sources put them on the wire, numbered in the order in which they were made."""
    seqs = {"serial": 0, "camera": 0}
    for source, at_ms, data in sightings:
        seqs[source] += 1
        ident = f"{source}:1:{seqs[source]}"
        yield Envelope.model_construct(
            v=1, id=ident, src=source, boot=1, seq=seqs[source], at_ms=at_ms, recorded_ms=at_ms, data=data
        )


def follow(stream: Iterator[Event], rules: RuleSet) -> tuple[list[HandSeen], int]:
    """The engine over a stream → what it told, hand by hand, and how many observations there were."""
    engine = begin("table")
    hands: list[HandSeen] = []
    count = 0
    for envelope in stream:
        count += 1
        engine, outputs = step(engine, envelope, rules)
        _note(hands, outputs)
        if hands and engine.faults:
            hands[-1].faults.update(f.says for f in engine.faults)
    _note(hands, finish(engine, rules)[1])
    return hands, count


def _note(hands: list[HandSeen], outputs: Outputs) -> None:
    for stumble in outputs.stumbles:
        raise stumble.error
    for _, action in outputs.actions:
        if isinstance(action, HandStarted):
            hands.append(HandSeen(action))
        elif hands:
            hands[-1].actions.append(action)
    for change in outputs.changes:
        if not hands:
            continue
        match change:
            case AlertRaised(after=alert):
                hands[-1].alerts[alert.id] = f"{alert.severity} {alert.rule} at {alert.turn}: {alert.says}"
            case AlertEnded(after=alert):
                hands[-1].alerts.pop(alert.id, None)


@dataclass
class Tally:
    hands: int = 0
    agree: int = 0
    counts: int = 0
    alerts: int = 0
    explained: int = 0
    faults: int = 0
    observations: int = 0
    seconds: float = 0.0
    differences: list[str] = field(default_factory=list)


def check(record: HandRecord, seen: HandSeen | None) -> HandComparison:
    return compare(record.title, record.moves, seen.actions if seen else ())


def rough(actions: Sequence[Action]) -> list[tuple[object, ...]]:
    """What the table controller alone can tell of a hand: who drew at which end and who discarded. Whose flowers are
    replaced before the first discard it cannot tell."""
    rows = [row for row in canonical(actions) if row[0] in ("drew", "discarded")]
    first = next((n for n, row in enumerate(rows) if row[0] == "discarded"), len(rows))
    opening = [("drew", None, *row[2:]) for row in rows[:first]]
    return [*opening, *(row[:2] if row[0] == "discarded" else row for row in rows[first:])]


def run(games: Iterator[GameRecord], sensors: Sequence[str], pace: str, limit: int, show: int) -> Tally:
    tally = Tally()
    for whole in games:
        game = replace(whole, hands=whole.hands[: limit - tally.hands]) if limit else whole
        rules = game.rules()
        try:
            stream = list(envelopes(game, sensors, pace))
        except RecordError as error:
            tally.differences.append(f"{game.source}: {error}")
            continue
        begun = time.process_time()
        hands, count = follow(chain(opening(game), stream), rules)
        tally.seconds += time.process_time() - begun
        tally.observations += count
        for number, record in enumerate(game.hands):
            tally.hands += 1
            seen = hands[number] if number < len(hands) else None
            if "camera" in sensors:
                result = check(record, seen)
                good, words = result.all_equal, result.differences
            else:
                want, got = rough(record.moves), rough(seen.actions if seen else ())
                good = want == got
                at = next(
                    (n for n, (a, b) in enumerate(zip(want, got, strict=False)) if a != b), min(len(want), len(got))
                )
                words = () if good else (f"at {at} of {len(want)}: {want[at : at + 3]} but {got[at : at + 3]}",)
            good = good and seen is not None and seen.start.dealer == record.dealer
            if seen:
                tally.counts += len(seen.counts)
                tally.faults += len(seen.faults)
                tally.alerts += len(seen.alerts)
                rows = {finding.row for finding in forbidden(record)} if seen.alerts else set()
                tally.explained += sum(words.split()[1] in rows for words in seen.alerts.values())
            tally.agree += good
            if not good or (seen and (seen.counts or seen.faults or seen.alerts)):
                extra = [f"counts {[(c.seat.value, c.concealed) for c in seen.counts]}"] if seen and seen.counts else []
                extra += [*seen.alerts.values(), *sorted(seen.faults)] if seen else ["never began"]
                head = f"{game.source} hand {number + 1} ({record.title})"
                tally.differences.append("\n    ".join([head, *words[:show], *extra]))
            if limit and tally.hands >= limit:
                return tally
    return tally


def games_of(paths: Sequence[Path]) -> Iterator[GameRecord]:
    for path in paths:
        yield from map(completed, load(path))


def paths_of(form: str) -> list[Path]:
    """The record files of one format at hand."""
    found = [p for pattern in FORMATS[form] for p in sorted(shared().glob(pattern))]
    return [p for p in found if "README" not in p.name]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--sensors", default="serial,camera")
    parser.add_argument("--formats", default=",".join(FORMATS))
    parser.add_argument("--pace", default="brisk")
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--show", type=int, default=3)
    parser.add_argument("--differences", type=int, default=20)
    options = parser.parse_args()
    sensors = options.sensors.split(",")
    failed = False
    for form in options.formats.split(","):
        tally = run(games_of(options.paths or paths_of(form)), sensors, options.pace, options.limit, options.show)
        rate = tally.observations / tally.seconds if tally.seconds else 0
        print(
            f"{form}: agree {tally.agree} of {tally.hands}, alerts {tally.alerts} ({tally.explained} explained), "
            f"counts {tally.counts}, faults {tally.faults}; "
            f"{tally.observations} observations at {rate:.0f}/s of processor time"
        )
        for text in tally.differences[: options.differences]:
            print("  " + text)
        failed = failed or tally.agree < tally.hands or tally.explained < tally.alerts
        if options.paths:
            break
    return failed


if __name__ == "__main__":
    sys.exit(main())
