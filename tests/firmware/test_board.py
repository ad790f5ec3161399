"""The bridge talks to real machine code: the reference firmware on an emulated board, sensors moved at its pins."""

import itertools
import os
import queue
import random
import threading
import time

import pytest
from bench_parts import MemoryNode, Rig, until
from board import Board, Cable

from firmware_bridge.conformance import Probe, examine, open_port
from table_engine.wire.clock import SystemClock
from table_engine.wire.errors import DeviceError
from table_engine.wire.observations import (
    Bay,
    Button,
    Dealer,
    Dice,
    DiscardZone,
    HandZone,
    Health,
    ReadyStick,
    SetComplete,
    WallCount,
    Watermark,
)
from table_engine.wire.seats import SEATS, Seat

PATIENCE_S = 90.0


@pytest.fixture
def plugged(board, tmp_path):
    """Plugs the board into a bridge through a cable."""
    made = []

    def plug(noise=0.0, node=None):
        cable = Cable(board, tmp_path / "tty", noise=noise)
        rig = Rig(tmp_path / "tty", SystemClock(), node or MemoryNode())
        made.extend((cable.close, rig.stop))
        return cable, rig

    yield plug
    for end in reversed(made):
        end()


def live(rig):
    until(lambda: rig.node.health and rig.node.health.state == "ok", rig.turn, PATIENCE_S)


def seen(rig):
    return [o for _, o in rig.node.put if not isinstance(o, Watermark | Health)]


def each(rig, board, steps):
    """Moves sensors step by step, each after the last one's observation has come; these and nothing else come."""
    rig.node.put.clear()
    for n, (moves, _) in enumerate(steps, 1):
        for group, bit, yes in moves:
            board.set(group, bit, yes)
        until(lambda n=n: len(seen(rig)) >= n, rig.turn, PATIENCE_S)
    quiet = len(rig.node.of(Watermark)) + 2
    until(lambda: len(rig.node.of(Watermark)) >= quiet, rig.turn, PATIENCE_S)
    assert seen(rig) == [observation for _, observation in steps]


def played(count):
    """What `play` makes the discard zones say."""
    for n in range(count):
        laid = n // 4 % 25
        yield DiscardZone(seat=SEATS[n % 4], count=laid + 1 if laid < 24 else 0)


def test_birth_state_and_every_sensor(board, plugged):
    _, rig = plugged()
    live(rig)
    assert rig.bridge.introduced.model == "Jantaku board"
    assert {"wall", "dice", "buttons", "lamp", "lift"} <= set(rig.bridge.introduced.capabilities)
    assert len(rig.node.of(WallCount)) == len(rig.node.of(HandZone)) == len(rig.node.of(DiscardZone)) == 4
    rig.node.put.clear()
    for side, bit in itertools.product(range(4), range(34)):
        board.set("wall", side * 40 + bit)
    until(lambda: sum({o.side: o.count for o in rig.node.of(WallCount)}.values()) == 136, rig.turn, PATIENCE_S)
    calls = ("chow", "pung", "kong", "win", "ready", "referee")
    roll = [("die", lamp, True) for lamp in (0, 1, 4 + 1, 4 + 2, 4 + 3)]  # centre, a diagonal; diagonals, middle row
    each(
        rig,
        board,
        [
            ([("lift_top", 0, True)], SetComplete(tiles=136)),
            ([("dealer", 2, True)], Dealer(seat=Seat.S2)),
            (roll, Dice(dice=(3, 6))),
            ([("hand_zone", 1, True)], HandZone(side=Seat.S1, present=True)),
            ([("wall", 40 + 2 * 6 + 1, False)], WallCount(side=Seat.S1, count=33, slot=6)),
            ([("hand_zone", 1, False)], HandZone(side=Seat.S1, present=False)),
            ([("touch", 3, True)], DiscardZone(seat=Seat.S3, count=0, touched=True)),
            ([("discard", 3 * 24 + 5, True)], DiscardZone(seat=Seat.S3, count=1, touched=True)),
            ([("stick", 0, True)], ReadyStick(seat=Seat.S0, present=True)),
            *(([("button", 8 + n, True)], Button(seat=Seat.S1, call=call)) for n, call in enumerate(calls)),
            ([("bay", 0, True)], Bay(open=True)),
        ],
    )
    board.set("jam", 1)
    until(lambda: rig.node.health and "stuck in the washer" in str(rig.node.health.degraded), rig.turn, PATIENCE_S)
    board.set("jam", 1, False)
    live(rig)


def test_a_set_that_is_not_whole_is_told(board, plugged):
    _, rig = plugged()
    live(rig)
    for side, bit in itertools.product(range(4), range(34)):
        board.set("wall", side * 40 + bit, (side, bit) != (2, 7))
    board.set("lift_top", 0)
    until(lambda: "135 tiles instead of 136" in str(rig.node.health.degraded), rig.turn, PATIENCE_S)
    assert not rig.node.of(SetComplete)
    board.set("lift_top", 0, False)
    board.set("wall", 2 * 40 + 7)
    until(lambda: WallCount(side=Seat.S2, count=34) in rig.node.of(WallCount), rig.turn, PATIENCE_S)
    board.set("lift_top", 0)
    until(lambda: rig.node.of(SetComplete), rig.turn, PATIENCE_S)
    live(rig)


def test_a_bouncing_contact_is_one_reading(board, plugged):
    _, rig = plugged()
    live(rig)
    board.order("bounce", "hand_zone", 0)
    each(rig, board, [([], HandZone(side=Seat.S0, present=True))])


def test_commands_reach_pins(board, plugged):
    _, rig = plugged()
    live(rig)

    def told(words):
        found = []

        def look():
            rig.turn()
            while True:
                try:
                    found.append(board.says.get_nowait())
                except queue.Empty:
                    return

        until(lambda: words in found, look, PATIENCE_S)

    rig.bridge.command("lamp", {"seat": 2, "red": 255, "green": 16, "blue": 1})
    told("lamps 000000 000000 ff1001 000000 000000")
    rig.bridge.command("lock", {"locked": True})
    told("lock 1")
    lifted = rig.bridge.command("lift", {"up": True})
    told("lift 1")
    told("lift 0")
    assert lifted.result(0) == {"result": "done"}
    board.set("hand_zone", 3)
    until(lambda: HandZone(side=Seat.S3, present=True) in rig.node.of(HandZone), rig.turn, PATIENCE_S)
    refused = rig.bridge.command("lift", {"up": False})
    until(refused.done, rig.turn, PATIENCE_S)
    with pytest.raises(DeviceError, match="refuses to do this now"):
        refused.result()
    rig.bridge.command("identify", {"seconds": 1})
    told("lamps ffffff ffffff ffffff ffffff ffffff")
    told("lamps 000000 000000 ff1001 000000 000000")


@pytest.mark.parametrize("mcu", ["atmega328p"], indirect=True)
def test_a_bad_cable_delivers_everything_once_in_order(board, plugged):
    _, rig = plugged(noise=0.001)
    live(rig)
    rig.node.put.clear()
    count, commands, answered = 600, 100, 0
    board.order("play", count, 15)

    def turn():
        nonlocal answered
        rig.turn()
        if answered < commands and not rig.bridge._device._link._orders:
            rig.bridge.command("lamp", {"seat": 0, "red": answered, "green": 0, "blue": 0})
            answered += 1

    until(lambda: len(rig.node.of(DiscardZone)) >= count and answered == commands, turn, PATIENCE_S)
    live(rig)
    assert rig.node.of(DiscardZone) == list(played(count))
    counters = rig.bridge._device.counters
    assert counters["lost"] == counters["gaps"] == 0
    assert counters["bad_frames"] > 0
    assert counters["recovered"] > 0
    reds = [line.split()[1][:2] for line in list(board.says.queue) if line.startswith("lamps")]
    assert reds == [f"{n:02x}" for n in range(1, commands)], "each command was carried out once, in order"


@pytest.mark.parametrize(("steps", "lost"), [(40, 0), (200, None)])
@pytest.mark.parametrize("mcu", ["atmega328p"], indirect=True)
def test_a_pulled_cable_loses_only_what_the_ring_cannot_hold(board, plugged, steps, lost):
    cable, rig = plugged()
    live(rig)
    rig.node.put.clear()
    cable.pull()
    until(lambda: rig.node.health and rig.node.health.state == "lost", rig.turn, PATIENCE_S)
    board.order("play", steps, 10)
    until(lambda: "played" in list(board.says.queue), rig.turn, PATIENCE_S)
    time.sleep(0.1)
    cable.plug()
    live(rig)
    counters = rig.bridge._device.counters
    if lost is not None:
        assert counters["lost"] == lost
        assert rig.node.of(DiscardZone)[:steps] == list(played(steps))
    else:
        assert counters["lost"] == steps - 64
        assert any(f"{steps - 64} of its messages are lost" in str(h.degraded) for h in rig.node.of(Health))
        assert rig.node.of(DiscardZone)[:64] == list(played(steps))[-64:]
    last = {o.seat: o.count for o in rig.node.of(DiscardZone)}
    assert last == {o.seat: o.count for o in played(steps)}


@pytest.mark.parametrize("mcu", ["atmega2560"], indirect=True)
def test_a_board_without_power_is_seen_and_taken_up_again(build, mcu, tmp_path, board):
    (tmp_path / "tty").symlink_to(board.port)
    rig = Rig(tmp_path / "tty", SystemClock(), MemoryNode())
    try:
        live(rig)
        board.kill()
        until(lambda: rig.node.health.state == "lost", rig.turn, PATIENCE_S)
        rig.node.put.clear()
        with Board(build, mcu, tmp_path / "eeprom") as again:
            (tmp_path / "tty").unlink()
            (tmp_path / "tty").symlink_to(again.port)
            live(rig)
        assert any("has started anew" in str(h.degraded) for h in rig.node.of(Health))
        assert len(rig.node.of(WallCount)) == 4, "its whole state is read again"
    finally:
        rig.stop()


def test_the_watchdog_ends_a_program_run_wild(board, plugged):
    _, rig = plugged()
    live(rig)
    rig.node.put.clear()
    board.order("hang")
    until(lambda: any("has started anew" in str(h.degraded) for h in rig.node.of(Health)), rig.turn, PATIENCE_S)
    live(rig)


@pytest.mark.parametrize("mcu", ["atmega328p"], indirect=True)
def test_a_flood_of_garbage_does_it_no_harm(board, plugged):
    port = os.open(board.port, os.O_RDWR | os.O_NOCTTY)
    rng = random.Random(3)
    for _ in range(10):
        os.write(port, rng.randbytes(500))
        os.write(port, b"\1" * 500)
    os.close(port)
    _, rig = plugged()
    live(rig)
    board.set("hand_zone", 2)
    until(lambda: HandZone(side=Seat.S2, present=True) in rig.node.of(HandZone), rig.turn, PATIENCE_S)


@pytest.mark.parametrize("mcu", ["atmega328p"], indirect=True)
def test_the_self_test_passes_it(board):
    probe = Probe(open_port(board.port, 115_200))
    press = threading.Timer(4, board.order, ("reset",))

    def about(check):
        if check.name == "reset":
            press.start()

    found = {f.check.name: f for f in examine(probe, skip={"rate"}, also={"lift", "reset"}, about=about)}
    probe.close()
    press.cancel()
    assert {name: f.says for name, f in found.items() if f.state == "failed"} == {}
    assert [name for name, f in found.items() if f.state == "untested"] == ["rate"]
