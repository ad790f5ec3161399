"""A site's processes: which there are, in which order they start, and keeping them until told to end."""

from __future__ import annotations

import contextlib
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

from rich.console import Console
from rich.text import Text

from jantaku.supervisor import Child, Supervisor
from table_engine.wire.access import ENGINE_ROLE, door
from table_engine.wire.errors import BrokerError, SettingsError
from table_engine.wire.greeting import greet
from table_engine.wire.kept import kept_path
from table_engine.wire.settings import Site, TableSettings, load_site

COLOURS = ("cyan", "green", "magenta", "blue", "yellow", "bright_cyan", "bright_green", "bright_magenta")


def process(name: str, *arguments: str) -> tuple[str, ...]:
    """The command line of one of our own processes."""
    return (sys.executable, "-m", "jantaku", name, *arguments)


def answers(host: str, port: int) -> Callable[[], bool]:
    """A readiness check: somebody accepts connections there."""

    def check() -> bool:
        try:
            socket.create_connection((host, port), timeout=0.5).close()
        except OSError:
            return False
        return True

    return check


def lets_in(site: Site) -> bool:
    """Whether the site's own broker runs and knows us."""
    try:
        return greet(door(site, ENGINE_ROLE), timeout_s=1.0) is None
    except BrokerError:
        return False


def unbindable(host: str, port: int) -> str:
    """Why we could not listen there; empty when we could."""
    try:
        socket.create_server((host, port)).close()
    except OSError as error:
        return (error.strerror or str(error)).partition(" (while")[0]  # Python adds the address
    return ""


def require_free(site: Site) -> None:
    """Raises SettingsError when an address this site is to listen on is taken, perhaps by another Jantaku, or none."""
    wanted = [("web", site.web.host, site.web.port)]
    if site.broker.mode == "embedded":
        wanted.append(("broker", site.broker.host, site.broker.port))
    for key, host, port in wanted:
        if port == 0:
            raise SettingsError(f"{key}.port 0: people could not know where to look; choose a port")
        if why := unbindable(host, port):
            raise SettingsError(
                f"{host}:{port} cannot be listened on ({why}): "
                f"end what listens there (another Jantaku?) or set {key}.host and {key}.port"
            )
    if site.broker.mode == "embedded" and site.web.port == site.broker.port:
        raise SettingsError(f"web.port and broker.port are both {site.web.port}: choose another for one of them")


def require_rules(site: Site, config: Path) -> None:
    """Raises SettingsError naming file and table when a table is to be played by rules that are not known."""
    from table_engine.rules import load_ruleset

    for table in site.tables:
        try:
            load_ruleset(table.ruleset, table.overrides)
        except SettingsError as error:
            raise SettingsError(f"{config}: table {table.id}: {error}") from error


def site_children(site: Site, config: Path) -> list[Child]:
    """Broker (when it is ours), the engine with the pages, then every bridge and camera."""
    where = ("--config", str(config))
    children = []
    if site.broker.mode == "embedded":
        children.append(Child("broker", process("broker", *where), lambda: lets_in(site)))
    children.append(Child("engine", process("engine", *where), answers(site.web.host, site.web.port)))
    for table in site.tables:
        children += sensors(table, config, f"{table.id}/" if len(site.tables) > 1 else "")
    return children


def sensors(table: TableSettings, config: Path, prefix: str) -> list[Child]:
    """Every bridge and camera of a table, under names that begin with `prefix`."""
    where = ("--config", str(config), "--table", table.id, "--id")
    return [
        *(Child(f"{prefix}{b.id}", process("bridge", *where, b.id)) for b in table.bridges),
        *(Child(f"{prefix}{c.id}", process("vision", *where, c.id)) for c in table.cameras),
    ]


def web_address(site: Site) -> str:
    """Where a browser finds the pages."""
    host = "127.0.0.1" if site.web.host in ("0.0.0.0", "::") else site.web.host  # noqa: S104 (comparing, not binding)
    return f"{'https' if site.web.certificate else 'http'}://{host}:{site.web.port}/"


def watch(supervisor: Supervisor, site: Site, config: Path) -> None:
    """Keeps a site's processes alive until told to end, and follows what tables people add and take away on the set-up
    page: broker and engine begin anew with them, which games in progress outlive, and their sensors come and go."""
    now = site
    changed = changes(kept_path(site.data))
    while not supervisor.stopping:
        supervisor.watch(changed)
        if supervisor.stopping:
            return
        try:
            wanted = load_site(config)
        except SettingsError as error:
            supervisor.say("site", str(error))
            continue
        before, after = ({table.id: table for table in one.tables} for one in (now, wanted))
        if before.keys() != after.keys():
            for gone in before.keys() - after.keys():
                for child in sensors(before[gone], config, f"{gone}/"):
                    supervisor.remove(child.name)
            for name in ("broker", "engine"):
                if name in supervisor.names:
                    supervisor.restart(name)
            for came in [after[name] for name in after if name not in before]:
                for child in sensors(came, config, f"{came.id}/"):
                    supervisor.add(child)
        now = wanted


def changes(path: Path) -> Callable[[], bool]:
    """A question: was the file written since this was asked last?"""

    def stamp() -> int:
        return path.stat().st_mtime_ns if path.exists() else 0

    last = stamp()

    def changed() -> bool:
        nonlocal last
        before, last = last, stamp()
        return last != before

    return changed


class Log:
    """Prints what children say, each line behind its process's name in its own colour. Called from several threads."""

    def __init__(self, console: Console, names: tuple[str, ...]) -> None:
        self._console = console
        self._lock = threading.Lock()
        self._width = max((len(name) for name in names), default=0)
        self._colours = {name: COLOURS[n % len(COLOURS)] for n, name in enumerate(names)}

    def __call__(self, name: str, line: str) -> None:
        text = Text(f"{name:>{self._width}} │ ", style=self._colours.get(name, "white"))
        with self._lock:
            self._console.print(text + Text.from_ansi(line), soft_wrap=True, highlight=False)


@contextlib.contextmanager
def ended_by_signals(supervisor: Supervisor) -> Iterator[None]:
    """While inside, Ctrl-C and SIGTERM make `watch` return instead of breaking off; a second Ctrl-C changes nothing."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        supervisor.stop_soon()

    before = {s: signal.signal(s, stop) for s in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def keep(site: Site, config: Path, console: Console, announce: str) -> None:
    """Starts a site's processes, says `announce` once all are ready, keeps them alive until a signal, ends them in reverse
    order. Tables that people add meanwhile come along."""
    children = site_children(site, config)
    supervisor = Supervisor(children, Log(console, tuple(child.name for child in children)))
    with ended_by_signals(supervisor):
        try:
            supervisor.start()
            if not supervisor.stopping:
                console.print(announce, style="bold", highlight=False)
            watch(supervisor, site, config)
        finally:
            console.print("ending …", style="dim")
            supervisor.stop()
