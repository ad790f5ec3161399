"""The demo as a visitor has it: one command, a page, a panel that breaks things, and nothing left when it ends."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from jantaku.commands.demo import MARK, claim_port, clean
from jantaku.commands.demo import demo as command
from jantaku.sites import free_port
from table_engine.wire.errors import RecordError, SettingsError


class Demo:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder.with_suffix(".log")
        port = free_port()
        self.address = f"http://127.0.0.1:{port}/"
        command = (
            sys.executable,
            "-m",
            "jantaku",
            "demo",
            "--port",
            str(port),
            "--folder",
            str(folder),
            "--speed",
            "4",
        )
        with self.log.open("wb") as out:
            self.process = subprocess.Popen(
                [*command, "--pace", "brisk"], stdout=out, stderr=out, stdin=subprocess.DEVNULL
            )

    def get(self, path: str) -> dict:
        with urllib.request.urlopen(self.address + path, timeout=10) as answer:
            return json.load(answer)

    def act(self, **body: object) -> dict:
        (key,) = re.findall(r"enter#(\S+)", self.words())
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        ask = urllib.request.Request(self.address + "api/demo", data=json.dumps(body).encode(), headers=headers)
        try:
            with urllib.request.urlopen(ask, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            return json.load(error)

    def words(self) -> str:
        return self.log.read_text(errors="replace")

    def until(self, true: Callable[[], bool], seconds: float = 60) -> bool:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            assert self.process.poll() is None, self.words()
            try:
                if true():
                    return True
            except (OSError, ValueError):
                pass
            time.sleep(0.1)
        return False

    def pids(self) -> list[str]:
        """Everything that runs in the demo's folder, besides the demo itself."""
        found = []
        for process in Path("/proc").iterdir():
            if process.name.isdigit() and process.name != str(self.process.pid):
                try:
                    line = (process / "cmdline").read_bytes().decode(errors="replace")
                except OSError:
                    continue
                if str(self.folder) in line:
                    found.append(line.replace("\0", " "))
        return found


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[Demo]:
    one = Demo(tmp_path / "demo")
    yield one
    if one.process.poll() is None:
        one.process.kill()
    one.process.wait()


def test_a_visit(demo: Demo) -> None:
    assert demo.until(lambda: demo.get("api/site")["demo"]), demo.words()
    assert [table["id"] for table in demo.get("api/tables")["tables"]] == ["table-1"]
    assert demo.until(lambda: f"Open {demo.address}enter#" in demo.words())
    with urllib.request.urlopen(demo.address, timeout=10) as page:
        assert b"<html" in page.read()
    seats = demo.get("api/tables/table-1")["view"]["seats"]
    assert [seat["name"] for seat in seats] == ["Aki", "Ben", "Chie", "Dan"]

    assert demo.act(act="foul", foul="too_many").get("says", "").endswith("as soon as it can")
    assert demo.act(act="serial", fault="unplug", seconds=2) == {"says": "the cable is unplugged for 2 s"}
    assert demo.act(act="camera", fault="cover", seconds=2) == {"says": "the camera is covered for 2 s"}
    assert demo.act(act="foul", foul="shout")["error"].startswith("no such foul")
    assert "no process 'table'" in demo.act(act="kill", process="table")["error"]

    for name in ("bridge", "broker", "engine"):
        assert demo.act(act="kill", process=name) == {"says": f"{name} is killed and started again"}
        assert demo.until(lambda n=name: f"{n} │ ended (killed by SIGKILL)" in demo.words())
        assert demo.until(lambda: demo.get("api/site")["demo"]), "the page came back"

    demo.process.send_signal(signal.SIGINT)
    assert demo.process.wait(60) == 0, demo.words()
    assert demo.pids() == []
    assert "Traceback" not in demo.words()


def test_a_demo_killed_outright_takes_everything_with_it(demo: Demo) -> None:
    assert demo.until(lambda: demo.get("api/site")["demo"])
    assert demo.until(lambda: len(demo.pids()) >= 4)
    demo.process.kill()
    demo.process.wait()
    end = time.monotonic() + 30
    while demo.pids() and time.monotonic() < end:
        time.sleep(0.1)
    assert demo.pids() == []


def test_the_folder_is_emptied_only_if_it_is_a_demos(tmp_path: Path) -> None:
    mine, other = tmp_path / "mine", tmp_path / "other"
    os.close(clean(mine))
    (mine / "data").mkdir()
    (mine / "data" / "old").touch()
    os.close(clean(mine))
    assert [p.name for p in mine.iterdir()] == ["site.toml"]
    assert (mine / "site.toml").read_text() == MARK
    other.mkdir()
    (other / "thesis.txt").touch()
    with pytest.raises(SettingsError, match="holds something that is not of a demo"):
        clean(other)
    assert (other / "thesis.txt").exists()


def test_the_folder_of_a_running_demo_is_left_alone(tmp_path: Path) -> None:
    held = clean(tmp_path / "demo")
    (tmp_path / "demo" / "journal").touch()
    with pytest.raises(SettingsError, match="demo: another demo runs there; end it, or give this one its own --folder"):
        clean(tmp_path / "demo")
    assert (tmp_path / "demo" / "journal").exists()
    os.close(held)
    os.close(clean(tmp_path / "demo"))
    assert not (tmp_path / "demo" / "journal").exists()


def test_demos_that_start_at_once_take_different_ports() -> None:
    first, claim = claim_port(None)
    second, other = claim_port(None)
    try:
        assert first != second
        with pytest.raises(SettingsError, match=f"port {first} is another demo's"):
            claim_port(first)
    finally:
        claim.close()
        other.close()
    again, claim = claim_port(second)
    claim.close()
    assert again == second


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SettingsError, match="file/demo: cannot be written"):
        clean(tmp_path / "file" / "demo")


def test_a_record_without_a_hand_is_named(tmp_path: Path) -> None:
    (tmp_path / "game.mjlog").write_text("<mjloggm ver='2.3'></mjloggm>")
    with pytest.raises(RecordError, match=r"game\.mjlog"):
        command(record=tmp_path / "game.mjlog", folder=tmp_path / "demo")
    assert not (tmp_path / "demo").exists()


def test_unknown_rules_are_said_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no rule set 'bridge'"):
        command(rules="bridge", folder=tmp_path / "demo")
    assert not (tmp_path / "demo").exists()
