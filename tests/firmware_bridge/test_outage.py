"""What goes away, jams, fills up, starts anew or is no table at all is said in words, and nothing is lost once it is well again."""

import itertools
import os

import serial
from bench_parts import MemoryNode, live, three_dice, until

from table_engine.wire.observations import Bay, Dealer, Dice, DiscardZone, WallCount, Watermark
from table_engine.wire.seats import SEATS, Seat


def test_unplugged_and_plugged_in_again(table):
    device, rig = table.controller(), table.rig()
    live(table, rig)
    device.wall(Seat.S0, 34)
    until(lambda: rig.node.of(WallCount), lambda: table.step(rig))
    device.unplug()
    until(lambda: rig.node.health.state == "lost", lambda: table.step(rig))
    assert "went away; plug the table's cable in again" in rig.node.health.degraded[0]
    device.dice((1, 2))
    device.wall(Seat.S0, 33, 16)
    device.replug()
    live(table, rig)
    assert rig.node.of(Dice) == [Dice(dice=(1, 2))]
    assert rig.node.of(WallCount)[-1] == WallCount(side=Seat.S0, count=33, slot=16)


def test_what_the_ring_no_longer_holds_is_a_gap_and_the_state_is_read_again(table):
    device, rig = table.controller(ring=16), table.rig()
    live(table, rig)
    device.unplug()
    until(lambda: rig.node.health.state == "lost", lambda: table.step(rig))
    for seat, count in itertools.product(SEATS, range(1, 11)):
        device.discard_zone(seat, count)
    device.replug()
    live(table, rig)
    assert device.overwritten == 24
    assert any("24 of its messages are lost" in " ".join(h.degraded) for h in rig.node.of(type(rig.node.health)))
    last = {o.seat: o.count for o in rig.node.of(DiscardZone)}
    assert last == dict.fromkeys(SEATS, 10)


def test_a_reset_in_between_is_said_and_the_state_told_anew(table):
    device, rig = table.controller(), table.rig()
    live(table, rig)
    device.dealer(Seat.S3)
    until(lambda: rig.node.of(Dealer), lambda: table.step(rig))
    device.kill()
    device.bay(True)
    table.step(rig, 500)
    device.reset()
    until(lambda: len(rig.node.of(Dealer)) == 2, lambda: table.step(rig))
    live(table, rig)
    assert rig.node.of(Bay) == [Bay(open=True)]
    assert any("has started anew" in " ".join(h.degraded) for h in rig.node.of(type(rig.node.health)))


def test_a_killed_bridge_goes_on_where_it_was(table):
    device, first = table.controller(), table.rig()
    live(table, first)
    rolls = three_dice()
    for _ in range(30):
        device.dice(next(rolls))
        table.step(first)
    until(lambda: not device.backlog, lambda: table.step(first))
    node = first.node
    device.dice(next(rolls))
    device.pump(table.clock.value)
    first.port.stop()  # nothing is said, nothing confirmed: as a kill leaves it
    for _ in range(50):
        device.dice(next(rolls))
        table.clock.value += 100
        device.pump(table.clock.value)
    second = table.rig(node)
    until(lambda: len(node.of(Dice)) >= 81, lambda: table.step(second))
    live(table, second)
    assert [o.dice for o in node.of(Dice)] == list(itertools.islice(three_dice(), 81))
    at = [at for at, o in node.put if isinstance(o, Dice | Watermark)]
    assert at == sorted(at)


def test_nothing_is_confirmed_while_the_disk_is_full(table):
    device, rig = table.controller(), table.rig(MemoryNode())
    live(table, rig)
    rig.node.full = True
    device.dice((2, 2))
    for _ in range(30):
        table.step(rig)
    assert device.backlog == 1
    rig.node.full = False
    until(lambda: not device.backlog, lambda: table.step(rig))
    assert rig.node.of(Dice) == [Dice(dice=(2, 2))]


def test_a_missing_port_is_said_in_words(table):
    rig = table.rig()
    until(lambda: rig.node.health is not None, rig.turn)
    until(lambda: "is not there; plug in the table's cable" in rig.node.health.degraded[0], rig.turn)
    assert rig.node.health.state == "lost"
    table.controller()
    live(table, rig)


def test_a_taken_port_is_said_in_words_and_taken_when_free(table):
    table.controller()
    other = serial.serial_for_url(str(table.path), exclusive=True)
    rig = table.rig()
    until(lambda: rig.node.health and "is held by another program" in rig.node.health.degraded[0], rig.turn)
    other.close()
    live(table, rig)


def test_a_file_is_no_port(table):
    table.path.write_text("x")
    rig = table.rig()
    until(lambda: rig.node.health and "is not a serial port" in rig.node.health.degraded[0], rig.turn)


def test_garbage_is_said_in_words(table):
    master, slave = os.openpty()
    table.path.symlink_to(os.ttyname(slave))
    rig = table.rig()

    def shout():
        os.write(master, os.urandom(40).replace(b"\n", b"x"))
        rig.turn()

    until(lambda: rig.node.health and any("not our protocol" in w for w in rig.node.health.degraded), shout)
    assert rig.node.health.state == "degraded"
    os.close(master)
    os.close(slave)


def test_a_silent_device_is_lost_by_the_clock_it_lives_in(table, monkeypatch):
    device, rig = table.controller(), table.rig()
    live(table, rig)
    device.kill()
    monkeypatch.setattr("firmware_bridge.bridge._SILENT_S", 0.0)
    for _ in range(100):
        rig.turn()
    assert rig.node.health.state == "ok", "simulated time stands still, so nothing is late"
    table.clock.value += 11_000
    until(lambda: rig.node.health.state == "lost", rig.turn)
    assert "says nothing" in rig.node.health.degraded[0]
    device.reset()
    live(table, rig)


def test_machine_troubles_are_health(table):
    device, rig = table.controller(), table.rig()
    live(table, rig)
    device.jam("washer", True)
    device.tile_missing(136, 135)
    until(lambda: len(rig.node.health.degraded) == 2, lambda: table.step(rig))
    assert rig.node.health.degraded == (
        "table controller tiles are stuck in the washer; open the table and free them",
        "table controller the set has 135 tiles instead of 136",
    )
    device.jam("washer", False)
    device.tile_missing(136, 136)
    live(table, rig)
