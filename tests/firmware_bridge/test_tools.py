"""The commands for makers of tables, as they are typed: record, replay, monitor, simulate, conformance."""

import io
import itertools
import json
import subprocess
import sys
import threading
import time

import pytest
from bench_parts import HandClock, until
from foreign import STATE, Foreign, hand
from rich.console import Console
from typer.testing import CliRunner

from firmware_bridge.capture import read_capture
from firmware_bridge.device import Introduced, Said
from firmware_bridge.devices import DEVICES
from firmware_bridge.devices.ascii_line import READINGS
from firmware_bridge.watch import Watch
from jantaku.commands.bridge import app
from jantaku.serial_monitor import Screen
from jantaku.serial_words import words
from table_engine.wire.observations import (
    Bay,
    Button,
    Dealer,
    Dice,
    DiscardZone,
    HandZone,
    Honba,
    Jam,
    ReadyStick,
    ScoreTray,
    SetComplete,
    TagSeen,
    TileMissing,
    WallCount,
    Watermark,
)
from table_engine.wire.seats import Seat
from virtual_table.controller import Controller
from virtual_table.playback import Playback


@pytest.fixture
def captures(repo):
    return repo / "tests" / "firmware_bridge" / "captures"


def observed(happened):
    return [one.observation for one in happened if isinstance(one, Said) and not isinstance(one.observation, Watermark)]


def replayed(path, tmp_path):
    """What an adapter makes of a capture that is played through a pty, as fast as it goes."""
    head, pieces = read_capture(path)
    read = [(piece.ms, piece.data) for piece in pieces if not piece.sent]
    playback = Playback(tmp_path / "tty", read, speaks_ours=head.device == "reference")
    clock, happened = HandClock(0), []
    try:
        with Watch(str(tmp_path / "tty"), head.baud, DEVICES[head.device](request=77), clock) as watch:
            until(lambda: playback.line.connected, lambda: happened.extend(watch.turn(0.01)))
            happened += watch.turn(0.05)

            def go_on():
                clock.value += 20
                playback.pump(clock.value)
                happened.extend(watch.turn(0.002))

            until(lambda: playback.finished, go_on)
            happened += itertools.chain(watch.turn(0.2), watch.turn(0.2))
            return happened, watch.device
    finally:
        playback.close()


def test_a_recorded_foreign_device_is_read_again(captures, tmp_path):
    happened, device = replayed(captures / "ascii_line.jsonl", tmp_path)
    lines = [*STATE, *(said for _, said in hand())][:-1]  # the cable was pulled within the last line
    assert observed(happened) == [READINGS[kind](*numbers) for kind, *numbers in lines if kind in READINGS]
    assert device.counters["bad_lines"] == 0


def test_a_recorded_board_on_a_bad_cable_is_read_again(captures, tmp_path):
    """`board.jsonl` is the reference firmware in the emulator, recorded with 1 in 700 bytes damaged."""
    happened, device = replayed(captures / "board.jsonl", tmp_path)
    assert [one.model for one in happened if isinstance(one, Introduced)] == ["Jantaku board"]
    seen = observed(happened)
    assert [o for o in seen if isinstance(o, Dice | SetComplete | Button)] == [
        SetComplete(tiles=136),
        Dice(dice=(3, 6)),
        Button(seat=Seat.S2, call="referee"),
    ]
    counts = [(o.count, o.slot) for o in seen if isinstance(o, WallCount) and o.side == Seat.S2 and o.slot >= 0]
    assert counts == [(33 - n, n // 2) for n in range(16)]
    assert device.counters["bad_frames"] > 0
    assert device.counters["lost"] == 0


class Living:
    """Something with `pump`-like life, kept going in a thread."""

    def __init__(self, step):
        self._stop = threading.Event()
        self._step = step
        self._thread = threading.Thread(target=self._live)
        self._thread.start()

    def _live(self):
        began = time.monotonic()
        while not self._stop.wait(0.005):
            self._step(time.monotonic() - began)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()


def run(*arguments):
    return CliRunner().invoke(app, [str(one) for one in arguments])


@pytest.fixture
def table(tmp_path):
    """A controller at a pty that tells a roll now and then."""
    device = Controller(tmp_path / "tty")
    due_s = 0.5

    def step(now_s):
        nonlocal due_s
        device.pump(int(now_s * 1000))
        if now_s >= due_s:
            due_s += 0.5
            device.dice((3, 4))

    with Living(step):
        yield tmp_path / "tty"
    device.close()


def test_monitor_tells_line_by_line_where_there_is_no_screen(table):
    result = run("monitor", table, "--seconds", 2)
    assert result.exit_code == 0
    assert "jantaku virtual 1.0 says who it is" in result.output
    assert "dice 3 + 4 = 7" in result.output


def test_record_writes_both_directions(table, tmp_path):
    result = run("record", table, tmp_path / "a.jsonl", "--seconds", 2)
    assert result.exit_code == 0
    assert "are in" in result.output
    head, pieces = read_capture(tmp_path / "a.jsonl")
    assert (head.port, head.device) == (str(table), "reference")
    assert {piece.sent for piece in pieces} == {True, False}
    assert [piece.ms for piece in pieces] == sorted(piece.ms for piece in pieces)


def test_listening_says_nothing(table, tmp_path):
    run("record", table, tmp_path / "a.jsonl", "--seconds", 2, "--listen")
    _, pieces = read_capture(tmp_path / "a.jsonl")
    assert pieces
    assert not any(piece.sent for piece in pieces)


def test_a_foreign_device_is_monitored_too(tmp_path):
    device = Foreign(tmp_path / "tty")
    with Living(device.turn):
        result = run("monitor", tmp_path / "tty", "--device", "ascii-line", "--seconds", 2)
    device.cable.close()
    assert "Orion T2 3.1 says who it is" in result.output
    assert "wall 3: 34 left" in result.output


@pytest.mark.parametrize(
    ("arguments", "words_"),
    [
        (("monitor", "tty", "--device", "abacus"), "no device 'abacus'; there are reference, ascii-line, modbus"),
        (("replay", "absent.jsonl"), "absent.jsonl: cannot be read as a capture"),
        (("conformance", "/dev/absent"), "/dev/absent: is not there; plug in the table's cable"),
        (("conformance", "tty", "--skip", "luck"), "no check luck; there are able, ack"),
        (("simulate", "/absent/tty"), "/absent/tty: no such folder"),
        ((), "needs --config, --table and --id"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(arguments, words_):
    result = run(*arguments)
    assert words_ in str(result.exception)


def test_conformance_reports_and_ends_with_its_judgement(table):
    skip = ["window", "resend", "ack", "nak", "asked-twice", "ticks", "rate", "damaged", "checked", "flood", "foreign"]
    options = [part for name in skip for part in ("--skip", name)]
    result = run("conformance", table, *options)
    assert result.exit_code == 0, result.output
    assert "docs/protocol.md says; 12 could not be tested" in result.output
    lines = [json.loads(line) for line in run("conformance", table, *options, "--json").output.splitlines()]
    assert {line["check"]: line["state"] for line in lines}["birth"] == "passed"
    assert lines[0]["promise"] == "Answers a state request with a birth that names it."


def test_a_simulated_table_and_a_replayed_one_are_ports(tmp_path, captures):
    """As processes of their own, ended by SIGTERM."""
    for arguments in (("simulate", "a"), ("replay", str(captures / "board.jsonl"), "--link", "a")):
        command = [sys.executable, "-m", "jantaku", "bridge", *arguments]
        process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True)
        try:
            assert "a " in process.stdout.readline()
            result = run("monitor", tmp_path / "a", "--seconds", 4)
            assert "says who it is" in result.output
            process.terminate()
            assert process.wait(20) == 0
            assert not (tmp_path / "a").is_symlink()
        finally:
            process.kill()
            process.wait()
            process.stdout.close()


SAID = [
    (Dice(dice=(1, 2, 3)), "dice 1 + 2 + 3 = 6"),
    (Dealer(seat=Seat.S1), "dealer is seat 1"),
    (WallCount(side=Seat.S0, count=5, slot=2), "wall 0: 5 left, last from stack 2"),
    (HandZone(side=Seat.S0, present=True), "wall 0: a hand"),
    (DiscardZone(seat=Seat.S0, count=2, touched=True), "seat 0: 2 discards, touched"),
    (SetComplete(tiles=136), "set complete, 136 tiles"),
    (Bay(open=False), "bay closed"),
    (Button(seat=Seat.S3, call="win"), "seat 3 presses WIN"),
    (ReadyStick(seat=Seat.S3, present=True), "seat 3: riichi stick laid"),
    (Honba(count=2), "honba 2"),
    (Jam(place="lift", present=True), "jam in the lift"),
    (TileMissing(expected=136, counted=135), "135 of 136 tiles counted"),
    (ScoreTray(seat=Seat.S0, points=25_000), "seat 0: 25,000 points in the tray"),
    (TagSeen(reader=0, slot=5, tag=None), "reader 0, place 5: no tag"),
]


@pytest.mark.parametrize(("observation", "text"), SAID)
def test_every_observation_has_words(observation, text):
    assert words(observation) == text


def test_a_small_screen_shows_what_came_last():
    screen = Screen("/dev/ttyACM0", 115_200)
    screen.take([Said(n, Dice(dice=(1, n % 6 + 1))) for n in range(100)])
    screen.counters = dict.fromkeys("abcdefghijkl", 0.0)
    console = Console(width=80, height=24, record=True, file=io.StringIO())
    console.print(screen)
    lines = console.export_text().splitlines()[:24]
    assert sum("dice 1 +" in line for line in lines) >= 5
    assert any("dice 1 + 4 = 5" in line for line in lines)


def test_the_screen_shows_the_table():
    screen = Screen("/dev/ttyACM0", 115_200)
    screen.take([Introduced("Orion", "2", "1", ("wall",)), *(Said(0, o) for o, _ in SAID), Said(0, Watermark())])
    screen.counters = {"frames": 10.0, "bad_frames": 2.0}
    console = Console(width=100, height=60, record=True, file=io.StringIO())
    console.print(screen)
    text = console.export_text()
    for shown in (
        "Orion 2",
        "/dev/ttyACM0",
        "2 ✋",
        "25,000",
        "bad frames 2",
        "dealer is seat 1",
        "seat 3 presses WIN",
    ):
        assert shown in text
