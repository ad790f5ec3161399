"""Device ticks → host time: quick frames decide, drift, wrap, the host's clock being set."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.ticks import WRAP, TickClock

HOST = 1_700_000_000_000


def hear(clock, device_ms, host_ms):
    return clock.heard(clock.unwrap(device_ms % WRAP), host_ms)


def test_nothing_heard_nothing_known():
    with pytest.raises(ValueError, match="no frame of this device"):
        TickClock().host_ms(0)


def test_the_quickest_frame_decides():
    clock = TickClock()
    for ticks, latency in [(1000, 40), (1250, 3), (1500, 90), (1750, 15)]:
        hear(clock, ticks, HOST + ticks + latency)
    assert clock.host_ms(1500) == HOST + 1503


def test_a_sync_bounds_the_error():
    clock = TickClock()
    hear(clock, 1000, HOST + 1004)
    assert clock.uncertainty_ms is None
    assert clock.echoed(HOST + 998, clock.unwrap(1000), HOST + 1009) is None
    assert clock.uncertainty_ms == 6


@settings(max_examples=30, deadline=None)
@given(
    st.integers(-5000, 5000),
    st.integers(0, WRAP - 1),
    st.integers(0, 2**31),
)
def test_drift_latency_and_wrap(drift_ppm, start, seed):
    """Ten minutes with a ceramic resonator (up to 0.5 % off), 1 to 20 ms latency, the counter wrapping where it may."""
    rng = random.Random(seed)
    clock = TickClock()
    worst = 0.0
    for n in range(2400):
        true_ms = n * 250
        ticks = clock.unwrap(int(start + true_ms * (1 + drift_ppm * 1e-6)) % WRAP)
        host = HOST + true_ms + rng.randint(1, 20)
        assert clock.heard(ticks, host) is None
        if n % 8 == 0:
            assert clock.echoed(HOST + true_ms - rng.randint(1, 20), ticks, host) is None
        if true_ms > 60_000:
            worst = max(worst, abs(clock.host_ms(ticks) - HOST - true_ms))
    assert worst <= 25
    assert clock.drift_ppm == pytest.approx(-drift_ppm, abs=100)


def test_wrap_orders_by_nearness():
    clock = TickClock()
    assert [clock.unwrap(t) for t in (WRAP - 2, 3, WRAP - 1, 4)] == [WRAP - 2, WRAP + 3, WRAP - 1, WRAP + 4]


@pytest.mark.parametrize("by", [-3_600_000, -1_000, 1_000, 3_600_000])
def test_the_hosts_clock_is_set(by):
    clock = TickClock()
    seen = []
    for n in range(200):
        true_ms, host = n * 250, HOST + n * 250 + (by if n >= 100 else 0)
        ticks = clock.unwrap(true_ms)
        seen.append((n, clock.heard(ticks, host + 2)))
        if n % 8 == 0:
            seen.append((n, clock.echoed(host - 2, ticks, host + 2)))
    jumps = [(n, jump) for n, jump in seen if jump is not None]
    assert len(jumps) == 1
    (when, jump) = jumps[0]
    assert 100 <= when <= 108
    assert jump == pytest.approx(by, abs=5)
    assert clock.host_ms(clock.ticks) == HOST + 199 * 250 + by + 2


def test_bytes_that_waited_in_a_buffer_are_no_jump():
    clock = TickClock()
    assert [hear(clock, t, HOST + 9000) for t in range(0, 5000, 250)] == [None] * 20
    assert hear(clock, 9000, HOST + 9002) is None
    assert clock.host_ms(9000) == HOST + 9002
