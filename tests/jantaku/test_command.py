"""The command as a person meets it: help everywhere, one clear sentence when something is wrong, never a traceback."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from jantaku import __main__, command
from jantaku.command import app

COMMANDS = sorted(typer.main.get_command(app).commands) + [g.name for g in app.registered_groups]


def _jantaku(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "jantaku", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str) -> None:
    result = CliRunner().invoke(app, [command, "--help"])
    assert result.exit_code == 0
    assert "Usage" in result.output


def test_the_commands_of_the_design_exist() -> None:
    assert {"demo", "run", "play", "read", "replay", "export", "doctor", "rules"} <= set(COMMANDS)
    assert {"broker", "bridge", "vision", "engine", "table"} <= set(COMMANDS)


@pytest.mark.parametrize("command", ["run", "doctor", "engine", "broker"])
def test_a_missing_site_file_is_one_sentence_and_exit_code_two(command: str, tmp_path: Path) -> None:
    run = _jantaku(command, "--config", "nowhere.toml", cwd=tmp_path)
    assert run.returncode == 2
    assert run.stderr.strip().splitlines()[-1] == "nowhere.toml: cannot be read (No such file or directory)"
    assert "Traceback" not in run.stderr


def test_an_unknown_key_is_named(tmp_path: Path) -> None:
    (tmp_path / "site.toml").write_text("[[tables]]\nid = 'one'\ncolour = 'green'\n")
    run = _jantaku("run", "--config", "site.toml", cwd=tmp_path)
    assert run.returncode == 2
    assert "site.toml: tables.0.colour" in run.stderr


def test_doctor_gives_json_as_its_last_line(tmp_path: Path) -> None:
    (tmp_path / "site.toml").write_text(
        "[[tables]]\nid = 'one'\n[[tables.bridges]]\nid = 'controller'\nport = '/dev/no-such-port'\n"
    )
    run = _jantaku("doctor", "--config", "site.toml", "--json", cwd=tmp_path)
    last = json.loads(run.stdout.splitlines()[-1])
    by_name = {f["what"]: f for f in last["findings"]}
    assert by_name["libraries"]["state"] == "ok", by_name["libraries"]
    port = by_name["port one/controller"]
    assert port["state"] == "broken"
    assert "/dev/no-such-port" in port["says"]
    assert "ports there now" in port["do"]
    assert by_name["broker"]["state"] == "ok", by_name["broker"]
    assert by_name["broker rights"]["state"] == "ok", by_name["broker rights"]
    assert run.returncode == 1
    assert last["broken"] >= 1


def test_doctor_without_a_site_looks_at_this_machine(tmp_path: Path) -> None:
    run = _jantaku("doctor", cwd=tmp_path)
    assert "Python" in run.stdout
    assert "disk" in run.stdout
    assert list(tmp_path.iterdir()) == [], "a look leaves nothing behind"


def test_a_file_nobody_thought_of_is_named_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full() -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "/data/x")

    monkeypatch.setattr(command, "app", full)
    with pytest.raises(SystemExit) as ended:
        command.main()
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("/data/x: No space left on device; check that")


def test_ctrl_c_while_everything_is_still_loading_ends_it_quietly(monkeypatch: pytest.MonkeyPatch) -> None:
    class Impatient:
        @staticmethod
        def find_spec(name: str, *_: object) -> None:
            if name == "jantaku.command":
                raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "jantaku.command")
    monkeypatch.delattr(sys.modules["jantaku"], "command")
    monkeypatch.setattr(sys, "meta_path", [Impatient, *sys.meta_path])
    with pytest.raises(SystemExit) as ended:
        __main__.main()
    assert ended.value.code == 130
