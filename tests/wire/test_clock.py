"""The machine's clock: what somebody does to it while we run."""

from __future__ import annotations

import time

import pytest

from table_engine.wire.clock import SystemClock

HOUR_NS = 3_600_000_000_000


@pytest.fixture
def set_by(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How far the machine's clock is set from where it was."""
    real, moved = time.time_ns, {"ns": 0}
    monkeypatch.setattr(time, "time_ns", lambda: real() + moved["ns"])
    return moved


def test_it_is_the_machines() -> None:
    clock = SystemClock()
    assert abs(clock.now_ms() - time.time_ns() // 1_000_000) < 1_000
    assert clock.set_back_ms == 0


def test_it_goes_forward_with_the_machines(set_by: dict[str, int]) -> None:
    clock = SystemClock()
    set_by["ns"] = HOUR_NS
    assert abs(clock.now_ms() - time.time_ns() // 1_000_000) < 1_000
    assert clock.set_back_ms == 0


def test_it_never_goes_back_and_says_so(set_by: dict[str, int]) -> None:
    clock = SystemClock()
    before = clock.now_ms()
    set_by["ns"] = -HOUR_NS
    assert before <= clock.now_ms() < before + 60_000
    assert 3_590_000 < clock.set_back_ms < 3_610_000
    set_by["ns"] = 0
    assert clock.set_back_ms == 0


def test_one_that_starts_later_believes_the_machine(set_by: dict[str, int]) -> None:
    SystemClock()
    set_by["ns"] = -HOUR_NS
    assert abs(SystemClock().now_ms() - time.time_ns() // 1_000_000) < 1_000
