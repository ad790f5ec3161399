"""`jantaku replay`: a journal folded anew, and what the engine concludes from it."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

if TYPE_CHECKING:
    from table_engine.replay import Replayed


def replay(
    journal: Annotated[Path, typer.Argument(help="Journal of a table (var/…/journal/<table>.sqlite3).")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object as the last line.")] = False,
    every: Annotated[bool, typer.Option("--actions", help="Print every action.")] = False,
) -> None:
    """Fold a journal from its first entry: hands, alerts, and the fingerprint of the state it leads to."""
    from table_engine.engine import fingerprint
    from table_engine.replay import replay as fold

    console = Console(stderr=True)
    began = time.perf_counter()
    with console.status(f"folding {journal}"):
        done = fold(journal)
    seconds = time.perf_counter() - began
    state = fingerprint(done.engine)
    if not as_json:
        _show(done, every)
        rate = done.events / seconds if seconds else 0
        Console().print(f"{done.events} events in {seconds:.2f} s ({rate:.0f}/s); state {state}", highlight=False)
        return
    from jantaku.hands import hands_of, raised

    typer.echo(
        json.dumps(
            {
                "table": done.table,
                "ruleset": done.rules.id,
                "events": done.events,
                "hands": len(hands_of(done.actions)),
                "actions": len(done.actions),
                "alerts": [a.model_dump(mode="json") for a in raised(done.changes)],
                "state": state,
                "seconds": round(seconds, 3),
            },
            ensure_ascii=False,
        )
    )


def _show(done: Replayed, every: bool) -> None:
    from jantaku.comparison import canonical
    from jantaku.hands import hands_of, raised

    console = Console(highlight=False)
    for number, hand in enumerate(hands_of(done.actions), start=1):
        rows = canonical(hand.actions)
        end = " ".join(map(str, rows[-1])) if rows else "nothing yet"
        console.print(f"hand {number}: dealer seat {int(hand.start.dealer)}, {len(rows)} moves, last: {end}")
        if every:
            for row in rows:
                console.print("  " + " ".join("self" if part is None else str(part) for part in row))
    for alert in raised(done.changes):
        console.print(f"alert: {alert.rule} {alert.says} (hand {alert.hand}, turn {alert.turn})", style="yellow")
