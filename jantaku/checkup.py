"""What `jantaku doctor` looks at: one function per thing that keeps venues busy, each giving findings in words.

A finding says what was looked at, how it is, and what to do about it. Nothing here changes anything that lasts; whatever
is started is ended again.
"""

from __future__ import annotations

import importlib
import re
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, packages_distributions, requires, version
from pathlib import Path
from typing import Literal

from jantaku.house import unbindable
from table_engine.wire.errors import CameraError, SettingsError
from table_engine.wire.settings import CameraSettings, Site

MIN_FREE_BYTES = 200_000_000
LOW_FREE_BYTES = 2_000_000_000
CAMERA_PATIENCE_S = 5.0
MIN_WIDTH_PX = 1280
DARK = 12.0
"""Mean brightness, 0..255, below which a picture is called black."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at. `do` is empty when nothing needs doing."""

    what: str
    state: Literal["ok", "warning", "broken"]
    says: str
    do: str = ""

    def plain(self) -> dict[str, str]:
        return asdict(self)


def interpreter() -> Iterator[Finding]:
    """Python's version and every library we need, really imported."""
    running = ".".join(map(str, sys.version_info[:3]))
    yield Finding("python", "ok", f"Python {running}")
    absent = []
    modules: dict[str, list[str]] = {}
    for module, distributions in packages_distributions().items():
        for distribution in distributions:
            modules.setdefault(_plain(distribution), []).append(module)
    for requirement in requires("jantaku") or ():
        if "extra ==" in requirement:
            continue
        name = re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0]
        try:
            version(name)
            for module in modules.get(_plain(name), ()):  # a program has none; the broker check runs it
                if not module.startswith("_"):
                    importlib.import_module(module)
        except PackageNotFoundError:
            absent.append(f"{name} is not installed")
        except ImportError as error:
            absent.append(f"{name} cannot be loaded ({error})")
    if absent:
        yield Finding("libraries", "broken", "; ".join(absent), "run `make run` or `pip install jantaku` again")
    else:
        yield Finding("libraries", "ok", "all libraries load")


def _plain(distribution: str) -> str:
    """A distribution's name as package indexes compare it."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


def rules(site: Site) -> Iterator[Finding]:
    """Whether every table's rule set and what is changed in it are understood, and its wins can be scored."""
    from table_engine.assignment import in_force
    from table_engine.rules import load_ruleset
    from table_engine.scoring import unavailable

    for said in site.tables:
        table = said
        try:
            table = in_force(said, site.data / "journal")
            missing = unavailable(load_ruleset(table.ruleset, table.overrides))
        except SettingsError as error:
            do = "correct `ruleset` or `overrides` of this table in the site file"
            yield Finding(f"rules {table.id}", "broken", str(error), do)
        else:
            if missing:
                do = "install a C++ compiler (apt install g++ python3-dev), then pip install 'jantaku[chinese]'"
                yield Finding(f"rules {table.id}", "warning", f"{table.ruleset}: {missing}", do)
            else:
                yield Finding(f"rules {table.id}", "ok", table.ruleset)


def disk(site: Site) -> Iterator[Finding]:
    """Room and rights where journals, outboxes and the broker's store go."""
    folder = site.data
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    probe = folder / ".jantaku-doctor"
    try:
        probe.write_bytes(b"x")
        probe.unlink()
    except OSError as error:
        yield Finding("disk", "broken", f"{folder} cannot be written ({error.strerror})", "make the folder writable")
        return
    free = shutil.disk_usage(folder).free
    says = f"{free / 1e9:.1f} GB free at {folder}"
    if free < MIN_FREE_BYTES:
        yield Finding("disk", "broken", says, "free some space now: the journal stops when the disk is full")
    elif free < LOW_FREE_BYTES:
        yield Finding("disk", "warning", says, "free some space before the next session")
    else:
        yield Finding("disk", "ok", says)


def clock(site: Site) -> Iterator[Finding]:
    """A clock that stands, jumps or went backwards since the journal was written makes every time limit wrong."""
    if site.clock is not None:
        yield Finding("clock", "ok", f"simulated, from {site.clock}")
        return
    wall, steady = time.time(), time.monotonic()
    time.sleep(0.2)
    drift_ms = abs((time.time() - wall) - (time.monotonic() - steady)) * 1000
    newest = max((p.stat().st_mtime for p in _files(site.data)), default=0.0)
    if drift_ms > 50:
        yield Finding("clock", "broken", f"jumped by {drift_ms:.0f} ms in 0.2 s", "let one service set the time (NTP)")
    elif newest > time.time() + 5:
        behind = newest - time.time()
        yield Finding(
            "clock",
            "broken",
            f"runs {behind:.0f} s behind the newest file in {site.data}",
            "set the clock (NTP) before the next hand: events would seem older than those journalled",
        )
    else:
        yield Finding("clock", "ok", time.strftime("%Y-%m-%d %H:%M:%S %Z"))


def web(site: Site) -> Iterator[Finding]:
    """Whether the pages' address is free, or taken (by a running Jantaku or something else)."""
    yield _address("web", site.web.host, site.web.port, "web.port")


def serial_ports(site: Site) -> Iterator[Finding]:
    """Every bridge's port: there, ours to open, nobody else's."""
    import serial

    from firmware_bridge.port import is_held, opening

    for table in site.tables:
        for bridge in table.bridges:
            what = f"port {table.id}/{bridge.id}"
            try:
                port = serial.serial_for_url(bridge.port, bridge.baud, timeout=0.2, do_not_open=True)
                if hasattr(port, "exclusive"):
                    port.exclusive = True
                port.open()
                port.close()
            except (serial.SerialException, OSError, ValueError) as error:
                says = str(opening(bridge.port, error))
                if is_held(error):
                    yield Finding(what, "warning", says, "fine if Jantaku runs already")
                else:
                    yield Finding(what, "broken", says, _other_ports())
            else:
                yield Finding(what, "ok", f"{bridge.port} opens")


def _other_ports() -> str:
    from serial.tools.list_ports import comports

    return f"ports there now: {', '.join(sorted(p.device for p in comports())) or 'none'}"


def cameras(site: Site) -> Iterator[Finding]:
    """One picture from every camera, its size and how dark it is; and what it does not do that its settings ask for."""
    from table_engine.wire.clock import SystemClock
    from vision.camera import open_source, wait_frame
    from vision.http_stream import bare

    for table in site.tables:
        for camera in table.cameras:
            what = f"camera {table.id}/{camera.id}"
            try:
                source = open_source(camera, SystemClock())
            except CameraError as error:
                yield Finding(what, "broken", str(error), "check `source` in the site file and the camera's cable")
                continue
            try:
                image = wait_frame(source, CAMERA_PATIENCE_S).image
            except (CameraError, EOFError) as error:
                yield Finding(
                    what, "broken", f"{bare(camera.source)} opens but gives no picture ({error})", "restart the camera"
                )
                continue
            finally:
                source.close()
            yield _picture(what, camera, image.shape[1], image.shape[0], float(image.mean()))
            for note in source.notes:
                says, _, remedy = note.rpartition("; ")
                yield Finding(what, "warning", says, remedy)


def _picture(what: str, camera: CameraSettings, width: int, height: int, brightness: float) -> Finding:
    from vision.http_stream import bare

    says = f"{bare(camera.source)} gives {width}x{height}"
    if width < MIN_WIDTH_PX:
        return Finding(
            what, "warning", says, "set the camera to 1920x1080 or more: faces of tiles get too small to read"
        )
    if brightness < DARK:
        return Finding(what, "warning", f"{says}, nearly black", "take the cover off the lens or switch the light on")
    return Finding(what, "ok", says)


def _address(what: str, host: str, port: int, key: str) -> Finding:
    if why := unbindable(host, port):
        return Finding(
            what,
            "warning",
            f"{host}:{port} cannot be used ({why})",
            f"fine if Jantaku runs already; else end what listens there or set {key}",
        )
    return Finding(what, "ok", f"{host}:{port} is free")


def _files(folder: Path) -> Iterator[Path]:
    return (p for p in folder.rglob("*") if p.is_file()) if folder.is_dir() else iter(())
