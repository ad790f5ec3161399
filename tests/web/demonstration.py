"""The real `jantaku demo` for browser tests: its processes, and a browser that visits it."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext

PATIENCE_MS = 180_000


@dataclass(frozen=True)
class Demo:
    folder: Path
    address: str
    link: str


@contextmanager
def demonstrated(place: Path, *arguments: str, ends_s: float) -> Iterator[Demo]:
    """A demo with brisk players that has said where to enter; afterwards it ends by itself, in time and without an error."""
    with socket.create_server(("127.0.0.1", 0)) as one:
        port = one.getsockname()[1]
    log, folder = place / "demo.log", place / "demo"
    command = (sys.executable, "-m", "jantaku", "demo", "--port", str(port), "--folder", str(folder), *arguments)
    with log.open("wb") as out:
        process = subprocess.Popen([*command, "--pace", "brisk"], stdout=out, stderr=out, stdin=subprocess.DEVNULL)
    try:
        link = ""
        while not link:
            assert process.poll() is None, log.read_text()
            link = next(iter(re.findall(r"Open (\S+enter#\S+)", log.read_text())), "")
        yield Demo(folder, f"http://127.0.0.1:{port}", link)
        process.send_signal(signal.SIGINT)
        assert process.wait(ends_s) == 0, log.read_text()
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


@contextmanager
def visited(browser: Browser) -> Iterator[BrowserContext]:
    """A patient visitor; no page may have thrown anything."""
    context = browser.new_context(locale="en", viewport={"width": 1400, "height": 900})
    context.set_default_timeout(PATIENCE_MS)
    wrong: list[str] = []
    context.on("weberror", lambda error: wrong.append(str(error.error)))
    try:
        yield context
    finally:
        context.close()
    assert wrong == []
