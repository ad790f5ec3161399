"""The supervisor keeps real child processes alive and never leaves one behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from jantaku.supervisor import Child, Supervisor
from table_engine.wire.errors import SettingsError

FOREVER = "import signal, time\nprint('up', flush=True)\nwhile True: time.sleep(0.05)"
STUBBORN = "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('up', flush=True)\nwhile True: time.sleep(0.05)"


def _child(name: str, code: str, **more: object) -> Child:
    return Child(name, (sys.executable, "-c", code), **more)


def _within(seconds: float, true: Callable[[], bool], tend: Callable[[], None] = lambda: None) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        tend()
        if true():
            return True
        time.sleep(0.02)
    return False


def _gone(pid: int) -> bool:
    """True when no such process runs (a zombie runs no more)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


class Ear:
    def __init__(self) -> None:
        self.heard: list[tuple[str, str]] = []

    def __call__(self, name: str, line: str) -> None:
        self.heard.append((name, line))


@pytest.fixture
def made() -> Iterator[Callable[..., Supervisor]]:
    all_made: list[Supervisor] = []

    def make(*children: Child, say: Callable[[str, str], None] = lambda *_: None, **more: object) -> Supervisor:
        supervisor = Supervisor(children, say, **{"pauses_s": (0.05,), **more})
        all_made.append(supervisor)
        return supervisor

    yield make
    for supervisor in all_made:
        supervisor.stop()


def test_words_are_passed_on_with_the_name_in_front(made) -> None:
    ear = Ear()
    made(_child("a", "import sys; print('to stdout'); print('to stderr', file=sys.stderr)"), say=ear).start()
    assert _within(10, lambda: {("a", "to stdout"), ("a", "to stderr")} <= set(ear.heard))


def test_each_child_is_started_once_the_one_before_is_ready(made, tmp_path: Path) -> None:
    flag = tmp_path / "ready"
    first = _child(
        "first",
        f"import time, pathlib; time.sleep(0.3); pathlib.Path({str(flag)!r}).touch(); time.sleep(60)",
        ready=flag.exists,
    )
    second = _child(
        "second", f"import pathlib; print('saw', pathlib.Path({str(flag)!r}).exists(), flush=True)\n{FOREVER}"
    )
    ear = Ear()
    made(first, second, say=ear).start()
    assert _within(10, lambda: ("second", "saw True") in ear.heard)


def test_a_killed_child_is_started_again(made) -> None:
    ear = Ear()
    supervisor = made(_child("a", FOREVER), say=ear)
    supervisor.start()
    before = supervisor.pid("a")
    assert _within(10, lambda: ("a", "up") in ear.heard)
    assert supervisor.kill("a")
    assert _within(10, lambda: supervisor.pid("a") not in (None, before), supervisor.tend)
    assert supervisor.starts("a") == 2
    assert any("killed by SIGKILL" in line for _, line in ear.heard)


def test_the_pause_grows_while_a_child_keeps_ending(made) -> None:
    ear = Ear()
    supervisor = made(_child("a", "raise SystemExit(3)"), say=ear, pauses_s=(0.01, 0.02, 0.03))
    supervisor.start()
    assert _within(20, lambda: supervisor.starts("a") >= 5, supervisor.tend)
    pauses = [line for _, line in ear.heard if "starting again" in line]
    assert [p.rsplit("in ", 1)[1] for p in pauses[:4]] == ["0.01 s", "0.02 s", "0.03 s", "0.03 s"]
    assert "exit code 3" in pauses[0]


def test_a_child_that_refuses_its_settings_ends_the_start_with_its_words(made) -> None:
    first = _child("first", FOREVER)
    second = _child("second", "print('port 9 is taken; free it'); raise SystemExit(2)", ready=lambda: False)
    supervisor = made(first, second)
    with pytest.raises(SettingsError, match="port 9 is taken; free it"):
        supervisor.start()
    assert supervisor.pid("first") is None


def test_a_child_that_is_never_ready_is_named_with_its_last_words(made) -> None:
    slow = _child("slow", FOREVER, ready=lambda: False, ready_within_s=1.0)
    with pytest.raises(SettingsError, match=r"slow was not ready after 1 s; its last words: up"):
        made(slow).start()


def test_children_end_in_reverse_order_and_the_deaf_one_is_killed(made) -> None:
    say_bye = (
        "import signal, sys, time\n"
        "signal.signal(signal.SIGTERM, lambda *_: (print('bye', flush=True), sys.exit(0)))\n" + FOREVER
    )
    ear = Ear()
    supervisor = made(_child("a", say_bye), _child("b", say_bye), _child("deaf", STUBBORN), say=ear, patience_s=0.5)
    supervisor.start()
    assert _within(10, lambda: sum(line == "up" for _, line in ear.heard) == 3)
    supervisor.stop()
    ends = [(name, line) for name, line in ear.heard if line == "bye" or "was killed" in line]
    assert [name for name, _ in ends] == ["deaf", "b", "a"]
    assert all(supervisor.pid(name) is None for name in supervisor.names)


def test_a_child_asked_to_end_stays_down(made) -> None:
    supervisor = made(_child("a", FOREVER), _child("b", FOREVER))
    supervisor.start()
    assert supervisor.end("a") is not None
    supervisor.tend()
    assert supervisor.pid("a") is None
    assert supervisor.pid("b") is not None
    assert supervisor.end("a") is None


def test_a_child_that_runs_once_is_not_started_again(made) -> None:
    supervisor = made(_child("a", "print('done'); raise SystemExit(5)", once=True), _child("b", FOREVER))
    supervisor.start()
    assert _within(10, lambda: supervisor.ended("a") is not None, supervisor.tend)
    supervisor.tend()
    assert (supervisor.ended("a"), supervisor.words("a"), supervisor.starts("a")) == (5, "done", 1)
    assert supervisor.ended("b") is None


def test_children_end_when_the_supervisor_is_killed_outright(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    child = (
        "import os, pathlib, time\nfrom jantaku import lifeline\nlifeline.hold()\n"
        f"pathlib.Path({str(pid_file)!r}).write_text(str(os.getpid()))\nwhile True: time.sleep(0.05)"
    )
    parent = textwrap.dedent(f"""
        import sys
        from jantaku.supervisor import Child, Supervisor
        supervisor = Supervisor([Child("a", (sys.executable, "-c", {child!r}))], print)
        supervisor.start()
        supervisor.watch()
    """)
    process = subprocess.Popen([sys.executable, "-c", parent])
    try:
        assert _within(20, lambda: pid_file.exists() and pid_file.read_text() != "")
        pid = int(pid_file.read_text())
        assert not _gone(pid)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert _within(10, lambda: _gone(pid)), "the child outlived its supervisor"


def test_a_process_started_by_hand_has_no_lifeline() -> None:
    code = "from jantaku import lifeline; print(lifeline.hold())"
    environment = {k: v for k, v in os.environ.items() if k != "JANTAKU_SUPERVISED"}
    run = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    assert run.stdout.strip() == "False"


def test_children_come_and_go_while_others_run(made) -> None:
    supervisor = made(_child("a", FOREVER))
    supervisor.start()
    first = supervisor.pid("a")
    supervisor.add(_child("b", FOREVER))
    assert _within(10, lambda: supervisor.pid("b") is not None, supervisor.tend)
    pid = supervisor.pid("b")
    supervisor.add(_child("b", FOREVER))
    supervisor.tend()
    assert (supervisor.pid("b"), supervisor.names) == (pid, ("a", "b"))
    supervisor.remove("b")
    supervisor.remove("b")
    assert pid is not None
    assert _gone(pid)
    assert (supervisor.names, supervisor.pid("a")) == (("a",), first)


def test_a_child_is_started_anew_and_the_others_are_kept_meanwhile(made, tmp_path: Path) -> None:
    flag = tmp_path / "ready"
    slow = _child(
        "slow", f"import time, pathlib; pathlib.Path({str(flag)!r}).touch(); time.sleep(60)", ready=flag.exists
    )
    supervisor = made(slow, _child("other", FOREVER))
    supervisor.start()
    before, other = supervisor.pid("slow"), supervisor.pid("other")
    flag.unlink()
    assert other is not None
    os.kill(other, signal.SIGKILL)
    assert supervisor.restart("slow")
    assert flag.exists()
    assert supervisor.pid("slow") not in (None, before)
    assert _within(10, lambda: supervisor.pid("other") not in (None, other), supervisor.tend)


def test_one_that_does_not_get_ready_again_is_said(made) -> None:
    ready = [True]
    supervisor = made(_child("a", FOREVER, ready=lambda: ready[0], ready_within_s=0.3))
    supervisor.start()
    ready[0] = False
    assert not supervisor.restart("a")
    assert supervisor.pid("a") is not None
