"""`jantaku demo`: a virtual table and everything that watches it, with a panel on the page that breaks things."""

from __future__ import annotations

import errno
import json
import os
import socket
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from jantaku.control import Act, Control
from jantaku.house import Log, answers, ended_by_signals, process, site_children, watch, web_address
from jantaku.supervisor import Child, Supervisor
from table_engine.wire.errors import DeviceError, RecordError, SettingsError

if TYPE_CHECKING:
    from table_engine.wire.settings import Site

MARK = "# made by `jantaku demo`, which overwrites this folder\n"
PLAYERS = ("Aki", "Ben", "Chie", "Dan")
HOST, WEB_PORT = "127.0.0.1", 8137
ANSWER_FIRST_S = 0.3
HURRY_S = 14.0
"""Walls and deal are over then; whoever opens the page wants to see a game."""
KILLABLE = ("engine", "vision", "bridge", "broker")
ADDED = {"vision": "overhead", "bridge": "controller"}
"""What the sensors of a table are called that was added on the page."""


def demo(
    rules: Annotated[str, typer.Option("--rules", help="Rule set the virtual players play.")] = "riichi",
    record: Annotated[Path | None, typer.Option(help="Play this recorded game instead of own players.")] = None,
    seed: Annotated[int, typer.Option(help="Same seed, same game.")] = 1,
    speed: Annotated[float, typer.Option(help="Simulated seconds a second; 0: as fast as can be.", min=0)] = 1.0,
    pace: Annotated[str, typer.Option(help="How people move: demo, lifelike or brisk.")] = "demo",
    fps: Annotated[float, typer.Option(help="Pictures per simulated second.", min=1, max=60)] = 12.0,
    port: Annotated[
        int | None, typer.Option(help="Port of the page; none: 8137, or a free one.", min=1, max=65535)
    ] = None,
    faults: Annotated[
        Path | None, typer.Option(help="What goes wrong, a TOML file; `jantaku faults` explains it.")
    ] = None,
    folder: Annotated[Path, typer.Option(help="Where journal and outboxes of the demo go.")] = Path("var/demo"),
    quiet: Annotated[bool, typer.Option("--quiet", help="Don't show what the processes say.")] = False,
) -> None:
    """Play a game on a table that is not there, and watch it with the real code. Nothing else is needed."""
    from jantaku.faults import load_faults
    from jantaku.house import require_free
    from jantaku.scenery import TABLE, TAGS, Scenery, shows_itself, site_of
    from jantaku.sites import free_port, to_toml
    from jantaku.spare import Spares
    from table_engine.rules import load_ruleset
    from table_engine.wire.clock import SharedClock, SystemClock
    from virtual_table.tags import book

    console = Console()
    ruleset, overrides = _ruleset(record) if record else (rules, {})
    load_ruleset(ruleset, overrides)  # what is wrong with rules and faults had better be said before anything starts
    if faults:
        load_faults(faults)
    held = clean(folder)
    folder = folder.resolve()
    table_port = free_port()
    supervisor: Supervisor | None = None

    def kill(asked: Mapping[str, Any]) -> str:
        name, at = str(asked.get("process")), asked.get("table", TABLE)
        if name not in KILLABLE:
            raise SettingsError(f"no process {name!r} to kill; there are {', '.join(KILLABLE)}")
        if at != TABLE and name in ADDED:
            name = f"{at}/{ADDED[name]}"
        if supervisor is None or name not in supervisor.names or supervisor.pid(name) is None:
            raise SettingsError(f"{name} is down already")
        Timer(ANSWER_FIRST_S, supervisor.kill, (name,)).start()  # the page's question came through the engine
        return f"{name} is killed and started again"

    own_table = forward(f"http://127.0.0.1:{table_port}/")
    web_port, claim = claim_port(port)
    played = ("--speed", str(speed), "--pace", pace, "--wait-first", "--hurry", str(HURRY_S))
    spare = Scenery(folder, ruleset, fps=fps, overrides=overrides)
    spares = Spares(folder, spare, played, lambda: supervisor, forward)

    def ask_table(asked: Mapping[str, Any]) -> str | Mapping[str, Any]:
        return own_table(asked) if asked.get("table", TABLE) == TABLE else spares.act(asked)

    acts: dict[str, Act] = dict.fromkeys(("foul", "camera", "serial", "tiles"), ask_table)
    acts |= {"kill": kill, "table": spares.put_up, "found": spares.found}
    control = Control(acts)
    scenery = Scenery(folder, ruleset, fps=fps, web_port=web_port, players=PLAYERS, control=control.address)
    scenery = replace(scenery, overrides=overrides, tags=True)
    site = site_of(scenery)
    config = folder / "site.toml"
    require_free(site)
    (folder / TAGS).write_text(book(), encoding="utf-8")
    config.write_text(MARK + to_toml(site), encoding="utf-8")
    SharedClock(folder / "clock", create=True).set_ms(SystemClock().now_ms())
    key = demo_key(site)

    arguments = ["--config", str(config), "--table", TABLE, "--control", str(table_port)]
    arguments += ["--seed", str(seed), *played]
    arguments += ["--record", str(record.resolve())] if record else []
    arguments += ["--faults", str(faults.resolve())] if faults else []
    broker, engine, *sensors = site_children(site, config)
    hears = answers("127.0.0.1", table_port)
    table = Child(
        "table", process("table", *arguments), lambda: shows_itself(site) and hears(), once=record is not None
    )
    children = [broker, engine, table, *sensors]
    log = Log(console, tuple(child.name for child in children))
    supervisor = Supervisor(children, (lambda _name, _line: None) if quiet else log)
    with ended_by_signals(supervisor):
        try:
            supervisor.start()
            if not supervisor.stopping:
                console.print(
                    f"\nA game of {ruleset} is being played. Open {web_address(site)}enter#{key}  (Ctrl-C ends)\n",
                    style="bold",
                    soft_wrap=True,
                )
            watch(supervisor, site, config)
        finally:
            console.print("ending …", style="dim")
            supervisor.stop()
            control.close()
            claim.close()
            os.close(held)


def demo_key(site: Site) -> str:
    """A key that lets whoever started the demo do everything in it; it is gone with the demo's folder."""
    from table_engine.web.accounts import Accounts, access_path
    from table_engine.web.grants import Role

    accounts = Accounts(access_path(site.data))
    try:
        return accounts.make_token("demo", Role.ADMIN, hands=True, by="jantaku demo")
    finally:
        accounts.close()


def _ruleset(record: Path) -> tuple[str, dict[str, object]]:
    """The rule set of a record's first game, and what of it is otherwise there. Raises RecordError when there is none in it."""
    from jantaku.games import games

    for game in games(record):
        return game.record.ruleset, game.record.overrides
    raise RecordError(f"{record}: no hand of a game is in it; choose another --record")


def clean(folder: Path) -> int:
    """Empties the demo's folder and holds it: a descriptor, to be closed when the demo is over. Raises SettingsError when
    another demo runs there, something else is in it or it cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        held = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise _unwritable(folder, error) from error
    try:
        _empty(folder, held)
    except BaseException:
        os.close(held)
        raise
    return held


def _empty(folder: Path, held: int) -> None:
    import fcntl
    import shutil

    mark = folder / "site.toml"
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if any(folder.iterdir()) and not (mark.is_file() and mark.read_bytes().startswith(MARK.encode())):
            raise SettingsError(f"{folder}: holds something that is not of a demo; choose another --folder")
        mark.write_text(MARK, encoding="utf-8")  # it stays: cut short, this is a demo's folder still
        for old in folder.iterdir():
            if old.is_dir() and not old.is_symlink():
                shutil.rmtree(old)
            elif old != mark:
                old.unlink()
    except BlockingIOError as error:
        raise SettingsError(f"{folder}: another demo runs there; end it, or give this one its own --folder") from error
    except OSError as error:
        raise _unwritable(folder, error) from error


def _unwritable(folder: Path, error: OSError) -> SettingsError:
    return SettingsError(f"{folder}: cannot be written ({error.strerror}); choose another --folder")


def forward(address: str) -> Act:
    """An act that the virtual table's own control carries out."""

    def act(asked: Mapping[str, Any]) -> str:
        act = {key: value for key, value in asked.items() if key != "table"}
        ask = urllib.request.Request(address, data=json.dumps(act).encode())  # noqa: S310 (our own child)
        try:
            with urllib.request.urlopen(ask, timeout=30) as answer:  # noqa: S310
                return str(json.load(answer)["says"])
        except urllib.error.HTTPError as error:
            raise SettingsError(str(json.load(error)["error"])) from error
        except OSError as error:
            raise DeviceError(f"the virtual table does not answer just now ({error})") from error

    return act


def claim_port(port: int | None) -> tuple[int, socket.socket]:
    """The page's port: the wanted one, else the usual one, else a free one; and what holds it against other demos until it is
    closed, for the engine is long in coming. Raises SettingsError when another demo has the wanted one."""
    from jantaku.house import unbindable
    from jantaku.sites import free_port

    chosen = port or (free_port() if unbindable(HOST, WEB_PORT) else WEB_PORT)
    claim = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)  # UDP has its own ports, which nobody needs here
    try:
        claim.bind((HOST, chosen))
    except OSError as error:
        if error.errno == errno.EADDRINUSE:  # any other trouble is told when the engine's own port is looked at
            claim.close()
            if port:
                raise SettingsError(f"port {port} is another demo's; end that or choose another --port") from error
            return claim_port(free_port())
    return chosen, claim
