"""`jantaku run` with an ordinary site file: everything starts, serves, and ends without a trace."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from jantaku.scenery import Scenery, site_of
from jantaku.sites import write_site
from table_engine.wire.clock import SharedClock
from table_engine.wire.settings import Site


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """A site whose table is on: its cable and camera belong to a process of their own."""
    made = site_of(Scenery(tmp_path, "chinese_official", width=1280, height=720))
    write_site(made, tmp_path / "site.toml")
    SharedClock(tmp_path / "clock", create=True).set_ms(1_800_000_000_000)
    return made


def _start(folder: Path, *arguments: str) -> subprocess.Popen[bytes]:
    with (folder / f"{arguments[0]}.log").open("wb") as out:
        command = (sys.executable, "-m", "jantaku", *arguments, "--config", str(folder / "site.toml"))
        return subprocess.Popen(command, stdout=out, stderr=out, stdin=subprocess.DEVNULL)


def test_a_site_is_watched_until_it_is_told_to_end(site: Site, tmp_path: Path) -> None:
    table = _start(tmp_path, "table", "--table", "table-1", "--pace", "brisk", "--wait-first", "--hurry", "600")
    run = _start(tmp_path, "run")
    try:
        address = f"http://127.0.0.1:{site.web.port}/api/tables/table-1"
        view, end = None, time.monotonic() + 120
        while (view is None or view["phase"] != "playing" or view["turns"] < 4) and time.monotonic() < end:
            assert run.poll() is None, (tmp_path / "run.log").read_text()
            time.sleep(0.3)
            try:
                with urllib.request.urlopen(address, timeout=5) as answer:
                    view = json.load(answer).get("view")
            except OSError:
                continue
        words = (tmp_path / "run.log").read_text()
        assert view is not None, words
        assert (view["phase"], view["turns"] >= 4) == ("playing", True), words
        assert f"Open http://127.0.0.1:{site.web.port}/" in words
        run.send_signal(signal.SIGTERM)
        assert run.wait(60) == 0
    finally:
        for process in (run, table):
            process.kill()
            process.wait()
    left = [p for p in Path("/proc").glob("[0-9]*/cmdline") if _of(p, tmp_path)]
    assert left == []


def test_a_taken_port_ends_it_before_anything_starts(site: Site, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", site.web.port)):
        run = _start(tmp_path, "run")
        assert run.wait(60) == 2
    words = (tmp_path / "run.log").read_text()
    assert f"127.0.0.1:{site.web.port} cannot be listened on" in words
    assert "web.port" in words
    assert not site.broker.store.exists()


@pytest.mark.usefixtures("site")
def test_an_unknown_rule_set_is_the_engines_own_sentence(tmp_path: Path) -> None:
    path = tmp_path / "site.toml"
    path.write_text(path.read_text().replace("chinese_official", "bridge"))
    run = _start(tmp_path, "run")
    assert run.wait(120) == 2
    words = (tmp_path / "run.log").read_text()
    assert "no rule set 'bridge'; there are taiwan16, riichi, chinese_official, world_series" in words
    assert "Traceback" not in words


def _of(cmdline: Path, folder: Path) -> bool:
    try:
        return str(folder) in cmdline.read_bytes().decode(errors="replace")
    except OSError:
        return False
