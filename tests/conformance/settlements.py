"""Recorded games scored from our own tracking, hand by hand: every hand is played through the engine's state, its wins are
checked and scored, and the change of every seat's points and the sticks left are compared with the record.

    python -m tests.conformance.settlements [--fast] [--formats tenhou-xml,…] [--show N] [PATH …]

`--fast` plays riichi records with things instead, and compares what the ledger pays from what perfect sensors see.
Prints `agree N of M` hands and the differences; hands whose record tells no points are counted apart. Final scores are
compared where the record tells them. Exit code 1 when something differs.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from table_engine.records.files import texts
from table_engine.records.load import FORMATS as KNOWN
from table_engine.records.load import format_of
from table_engine.records.model import BREAKS_OFF, GameRecord, HandRecord
from table_engine.rules import RuleSet, load_ruleset
from table_engine.scoring import Score
from table_engine.state import State
from table_engine.tariff import TaiwanTariff
from table_engine.wire.actions import WinShown
from table_engine.wire.errors import RecordError
from table_engine.wire.seats import SEATS
from tests.conformance.records import FORMATS, paths_of
from tests.conformance.settlement_fast import compared
from tests.conformance.settlement_play import FALSE_WIN, Played, played
from tests.conformance.taiwan_names import patterns_of
from tests.conformance.vector_taiwan import tai_of

ONLINE = {
    "scoring.four_consecutive_triplets": False,
    "scoring.liability": ["big_three_dragons", "big_four_winds"],
    "set.red_fives": 3,
}
"""What sites play otherwise than the riichi text."""
HOUSES: dict[str, dict[str, object]] = {
    "tenhou-xml": ONLINE,
    "tenhou-client": ONLINE,
    "tenhou6": ONLINE,
    "mjai": ONLINE,
    "majsoul": {**ONLINE, "scoring.double_yakuman": True, "wins.several": 3, "wins.three": "all"},
    "majiang": {**ONLINE, "scoring.double_yakuman": True},
    "botzone": {"scoring.minimum": 8, "scoring.table_points": 8},
    "botzone-judge": {"scoring.minimum": 8, "scoring.table_points": 8},
    "pmn": {"scoring.minimum": 8, "scoring.table_points": 8, "scoring.flowers": True},
    "open-mahjong": {"scoring.minimum": 8, "scoring.table_points": 8, "scoring.flowers": True},
}
RIICHI = ("tenhou-xml", "tenhou6", "mjai", "majsoul", "majiang")
OWN_WALLS = ("botzone", "botzone-judge")
MIRRORED_WINDS = ("taiwan-jsonl",)
"""The engine that played these counts seat winds against the order of play, and a flower's replacement is no kong's."""


@dataclass
class Tally:
    """What came of one run."""

    hands: int = 0
    agree: int = 0
    untold: int = 0
    games: int = 0
    finals: int = 0
    finals_agree: int = 0
    wins: int = 0
    false_wins: int = 0
    grades: list[str] = field(default_factory=list)
    """How far each refused win was from a right one."""
    contradictions: list[str] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)


def run(path: Path, tally: Tally, *, fast: bool = False) -> None:
    """Every game of a file, `fast` as sensors see it."""
    for text in texts(path):
        form = format_of(text.text)
        if form is None:
            continue
        name = next(key for key, known in KNOWN.items() if known is form)
        try:
            for game in form.read(text.text, text.name):
                tally.games += 1
                if fast:
                    _sensed(game, name, tally)
                else:
                    _game(game, name, tally)
        except RecordError as error:
            tally.differences.append(f"{text.name}: cannot be read: {error}")


def _sensed(game: GameRecord, form: str, tally: Tally) -> None:
    try:
        for title, difference in compared(game, _rules(game.hands[0], form)):
            tally.hands += 1
            tally.agree += not difference
            if difference:
                tally.differences.append(f"{game.source} ({title}): {difference}")
    except RecordError as error:
        tally.differences.append(f"{game.source}: cannot be played: {error}")


def _game(game: GameRecord, form: str, tally: Tally) -> None:
    scores = list(game.hands[0].scores or ()) if game.hands else []
    sticks = 0
    carried: State | None = None
    whole = bool(scores)
    for number, record in enumerate(game.hands, start=1):
        where = f"{game.source} hand {number}"
        rules = _rules(record, form)
        done = played(
            record, rules, carried=carried, own_walls=form in OWN_WALLS, mirrored_winds=form in MIRRORED_WINDS
        )
        carried = done.end
        tally.wins += len(done.verdicts)
        if BREAKS_OFF in record.notes:
            whole = False
            continue
        wrong = _contradiction(record)
        if wrong:
            tally.contradictions.append(f"{where}: {wrong}")
            whole = False
            continue
        found = [*_tracking(record, done, game), *_differences(record, done, form)]
        told = record.deltas is not None or bool(record.wins)
        tally.hands += told
        tally.untold += not told
        tally.agree += told and not found
        refused = [verdict for verdict in done.verdicts if verdict.valid is False]
        tally.false_wins += len(refused)
        tally.grades += [verdict.objections[0].kind for verdict in refused]
        tally.differences += [f"{where}: {one}" for one in found]
        if scores:
            scores = [score + delta for score, delta in zip(scores, done.deltas, strict=True)]
            sticks = done.sticks
    if whole and game.final is not None:
        tally.finals += 1
        ours = _final(scores, sticks, game)
        if ours == list(game.final):
            tally.finals_agree += 1
        else:
            tally.differences.append(f"{game.source}: final scores {ours} here, {list(game.final)} there")


def _final(scores: list[int], sticks: int, game: GameRecord) -> list[int]:
    """Sticks that are left at the end go to the first, as the sites play."""
    first = max(SEATS, key=lambda seat: (scores[seat], -((seat - game.hands[0].dealer) % 4)))
    given = [score + (1000 * sticks if seat == first else 0) for seat, score in enumerate(scores)]
    return given if game.final is None or sum(given) == sum(game.final) else scores


def _differences(record: HandRecord, done: Played, form: str) -> Iterator[str]:
    shown = [move for move in record.moves if isinstance(move, WinShown)]
    if record.deltas is not None and tuple(record.deltas) != done.deltas:
        if _is_false_win(record, done):
            return
        said = "; ".join(str(verdict.says) for verdict in done.verdicts)
        yield f"{list(done.deltas)} here, {list(record.deltas)} there ({said or record.ending})"
        return
    for win, verdict, told in zip(shown, done.verdicts, record.wins, strict=False):
        if verdict.valid is False:
            yield f"seat {win.seat + 1}: {verdict.says}"
        elif isinstance(verdict.outcome, Score):
            if told.fan is not None and told.fan != verdict.outcome.total:
                yield f"seat {win.seat + 1}: {verdict.outcome.total} fan here, {told.fan} there"
            if form == "taiwan-jsonl":
                yield from _tai(verdict.outcome, told.items)


def _tai(score: Score, told: Iterable[tuple[str, int | None]]) -> Iterator[str]:
    theirs: dict[str, int] = {}
    for name, value in told:
        for pattern, tai in patterns_of(name, value or 0).items():
            theirs[pattern] = theirs.get(pattern, 0) + tai
    ours = tai_of(score) or {}
    if ours != theirs:
        yield f"{ours} here, {theirs} there"


def _tracking(record: HandRecord, done: Played, game: GameRecord) -> Iterator[str]:
    """Counters, sticks on the table and round as we carried them on, against the record."""
    keeps_none = not any(hand.honba or hand.sticks for hand in game.hands)  # the first mjai server had neither
    if done.tracked is None or game.ruleset != "riichi" or keeps_none:
        return
    told = (record.honba, record.sticks, record.round_wind)
    if done.tracked != told:
        yield f"counters, sticks, round: {done.tracked} tracked, {told} there"


def _contradiction(record: HandRecord) -> str:
    """Why a record's own points cannot be right: made up for a test, or illustrations."""
    winners = {move.seat for move in record.moves if isinstance(move, WinShown)}
    if record.deltas is None or not winners:
        return _miscounted(record)
    if sum(record.deltas) != 1000 * record.sticks:
        return f"its points {list(record.deltas)} do not add up with the sticks on the table"
    if all(record.deltas[seat] <= 0 for seat in winners) and sum(record.deltas) == 0 and max(record.deltas) > 30:
        return f"its winner gains nothing by {list(record.deltas)}"
    return ""


def _miscounted(record: HandRecord) -> str:
    """All pungs counted for a hand that holds a chow: a slip of the engine that played."""
    if not any(name == "all_pong" for win in record.wins for name, _ in win.items):
        return ""
    shown = next(move for move in record.moves if isinstance(move, WinShown))
    singles = [tile for tile in set(shown.hand) if (*shown.hand, shown.tile).count(tile) == 1]
    return f"all pungs are counted for a hand with a single {singles[0]}" if singles else ""


def _is_false_win(record: HandRecord, done: Played) -> bool:
    """The record fines a win that we refuse too."""
    refused = [verdict for verdict in done.verdicts if verdict.valid is False]
    if len(refused) != 1 or record.deltas is None:
        return False
    fined, given = FALSE_WIN
    return list(record.deltas) == [fined if seat == refused[0].seat else given for seat in SEATS]


def _rules(record: HandRecord, form: str) -> RuleSet:
    return _house(record.ruleset, form, tuple(record.overrides))


@cache
def _house(ruleset: str, form: str, overrides: tuple[tuple[str, object], ...]) -> RuleSet:
    rules = load_ruleset(ruleset, {**HOUSES.get(form, {}), **dict(overrides)})
    if form != "taiwan-jsonl":
        return rules
    houses = tomllib.loads(Path(__file__).with_name("taiwan_houses.toml").read_text(encoding="utf-8"))
    tariff = TaiwanTariff.model_validate({"by": "taiwan", **houses["yilinho"]})
    return rules.model_copy(update={"scoring": tariff})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--formats", default="")
    parser.add_argument("--fast", action="store_true")
    parser.add_argument("--show", type=int, default=20)
    options = parser.parse_args()
    good = True
    forms = options.formats.split(",") if options.formats else RIICHI if options.fast else FORMATS
    runs = [("files", options.paths)] if options.paths else [(f, list(paths_of(f))) for f in forms]
    for name, paths in runs:
        tally = Tally()
        for path in paths:
            run(path, tally, fast=options.fast)
        good = good and not tally.differences
        for line in (*tally.differences[: options.show], *(f"(apart) {one}" for one in tally.contradictions)):
            print(line)
        print(
            f"{name}: agree {tally.agree} of {tally.hands} hands ({tally.untold} tell no points), final scores "
            f"{tally.finals_agree} of {tally.finals}, {tally.games} games, {tally.wins} wins, {tally.false_wins} refused, "
            f"{len(tally.contradictions)} hands whose record contradicts itself",
            flush=True,
        )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
