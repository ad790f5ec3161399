"""The `jantaku` command: a list of commands and what to do when one cannot do its work.

A mistake in a file, a setting or a device ends a command with one sentence on stderr and exit code 2, never a traceback;
exit code 1 means the command did its work and found something wrong.
"""

from __future__ import annotations

import sys
from importlib.metadata import version

import typer
from rich.console import Console

from jantaku import lifeline
from jantaku.commands import (
    access,
    bridge,
    broker,
    camera_plan,
    demo,
    doctor,
    engine,
    enrol,
    export,
    faults,
    lens,
    play,
    read,
    replay,
    rules,
    run,
    score,
    table,
    vision,
)
from table_engine.wire.errors import JantakuError

REFUSED = 2

app = typer.Typer(
    name="jantaku",
    help="Watches a real mahjong table, follows the game and tells the referee what was wrong.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"jantaku {version('jantaku')}")
        raise typer.Exit


@app.callback()
def _options(
    _show_version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Say the version."),
) -> None:
    pass


app.command()(demo.demo)
app.command()(run.run)
app.command()(access.access)
app.command()(play.play)
app.command()(read.read)
app.command()(enrol.enrol)
app.command("camera-plan")(camera_plan.camera_plan)
app.command()(lens.lens)
app.command()(replay.replay)
app.command()(export.export)
app.command()(doctor.doctor)
app.command()(rules.rules)
app.command()(faults.faults)
app.command()(score.score)
PROCESSES = "Processes that run and demo start"
for process in (broker.broker, engine.engine, vision.vision, table.table):
    app.command(rich_help_panel=PROCESSES)(process)
app.add_typer(bridge.app, name="bridge", rich_help_panel=PROCESSES)


def main() -> None:
    """Entry point of the script and of `python -m jantaku`."""
    lifeline.hold()
    try:
        app()
    except JantakuError as error:
        Console(stderr=True, soft_wrap=True).print(str(error), style="red", markup=False, highlight=False)
        sys.exit(REFUSED)
    except OSError as error:
        if error.filename is None:
            raise
        says = f"{error.filename}: {error.strerror}; check that it may be read and written and that its disk has room"
        Console(stderr=True, soft_wrap=True).print(says, style="red", markup=False, highlight=False)
        sys.exit(REFUSED)
