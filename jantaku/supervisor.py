"""Keeps the processes of a site alive.

Children are started in order, each once the one before is ready; their words are passed on with their name in front; a
child that ends is started again after a pause that grows while it keeps ending; at the end all are asked to end in
reverse order, by their own pid, and only who does not listen is killed. A child that refuses its settings (exit code 2)
before anything runs is not tried again: its last words are raised.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from jantaku.lifeline import SUPERVISED
from table_engine.wire.errors import JantakuError, SettingsError

REFUSED = 2
"""Exit code of a process that understood what it should do and cannot: trying again will not help."""


@dataclass(frozen=True, slots=True)
class Child:
    """One process to keep alive. `ready` says whether it can be used (None: at once). One that runs `once` has work
    that ends; it is not started again, however it ended."""

    name: str
    command: tuple[str, ...]
    ready: Callable[[], bool] | None = None
    ready_within_s: float = 90.0
    once: bool = False


@dataclass(slots=True)
class _Running:
    child: Child
    process: subprocess.Popen[bytes] | None = None
    started_s: float = 0.0
    due_s: float = 0.0
    failures: int = 0
    starts: int = 0
    code: int | None = None
    last_words: deque[str] = field(default_factory=lambda: deque(maxlen=20))
    reader: threading.Thread | None = None


class Supervisor:
    """`say(name, line)` gets every line a child writes and what the supervisor does about it (any thread)."""

    def __init__(
        self,
        children: Sequence[Child],
        say: Callable[[str, str], None],
        *,
        pauses_s: Sequence[float] = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0),
        calm_s: float = 20.0,
        patience_s: float = 8.0,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._running = {child.name: _Running(child) for child in children}
        self.say = say
        self._pauses_s = tuple(pauses_s)
        self._calm_s = calm_s
        self._patience_s = patience_s
        self._environment = {**os.environ, **(environment or {}), SUPERVISED: str(os.getpid()), "PYTHONUNBUFFERED": "1"}
        self._stopping = threading.Event()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._running)

    @property
    def stopping(self) -> bool:
        """True once it was told to stop."""
        return self._stopping.is_set()

    def pid(self, name: str) -> int | None:
        """The child's pid, None while it is down."""
        process = self._running[name].process
        return process.pid if process and process.poll() is None else None

    def starts(self, name: str) -> int:
        """How often the child was started."""
        return self._running[name].starts

    def ended(self, name: str) -> int | None:
        """The exit code of a child that ran `once` and is done; None before."""
        return self._running[name].code

    def words(self, name: str) -> str:
        """The last line a child wrote."""
        return _words(self._running[name])

    def start(self) -> None:
        """Starts all children in order. Raises what a child said when it refuses its settings, or SettingsError when one
        is not ready in time; what runs already is ended then."""
        try:
            for one in self._running.values():
                self._launch(one)
                self._await_ready(one)
        except JantakuError:
            self.stop()
            raise

    def watch(self, until: Callable[[], bool] = lambda: False, interval_s: float = 0.1) -> None:
        """Starts again whoever ends, until `stop_soon()` is called or `until()` says so."""
        while not self._stopping.wait(interval_s) and not until():
            self.tend()

    def tend(self) -> None:
        """One look at every child: reap, plan, start again."""
        now = time.monotonic()
        for one in self._running.values():
            if one.process is not None and one.process.poll() is not None:
                if one.child.once:
                    self._finish(one)
                else:
                    self._plan_restart(one, now)
            if one.process is None and one.due_s <= now:
                self._launch(one)

    def add(self, child: Child) -> None:
        """One more to keep alive, from the next `tend` on. It ends before those that were there."""
        if child.name not in self._running:
            self._running = {**self._running, child.name: _Running(child)}

    def remove(self, name: str) -> None:
        """Ends a child and forgets it."""
        if name in self._running:
            self.end(name)
            self._running = {other: one for other, one in self._running.items() if other != name}

    def restart(self, name: str) -> bool:
        """Ends a child kindly and starts it anew, keeping the others meanwhile. Whether it is ready in the end."""
        one = self._running[name]
        self.end(name)
        one.failures, one.due_s = 0, 0.0
        deadline = time.monotonic() + one.child.ready_within_s
        while not self._stopping.is_set() and time.monotonic() < deadline:
            self.tend()
            if one.process is not None and (one.child.ready is None or one.child.ready()):
                return True
            time.sleep(0.02)
        return False

    def kill(self, name: str) -> bool:
        """Kills a child outright (a test, or the demo's panel). False when it is down anyway."""
        pid = self.pid(name)
        if pid is None:
            return False
        os.kill(pid, signal.SIGKILL)
        return True

    def end(self, name: str) -> int | None:
        """Asks one child to end and forgets about restarting it. Its exit code, None when it was down."""
        one = self._running[name]
        if one.process is None:
            return None
        code = self._end(one)
        one.due_s = float("inf")
        return code

    def stop_soon(self) -> None:
        """Makes `watch` return. Safe in a signal handler."""
        self._stopping.set()

    def stop(self) -> None:
        """Ends all children, last started first."""
        self._stopping.set()
        for one in reversed(self._running.values()):
            if one.process is not None:
                self._end(one)

    def _launch(self, one: _Running) -> None:
        one.last_words.clear()
        one.process = subprocess.Popen(
            one.child.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=self._environment,
            start_new_session=True,  # Ctrl-C reaches the supervisor only, which ends its children in order
        )
        one.starts += 1
        one.started_s = time.monotonic()
        one.reader = threading.Thread(target=self._pass_on, args=(one, one.process), daemon=True)
        one.reader.start()

    def _pass_on(self, one: _Running, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None  # noqa: S101 (Popen was told to make a pipe)
        with process.stdout as stream:
            for raw in stream:
                line = raw.decode("utf-8", "replace").rstrip()
                one.last_words.append(line)
                self.say(one.child.name, line)

    def _await_ready(self, one: _Running) -> None:
        child = one.child
        deadline = time.monotonic() + child.ready_within_s
        while not self._stopping.is_set():
            if one.process is not None and one.process.poll() is not None:
                self._raise_if_refused(one)
                if child.once:
                    self._finish(one)
                    return
                self._plan_restart(one, time.monotonic())
            if one.process is None and one.due_s <= time.monotonic():
                self._launch(one)
            if child.ready is None or (one.process is not None and child.ready()):
                return
            if time.monotonic() > deadline:
                raise SettingsError(
                    f"{child.name} was not ready after {child.ready_within_s:.0f} s; its last words: {_words(one)}"
                )
            time.sleep(0.02)

    def _raise_if_refused(self, one: _Running) -> None:
        if one.process is not None and one.process.returncode == REFUSED:
            self._close(one)
            raise SettingsError(_words(one))

    def _finish(self, one: _Running) -> None:
        one.code = one.process.returncode if one.process else None
        one.due_s = float("inf")
        self._close(one)

    def _plan_restart(self, one: _Running, now: float) -> None:
        code = one.process.returncode if one.process else None
        self._close(one)
        if now - one.started_s > self._calm_s:
            one.failures = 0
        pause = self._pauses_s[min(one.failures, len(self._pauses_s) - 1)]
        one.failures += 1
        one.due_s = now + pause
        self.say(one.child.name, f"ended ({_how(code)}), starting again in {pause:g} s")

    def _end(self, one: _Running) -> int | None:
        process = one.process
        if process is None:
            return None
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(self._patience_s)
            except subprocess.TimeoutExpired:
                self.say(one.child.name, f"did not end within {self._patience_s:g} s and was killed")
                process.kill()
                process.wait()
        self._close(one)
        return process.returncode

    @staticmethod
    def _close(one: _Running) -> None:
        process, one.process = one.process, None
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()
        if one.reader is not None:
            one.reader.join(
                timeout=1
            )  # it ends with the pipe, unless a grandchild still holds that; then it is left behind


def _words(one: _Running) -> str:
    said = [line for line in one.last_words if line.strip()]
    return said[-1] if said else f"{one.child.name} said nothing"


def _how(code: int | None) -> str:
    if code is None:
        return "unknown"
    if code < 0:
        return f"killed by {signal.Signals(-code).name}"
    return f"exit code {code}"
