"""`jantaku play`: recorded games on the virtual table, and how much of them the engine found again."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from jantaku.house import Log
from table_engine.wire.errors import RecordError, SettingsError

if TYPE_CHECKING:
    from jantaku.played import Played
    from jantaku.scenery import Sensor
    from table_engine.records.model import GameRecord

NAMES = ("broker", "engine", "table", "bridge", "vision")


def play(
    record: Annotated[
        Path | None, typer.Option("--record", help="Record of one or more games, or a folder of records.")
    ] = None,
    players: Annotated[
        str | None, typer.Option("--players", help="Instead of a record: own players under this rule set.")
    ] = None,
    rules: Annotated[str | None, typer.Option("--rules", help="Rule set to judge by; none: the record's own.")] = None,
    sensors: Annotated[str, typer.Option(help="serial, camera, or both with a comma.")] = "serial,camera",
    faults: Annotated[
        Path | None, typer.Option(help="What goes wrong, a TOML file; `jantaku faults` explains it.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Same seed, same bytes and pixels.")] = 1,
    speed: Annotated[float, typer.Option(help="Simulated seconds a second; 0: as fast as can be.", min=0)] = 0.0,
    hands: Annotated[int | None, typer.Option(help="Play at most so many hands.", min=1)] = None,
    fast: Annotated[
        bool, typer.Option("--fast", help="Perfect sensors into the engine: no broker, no pixels.")
    ] = False,
    fps: Annotated[float, typer.Option(help="Pictures per simulated second.", min=1, max=60)] = 6.0,
    pace: Annotated[str, typer.Option(help="How people move: lifelike or brisk.")] = "brisk",
    size: Annotated[str, typer.Option(help="Camera picture, e.g. 1920x1080 or 3840x2160.")] = "1920x1080",
    keep: Annotated[Path | None, typer.Option(help="Folder that keeps journals and site files.")] = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show what the processes say.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object as the last line.")] = False,
) -> None:
    """Play recorded games, or own players', on the virtual table and compare what the engine saw with what was played."""
    import virtual_table.faults
    from jantaku.fast import Fast, play_fast
    from jantaku.faults import Faults, load_faults
    from jantaku.games import games
    from jantaku.live import Live, play_live
    from jantaku.own import own_game
    from jantaku.played import summary
    from table_engine.rules import load_ruleset
    from virtual_table.motion import PACES

    chosen, (width, height) = _sensors(sensors), _size(size)
    wrong = load_faults(faults) if faults else Faults()
    perfect = wrong.perfect() if fast else virtual_table.faults.Faults()
    if not fast:
        wrong.check_pictures()
    console = Console(stderr=True)
    broken: list[RecordError] = []
    if (record is None) == (players is None):
        raise SettingsError("say either --record FILE or --players RULESET")
    if pace not in PACES:
        raise SettingsError(f"--pace {pace}: there are {', '.join(PACES)}")
    if record is None:
        todo = [own_game(players or "", hands or 1, seed, wrong.foul, pace)]
    else:
        with console.status(f"reading {record}"):
            todo = list(games(record, hands, broken.append))
    for error in broken:
        console.print(f"not played: {error}", style="red", markup=False, highlight=False)
    if not todo:
        raise broken[0] if broken else RecordError(f"{record}: no hand of a game is in it; choose another --record")
    done: list[Played] = []
    with _progress(console, sum(len(g.record.hands) for g in todo)) as (bar, task):
        say: Callable[[str, str], None] = Log(bar.console, NAMES) if verbose else lambda _name, _line: None
        for game in todo:
            before = sum(len(one.hands) for one in done)
            ruleset = rules or game.record.ruleset
            if fast:
                by = load_ruleset(ruleset, game.record.overrides)
                result = play_fast(game, Fast(by, chosen, wrong.foul, perfect, seed, pace))
            else:
                folder = keep / f"{game.path.stem}-{game.index}" if keep else None
                how = Live(ruleset, chosen, faults, seed, speed, pace, fps, width, height, folder=folder)
                how = replace(how, overrides=game.record.overrides)
                result = play_live(game, how, say, _advance(bar, task, before))
            done.append(result)
            bar.update(task, completed=before + len(result.hands))
            _show(result, bar.console)
            _remark(game.record, bar.console)
    told = summary(done)
    console.print(
        f"{told['hands_equal']} of {told['hands']} hands equal, {told['actions_equal']} of {told['actions_expected']} "
        f"actions, {told['alerts']} alerts, {told['seconds']} s",
        style="bold",
        highlight=False,
    )
    if as_json:
        typer.echo(json.dumps(told, ensure_ascii=False))
    good = told["hands_equal"] == told["hands"] and not told["alerts"] and not broken
    raise typer.Exit(0 if good or wrong.foul else 1)


def _remark(game: GameRecord, console: Console) -> None:
    """What is odd about the record itself: what it lacks, where it breaks off."""
    for note in game.notes:
        console.print(f"record: {note}", style="cyan", markup=False, highlight=False)
    for number, hand in enumerate(game.hands, start=1):
        for note in hand.notes:
            console.print(f"record, hand {number}: {note}", style="cyan", markup=False, highlight=False)


def _sensors(text: str) -> tuple[Sensor, ...]:
    from jantaku.scenery import SENSORS

    asked = {one.strip() for one in text.split(",") if one.strip()}
    if not asked or asked - set(SENSORS):
        raise SettingsError(f"--sensors {text}: use serial, camera, or serial,camera")
    return tuple(s for s in SENSORS if s in asked)


def _size(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{3,4})x(\d{3,4})", text)
    if found is None:
        raise SettingsError(f"--size {text}: use WIDTHxHEIGHT, e.g. 1920x1080")
    return int(found[1]), int(found[2])


@contextmanager
def _progress(console: Console, hands: int) -> Iterator[tuple[Progress, TaskID]]:
    columns = (TextColumn("playing"), BarColumn(), MofNCompleteColumn(), TextColumn("hands"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        yield bar, bar.add_task("", total=hands)


def _advance(bar: Progress, task: TaskID, before: int) -> Callable[[int], None]:
    """Moves the bar to the hand that is being played, `before` hands having been played earlier."""
    return lambda hand: bar.update(task, completed=before + max(0, hand - 1))


def _show(game: Played, console: Console) -> None:
    table = Table(
        "hand", "actions", "equal", "alerts", box=None, pad_edge=False, title=game.source, title_justify="left"
    )
    for number, hand in enumerate(game.hands, start=1):
        colour = "green" if hand.all_equal else "red"
        table.add_row(
            hand.title, str(hand.expected), f"[{colour}]{hand.equal}[/]", str(len(game.alerts_of(number)) or "")
        )
    console.print(table)
    for number, hand in enumerate(game.hands, start=1):
        for difference in hand.differences:
            console.print(f"hand {number}, {difference}", style="red", markup=False, highlight=False)
    for alert in game.alerts:
        console.print(
            f"alert: {alert.rule} {alert.says} (hand {alert.hand})",
            style="yellow",
            markup=False,
        )
