"""A recorded game through everything: a virtual table's bytes and pictures, the real broker, bridge, vision and engine."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from jantaku.fast import opening
from jantaku.faults import KillEvent, load_faults
from jantaku.games import Game
from jantaku.hands import raised
from jantaku.house import process, site_children
from jantaku.played import Played, played
from jantaku.scenery import SENSORS, TABLE, Scenery, Sensor, shows_itself, site_of
from jantaku.sites import write_site
from jantaku.supervisor import Child, Supervisor
from table_engine.journal import Journal
from table_engine.replay import replay
from table_engine.service import journal_path
from table_engine.wire.clock import SharedClock, clock_of
from table_engine.wire.errors import RecordError, SettingsError
from table_engine.wire.settings import Site

START_MS = 1_767_225_600_000
"""Simulated time begins here: 2026-01-01."""
QUIET_S = 1.5
"""The game is through when the journal has not grown for so long after the table was switched off, and nothing waits."""
UNSAID_S = 60.0
"""What still waits in an outbox is waited for so long at most."""
_LOOK_S = 0.5


@dataclass(frozen=True, slots=True)
class Live:
    """How to play. `speed` 0: as fast as sensors and engine follow. `folder`: where journal, outboxes and site file stay."""

    ruleset: str
    sensors: tuple[Sensor, ...] = SENSORS
    faults: Path | None = None
    seed: int = 1
    speed: float = 0.0
    pace: str = "brisk"
    fps: float = 6.0
    width: int = 1920
    height: int = 1080
    stay: bool = False
    folder: Path | None = None
    overrides: Mapping[str, object] = field(default_factory=dict)


Progress = Callable[[int], None]
"""Told the number of the hand that is being played, from 1, whenever it may have changed."""


def play_live(game: Game, live: Live, say: Callable[[str, str], None], progress: Progress) -> Played:
    """Plays one game. Raises RecordError when the table cannot play it, SettingsError when a process refuses its settings."""
    with _folder(live.folder) as folder:
        began = time.perf_counter()
        site, config = set_up(folder, live)
        _open(site, game, live)
        supervisor = Supervisor(children_of(site, config, game, live), say)
        try:
            supervisor.start()
            supervisor.watch(until=_look(supervisor, site, live, progress))
            if code := supervisor.ended("table"):
                raise RecordError(
                    f"{game.record.source}: the virtual table ended with {code}: {supervisor.words('table')}"
                )
            _settle(site, supervisor)
        finally:
            supervisor.stop()
        done = replay(journal_path(site, TABLE))
        seconds = time.perf_counter() - began
    blind = "camera" not in live.sensors
    return played(game.record, live.ruleset, done.actions, raised(done.changes), seconds, blind=blind)


@contextlib.contextmanager
def _folder(kept: Path | None) -> Iterator[Path]:
    if kept is not None:
        try:
            kept.mkdir(parents=True, exist_ok=True)
            old = next(kept.iterdir(), None)
        except OSError as error:
            raise SettingsError(f"{kept}: cannot be written ({error.strerror}); choose another --keep") from error
        if old is not None:
            raise SettingsError(f"{kept}: holds a game already, which another would be added to; choose another --keep")
        yield kept.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="jantaku-play-") as folder:
        yield Path(folder)


def set_up(folder: Path, live: Live) -> tuple[Site, Path]:
    """The site of a game in a folder of its own, its file, and its clock. Raises SettingsError for an unknown rule set."""
    site = site_of(
        Scenery(
            folder,
            live.ruleset,
            width=live.width,
            height=live.height,
            fps=live.fps,
            sensors=live.sensors,
            overrides=live.overrides,
        )
    )
    SharedClock(folder / "clock", create=True).set_ms(START_MS)
    return site, write_site(site, folder / "site.toml")


def _open(site: Site, game: Game, live: Live) -> None:
    """Puts into the table's journal what a referee says before a game that was begun elsewhere: the engine finds it there."""
    acts = [act.model_copy(update={"at_ms": START_MS}) for act in opening(game.record)]
    if acts:
        with Journal(journal_path(site, TABLE), TABLE, live.ruleset, live.overrides) as journal:
            journal.append(acts)


def children_of(site: Site, config: Path, game: Game, live: Live) -> list[Child]:
    """Everything of an ordinary site, and the table, which the sensors find when they start."""
    arguments = ["--config", str(config), "--table", TABLE, "--patient", "--speed", str(live.speed)]
    arguments += [] if game.own else ["--record", str(game.path.resolve()), "--game", str(game.index)]
    arguments += ["--hands", str(len(game.record.hands))]
    arguments += ["--seed", str(live.seed), "--pace", live.pace]
    arguments += ["--stay"] if live.stay else []
    if live.faults:
        arguments += ["--faults", str(live.faults.resolve())]
    table = Child("table", process("table", *arguments), lambda: shows_itself(site), once=True)
    broker, engine, *sensors = site_children(site, config)
    return [broker, engine, table, *sensors]


def _look(supervisor: Supervisor, site: Site, live: Live, progress: Progress) -> Callable[[], bool]:
    """A look, ten times a second, at how far the game is and who is to be killed now; true when the table is done."""
    address = f"http://{site.web.host}:{site.web.port}/api/tables/{TABLE}"
    clock = clock_of(site.clock)
    events = load_faults(live.faults).event if live.faults else ()
    kills = sorted((e for e in events if isinstance(e, KillEvent)), key=lambda e: e.at_s)
    last_s = 0.0

    def look() -> bool:
        nonlocal last_s
        if kills and clock.now_ms() >= START_MS + kills[0].at_s * 1000 and supervisor.kill(kills[0].process):
            kills.pop(0)
        if time.monotonic() - last_s > _LOOK_S:
            last_s = time.monotonic()
            progress(_hand(address))
        return supervisor.ended("table") is not None

    return look


def _hand(address: str) -> int:
    """The number of the hand the engine is at; 0 while it does not say (it may be restarting)."""
    try:
        with urllib.request.urlopen(address, timeout=1) as answer:  # noqa: S310 (our own engine)
            view = json.load(answer).get("view")
    except (OSError, ValueError):
        return 0
    return int(view["hand"]) if view else 0


def _settle(site: Site, supervisor: Supervisor) -> None:
    """Waits until what the sensors still had to say has been journalled, while whoever was killed is started again."""
    last, since_s, began_s = -1, time.monotonic(), time.monotonic()
    journal, outboxes = journal_path(site, TABLE), site.data / "outbox"
    waiting = threading.Event()
    while time.monotonic() - since_s < QUIET_S and not supervisor.stopping:
        count = _rows(journal, "event")
        unsaid = any(_rows(path, "message") for path in outboxes.glob("*.sqlite3"))
        if count != last or (unsaid and time.monotonic() - began_s < UNSAID_S):
            last, since_s = count, time.monotonic()
        waiting.wait(0.1)
        supervisor.tend()


def _rows(path: Path, table: str) -> int:
    """How many rows a database of a running process holds; -1 when it cannot be looked at now."""
    try:
        with contextlib.closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as db:
            return int(db.execute(f"select count(*) from {table}").fetchone()[0])  # noqa: S608 (our own two names)
    except sqlite3.Error:
        return -1
