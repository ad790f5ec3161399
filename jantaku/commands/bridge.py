"""`jantaku bridge`: one automatic table's serial port as a process of its own, and tools for makers of such tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from jantaku.stopping import again, on_signal, plain_log
from table_engine.wire.errors import SettingsError
from table_engine.wire.settings import load_site

if TYPE_CHECKING:
    from firmware_bridge.device import Device

Port = Annotated[str, typer.Argument(help="Path (better one of /dev/serial/by-id), or socket://host:port.")]
Baud = Annotated[int, typer.Option(help="Speed of the line.", min=1)]
Kind = Annotated[str, typer.Option("--device", help="Kind of controller, as in a site file.")]

_STEP_MS = 20

app = typer.Typer(no_args_is_help=False, context_settings={"help_option_names": ["-h", "--help"]})


@app.callback(invoke_without_command=True)
def bridge(
    context: typer.Context,
    config: Annotated[Path | None, typer.Option("--config", "-c", help="Site file.")] = None,
    table: Annotated[str, typer.Option(help="Id of the table in the site file.")] = "",
    bridge: Annotated[str, typer.Option("--id", help="Id of the bridge in the site file.")] = "",
) -> None:
    """Read one automatic table's serial port (with --config, --table and --id), or look at one with the commands below."""
    if context.invoked_subcommand is not None:
        return
    if config is None or not table or not bridge:
        raise SettingsError(
            "bridge: needs --config, --table and --id, or one of its commands; see `jantaku bridge --help`"
        )
    from firmware_bridge.bridge import run

    site = load_site(config)
    plain_log()
    stop = on_signal()
    if run(site, table, bridge, stop):
        again()


@app.command()
def monitor(
    port: Port,
    baud: Baud = 115_200,
    device: Kind = "reference",
    listen: Annotated[bool, typer.Option(help="Say nothing to the device; it will repeat itself.")] = False,
    seconds: Annotated[float | None, typer.Option(help="End after so long.", min=0)] = None,
) -> None:
    """Show live what a controller says, with counters. It is the controller's host meanwhile: no bridge may run."""
    from time import monotonic

    from rich.live import Live

    from firmware_bridge.watch import Watch
    from jantaku.serial_monitor import Screen
    from table_engine.wire.clock import SystemClock

    stop, console, screen = on_signal(), Console(), Screen(port, baud)
    end_s = None if seconds is None else monotonic() + seconds
    with Watch(port, baud, _device(device), SystemClock(), listen=listen) as watch:
        if not console.is_terminal:
            while not stop.is_set() and (end_s is None or monotonic() < end_s):
                for line in screen.take(watch.turn()):
                    console.print(line, soft_wrap=True)
            return
        with Live(screen, console=console, refresh_per_second=8, screen=True):
            while not stop.is_set() and (end_s is None or monotonic() < end_s):
                screen.take(watch.turn())
                screen.counters = watch.device.counters


@app.command()
def record(
    port: Port,
    file: Annotated[Path, typer.Argument(help="Where to write; one JSON object a line.")],
    baud: Baud = 115_200,
    device: Kind = "reference",
    listen: Annotated[bool, typer.Option(help="Say nothing to the device.")] = False,
    seconds: Annotated[float | None, typer.Option(help="End after so long.", min=0)] = None,
) -> None:
    """Write down what goes over a line, byte for byte with its times, until Ctrl-C."""
    from time import monotonic

    from firmware_bridge.capture import Capture
    from firmware_bridge.watch import Watch
    from table_engine.wire.clock import SystemClock

    stop, clock = on_signal(), SystemClock()
    began_ms, count = clock.now_ms(), 0
    end_s = None if seconds is None else monotonic() + seconds
    with Capture(file, port=port, baud=baud, device=device) as capture:

        def tap(at_ms: int, data: bytes, sent: bool) -> None:
            nonlocal count
            count += 0 if sent else len(data)
            capture.write(max(at_ms - began_ms, 0), data, sent=sent)

        with Watch(port, baud, _device(device), clock, listen=listen, tap=tap) as watch:
            while not stop.is_set() and (end_s is None or monotonic() < end_s):
                watch.turn()
    typer.echo(f"{count} bytes of {port} are in {file}")


@app.command()
def replay(
    file: Annotated[Path, typer.Argument(help="What `record` wrote.")],
    link: Annotated[Path, typer.Option(help="Where the port appears.")] = Path("table"),
    speed: Annotated[float, typer.Option(help="Recorded seconds a second.", min=0.01)] = 1.0,
) -> None:
    """Play a recorded line again, as a port that a bridge or monitor opens. It begins when somebody does."""
    from time import monotonic

    from firmware_bridge.capture import read_capture
    from virtual_table.playback import Playback

    head, pieces = read_capture(file)
    stop = on_signal()
    read = [(piece.ms, piece.data) for piece in pieces if not piece.sent]
    playback = Playback(_free(link), read, speaks_ours=head.device == "reference")
    typer.echo(f"{link} says what {head.port} said on {head.began:%Y-%m-%d %H:%M}, with --device {head.device}")
    try:
        began_s: float | None = None
        while not stop.wait(0.005) and not playback.finished:
            if began_s is None and playback.line.connected:
                began_s = monotonic()
            playback.pump(-1 if began_s is None else round(1000 * speed * (monotonic() - began_s)))
    finally:
        playback.close()


@app.command()
def simulate(
    link: Annotated[Path, typer.Argument(help="Where the port appears.")] = Path("table"),
    rules: Annotated[str, typer.Option(help="Rule set that is played.")] = "riichi",
    seed: Annotated[int, typer.Option(help="Same seed, same game.")] = 1,
    noise: Annotated[float, typer.Option(help="Chance that a byte is damaged.", min=0, max=0.5)] = 0.0,
) -> None:
    """Be a controller at a port that appears at LINK: a game is played for ever, as its sensors see it."""
    from time import monotonic

    from table_engine.wire.clock import SystemClock
    from virtual_table.controller import Controller
    from virtual_table.customs import customs_of
    from virtual_table.motion import LIFELIKE
    from virtual_table.simulation import Simulation

    stop, now_ms = on_signal(), SystemClock().now_ms()
    customs = customs_of(rules)
    controller = Controller(_free(link), seed=seed, noise=noise, start_ms=now_ms)
    simulation = Simulation.of_players(
        customs, hands=None, seed=seed, pace=LIFELIKE, controller=controller, start_ms=now_ms
    )
    typer.echo(f"{link} is a table; look at it with: jantaku bridge monitor {link}")
    try:
        due_s = monotonic()
        while not stop.wait(max(0.0, due_s - monotonic())):
            simulation.step(_STEP_MS)
            controller.pump(simulation.at_ms)
            due_s = max(due_s + _STEP_MS / 1000, monotonic() - 1)
    finally:
        controller.close()


@app.command()
def conformance(
    port: Port,
    baud: Baud = 115_200,
    skip: Annotated[list[str] | None, typer.Option(help="A check to leave out; more than once if need be.")] = None,
    also: Annotated[
        list[str] | None, typer.Option(help="lift (moves it) or reset (press it when told); give it twice for both.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a check.")] = False,
) -> None:
    """Test whether a controller does what docs/protocol.md says. Exit code 0: it does; 1: it does not.

    The table may be played at meanwhile; left alone it gives the fewest untested checks. A simulation that does not run in
    real time needs --skip rate.
    """
    import serial

    from firmware_bridge.conformance import CHECKS, Probe, WrongError, examine, open_port
    from firmware_bridge.conformance.examination import ASKED_FOR
    from jantaku.conformance_report import Report

    known = {check.name for check in (*CHECKS, *ASKED_FOR)}
    strange = {*(skip or ()), *(also or ())} - known
    if strange:
        raise SettingsError(f"no check {', '.join(sorted(strange))}; there are {', '.join(sorted(known))}")
    report = Report(Console(), port)
    probe = Probe(open_port(port, baud))
    try:
        for finding in examine(probe, skip=skip or (), also=also or (), about=None if as_json else report.begins):
            if as_json:
                typer.echo(json.dumps(finding.plain()))
            else:
                report.add(finding)
            report.count(finding)
    except (serial.SerialException, OSError) as error:
        raise WrongError(f"port {port}: went away in the middle of the test ({error})") from error
    finally:
        probe.close()
    if not as_json:
        report.end(probe.bad_frames)
    raise typer.Exit(1 if report.failed else 0)


def _device(name: str) -> Device:
    from firmware_bridge.devices import DEVICES

    if name not in DEVICES:
        raise SettingsError(f"no device {name!r}; there are {', '.join(DEVICES)}")
    return DEVICES[name](request=1)


def _free(link: Path) -> Path:
    """Raises SettingsError when something other than a link of ours lies there."""
    if link.exists() and not link.is_symlink():
        raise SettingsError(f"{link}: is there already; give another name")
    if not link.absolute().parent.is_dir():
        raise SettingsError(f"{link}: no such folder")
    return link
