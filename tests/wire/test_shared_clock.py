"""The clock file of a simulation: what a reader sees is always a time that was set."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from table_engine.wire.clock import SharedClock
from table_engine.wire.errors import SettingsError

WRITER = """
import sys
from pathlib import Path
from table_engine.wire.clock import SharedClock
clock, now = SharedClock(Path(sys.argv[1]), create=True), 0
while True:
    now += 7
    clock.set_ms(now)
"""


def test_no_reader_ever_sees_half_a_time(tmp_path: Path) -> None:
    clock = SharedClock(tmp_path / "clock", create=True)
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(clock_path := tmp_path / "clock")])
    try:
        reader, last, changes = SharedClock(clock_path), 0, 0
        deadline = time.monotonic() + 20
        while changes < 300_000 and time.monotonic() < deadline:
            now = reader.now_ms()
            assert now >= last, "time went back"
            changes += now > last
            last = now
        assert changes, "the writer never wrote"
    finally:
        writer.kill()
        writer.wait()
    assert clock.now_ms() >= last


def test_a_missing_clock_is_said_in_words(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="start the virtual table first"):
        SharedClock(tmp_path / "none")


def test_a_file_that_is_no_clock_or_cannot_be_one_is_named(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("a text")
    with pytest.raises(SettingsError, match="notes: is no clock of a simulation"):
        SharedClock(tmp_path / "notes")
    with pytest.raises(SettingsError, match="nowhere/clock: No such file or directory; choose a place"):
        SharedClock(tmp_path / "nowhere" / "clock", create=True)
