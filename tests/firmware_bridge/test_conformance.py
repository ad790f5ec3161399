"""The self-test passes devices that are right, in this language and in another, and finds each thing that is wrong."""

import re
import shutil
import subprocess
import threading
import time
from dataclasses import replace

import pytest
from maker_line import MakerLine

from firmware_bridge.conformance import CHECKS, Probe, examine, open_port
from firmware_bridge.conformance.examination import ASKED_FOR
from firmware_bridge.framing import Decoder, Frame
from firmware_bridge.messages import CommandAck, DealerSet, DiceRolled, StateEnd, Tick, TimeEcho, WallLeft
from table_engine.wire.seats import SEATS
from virtual_table import controller
from virtual_table.controller import Controller

PLAIN = ("wall", "hand_zone", "discard_count", "ready_stick", "bay")
SPEED = 4
"""The device's clock runs faster than life: checks go by its ticks. `rate` is the one that must not."""


class Running:
    """A controller that lives in a thread, at `SPEED`."""

    def __init__(self, path, kind=Controller, **options):
        self.device = kind(path, **options)
        for seat in SEATS:
            self.device.wall(seat, 34)
            self.device.hand_zone(seat, False)
            self.device.discard_zone(seat, 0)
            self.device.ready_stick(seat, False)
        self.device.bay(False)
        self.device.dealer(SEATS[0])
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._live)
        self._thread.start()

    def _live(self):
        began = time.monotonic()
        while not self._stop.wait(0.001):
            self.device.pump(int((time.monotonic() - began) * 1_000 * SPEED))

    def stop(self):
        self._stop.set()
        self._thread.join()
        self.device.close()


@pytest.fixture
def findings(tmp_path):
    """Examines a kind of device by some checks; all but `rate` when none is named."""
    made = []

    def look(kind=Controller, checks=(), **options):
        path = tmp_path / f"tty{len(made)}"
        running = Running(path, kind, **options)
        probe = Probe(open_port(str(path), 115_200))
        made.extend((probe.close, running.stop))
        names = {check.name for check in CHECKS}
        skip = names - {"birth", *checks} if checks else {"rate"}
        return {f.check.name: f for f in examine(probe, skip=skip, also=checks)}

    yield look
    for end in made:
        end()


def failures(found):
    return {name: f.says for name, f in found.items() if f.state == "failed"}


def test_the_virtual_controller_is_what_the_document_says(findings):
    found = findings(
        capabilities=("dealer", "wall", "hand_zone", "discard_count", "ready_stick", "bay", "lamp", "lift")
    )
    assert failures(found) == {}
    assert [name for name, f in found.items() if f.state == "untested"] == ["rate"]


@pytest.fixture(params=["device.mjs", "device.c"])
def makers_device(request, repo, tmp_path):
    """A device written from docs/protocol.md alone, as a command."""
    source = repo / "tests" / "firmware_bridge" / "maker" / request.param
    needed = "node" if source.suffix == ".mjs" else "gcc"
    if shutil.which(needed) is None:
        pytest.skip(f"no {needed} to run the maker's device with; install it")
    if needed == "node":
        return needed, str(source)
    program = tmp_path / "device"
    flags = ("-std=c11", "-D_POSIX_C_SOURCE=200809L", "-O2", "-Wall", "-Wextra", "-Wconversion", "-Werror")
    subprocess.run(["gcc", *flags, source, "-o", program], check=True)
    return (str(program),)


def test_a_maker_with_the_document_alone_passes(tmp_path, makers_device):
    with MakerLine(tmp_path / "tty", *makers_device):
        probe = Probe(open_port(str(tmp_path / "tty"), 115_200))
        found = {f.check.name: f for f in examine(probe, skip={"rate"})}
        probe.close()
    assert failures(found) == {}
    assert {name for name, f in found.items() if f.state == "untested"} == {"rate"}


class Forgetful(Controller):
    def _hear(self, frame):
        if frame.type not in (0x81, 0x82):
            super()._hear(frame)


class NeverAgain(Controller):
    def _resend_oldest(self):
        pass


class Deaf(Controller):
    def _resend(self, seq, count):
        pass


class Garrulous(Controller):
    """Has more under way than a window."""

    def _speak(self):
        while self._telling:
            self._issue(self._state[self._telling.popleft()])
        for n in range(self._sent, len(self._held)):
            self.line.write(self._held[n])
        self._sent = len(self._held)
        super()._speak()


class Hasty(Controller):
    """Answers a command anew each time, whatever its number."""

    def _obey(self, frame):
        self._send(CommandAck(0), frame.seq)


class Vain(Controller):
    """Carries out what it does not name, and believes any value."""

    def _carry_out(self, _command):
        self._command_result = 0


class Echoless(Controller):
    def _send(self, message, seq):
        if isinstance(message, TimeEcho):
            message = TimeEcho(message.ticks_ms, message.host_ms & 0xFFFFFFFF)
        super()._send(message, seq)


class Stuttering(Controller):
    def _send(self, message, seq):
        if not isinstance(message, Tick) or message.ticks_ms // 1_000 % 2:
            super()._send(message, seq)


class Generous(Controller):
    """Makes up what a message lacks."""

    def _hear(self, frame):
        super()._hear(Frame(frame.type, frame.seq, frame.fields + bytes(1)))


class Pushing(Controller):
    """Tells all its states at once, whatever is held."""

    def _speak(self):
        while self._telling:
            self._issue(self._state[self._telling.popleft()])
        if self._telling is not None:
            self._telling = None
            self._issue(StateEnd(0, self._request))
        super()._speak()


class Frugal(Controller):
    """Does not send again what it holds when it is asked for its state."""

    def _hear(self, frame):
        sent = self._sent
        super()._hear(frame)
        if frame.type == 0x83:
            self._sent = sent


class Bored(Controller):
    """Answers a number it has had with a birth only."""

    def _hear(self, frame):
        if frame.type == 0x83 and int.from_bytes(frame.fields, "little") == self._request:
            self._send_birth()
        else:
            super()._hear(frame)


class Doubled(Controller):
    def _issue(self, reading):
        super()._issue(reading)
        if isinstance(reading, StateEnd):
            super()._issue(reading)


class Nostalgic(Controller):
    """Tells the dice again with the states."""

    def _issue(self, reading):
        super()._issue(reading)
        if isinstance(reading, DealerSet):
            super()._issue(DiceRolled(0, 3, 4))


class Numberless(Controller):
    def _send(self, message, seq):
        super()._send(message, 0 if isinstance(message, TimeEcho) else seq)


class Soothed(Controller):
    """A Nak puts off sending the oldest again."""

    def _resend(self, seq, count):
        super()._resend(seq, count)
        self._resent_at = self._ticks


class Insistent(Controller):
    """Answers Gone, and sends what it has of the rest all the same."""

    def _resend(self, seq, count):
        super()._resend(seq, count)
        for index in range(min(self._sent, count)):
            self.line.write(self._held[index])


class Loose(Decoder):
    """Takes a frame whatever its guard, check and version are."""

    def feed(self, data):
        from cobs import cobs

        found = []
        for piece in filter(None, bytes(data).split(b"\0")):
            try:
                raw = cobs.decode(piece)
            except cobs.DecodeError:
                continue
            if len(raw) >= 9:
                found.append(Frame(raw[2], raw[3] | raw[4] << 8, raw[5:-4]))
        return found


@pytest.mark.parametrize(
    ("kind", "check", "words"),
    [
        (Forgetful, "ack", "came again after they were acknowledged|no Tick|only"),
        (NeverAgain, "resend", "the oldest came again 0 times"),
        (Deaf, "nak", "did not come again after Nak"),
        (Garrulous, "window", "readings came though none was acknowledged"),
        (Hasty, "numbered", "when 1 was the next"),
        (Hasty, "unknown", "with 'done'"),
        (Vain, "unable", "does not name lamp but answers Lamp with 'done'"),
        (Echoless, "echo", "was echoed as"),
        (Stuttering, "ticks", "expected one each 250 ms"),
        (Generous, "short", "answers a TimeSync of seven bytes"),
        (Pushing, "full", "that nobody had acknowledged|another had taken its place"),
        (Frugal, "held", "were held and did not come again after StateRequest"),
        (Bored, "asked-anew", "after the same number was asked again"),
        (Doubled, "once-closed", "with StateEnd"),
        (Nostalgic, "moments", "tells DiceRolled at each state request"),
        (Numberless, "echo", "a TimeEcho has seq 0"),
        (Soothed, "patience", "expected for the Nak at 250 ms, and at 500 ms"),
        (Insistent, "nak", "came again after Gone"),
    ],
)
def test_what_is_wrong_is_found_and_said(findings, kind, check, words):
    found = findings(
        kind, (check,), capabilities=("dealer", "wall", "hand_zone", "discard_count", "ready_stick", "bay")
    )
    assert re.search(words, failures(found)[check])


@pytest.mark.parametrize("check", ["checked", "damaged", "foreign"])
def test_a_loose_decoder_is_found(findings, monkeypatch, check):
    monkeypatch.setattr(controller, "Decoder", Loose)
    assert check in failures(findings(checks=(check,)))


def test_a_reading_without_its_capability_is_found(findings):
    found = findings(checks=("state",), capabilities=("wall", "hand_zone", "discard_count", "ready_stick", "bay"))
    assert "tells DealerSet without naming the capability dealer" in failures(found)["state"]


def test_a_slot_without_its_capability_is_found(findings):
    class Precise(Controller):
        def _issue(self, reading):
            super()._issue(replace(reading, slot=5) if isinstance(reading, WallLeft) else reading)

    found = findings(Precise, ("named",), capabilities=("dealer", *PLAIN))
    assert "without naming the capability wall_slot" in failures(found)["named"]


def test_a_table_somebody_plays_at_passes(findings):
    """A reading each 100 ms, whether the ring is small or big."""

    class Played(Controller):
        _played = 0

        def pump(self, now_ms):
            if now_ms - self._played >= 100:
                self._played = now_ms
                self.wall(SEATS[0], now_ms // 100 % 34)
            super().pump(now_ms)

    checks = {"state", "window", "resend", "ack", "nak", "ticks", "echo", "once-closed", "held", "full", "short"}
    for ring in (16, 64):
        found = findings(Played, checks, ring=ring, capabilities=("dealer", *PLAIN))
        assert failures(found) == {}


def test_a_device_that_says_nothing_ends_it(tmp_path):
    class Silent(Controller):
        def pump(self, _now_ms):
            self.line.read()

    running = Running(tmp_path / "tty", Silent)
    probe = Probe(open_port(str(tmp_path / "tty"), 115_200))
    found = list(examine(probe))
    probe.close()
    running.stop()
    assert [(f.check.name, f.state) for f in found] == [("birth", "failed")]
    assert "has said nothing for 5 s" in found[0].says


def test_a_device_that_says_no_frames_ends_it_too(tmp_path):
    class Garbled(Controller):
        def pump(self, _now_ms):
            self.line.read()
            self.line.write(b"\x07\x55\0")

    running = Running(tmp_path / "tty", Garbled)
    probe = Probe(open_port(str(tmp_path / "tty"), 115_200))
    found = list(examine(probe))
    probe.close()
    running.stop()
    assert [(f.check.name, f.state) for f in found] == [("birth", "failed")]
    assert "sends bytes, but no frame for 5 s; is the baud rate right" in found[0].says


def test_a_device_that_the_opened_port_resets_is_waited_for(findings):
    """As an Arduino's boot loader does, it hears nothing for a while."""

    class Starting(Controller):
        def pump(self, now_ms):
            if now_ms < 2_000 * SPEED:
                self.line.read()
            else:
                super().pump(now_ms)

    assert findings(Starting, ("birth",))["birth"].state == "passed"


def test_reset_and_lift_are_looked_at_when_asked_for(findings):
    assert {check.name for check in ASKED_FOR} == {"lift", "reset"}

    class Restless(Controller):
        """Is reset a while after the host has fallen silent."""

        def pump(self, now_ms):
            super().pump(now_ms)
            if self._heard and now_ms > 20_000:
                self.reset()

    found = findings(Restless, ("reset", "lift"))
    assert failures(found) == {}
    assert found["lift"].says == "done, done"
    assert found["reset"].says == "boot differs, births each second"


def test_every_check_says_what_it_asks_and_where_that_stands(repo):
    text = (repo / "docs" / "protocol.md").read_text(encoding="utf-8")
    for check in (*CHECKS, *ASKED_FOR):
        assert check.promise.endswith(".")
        assert f"# {check.section}\n" in text
