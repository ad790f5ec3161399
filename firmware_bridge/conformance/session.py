"""Checks of birth, state, readings and time. Each returns what was measured, or raises WrongError or UntestedError."""

from __future__ import annotations

import itertools
import statistics
import time

from firmware_bridge.conformance.probe import Heard, Probe, UntestedError, WrongError
from firmware_bridge.fields import CAPABILITIES
from firmware_bridge.framing import SEQ
from firmware_bridge.messages import (
    TICK_MS,
    WINDOW,
    Ack,
    Birth,
    Gone,
    Nak,
    Reading,
    StateEnd,
    StateRequest,
    Tick,
    TimeEcho,
    TimeSync,
    is_reading,
)
from firmware_bridge.senses import SENSES, claims

_AGAIN_MS = (500, 1_000, 2_000)
_SLACK = 0.3
_NAK_MS = 250


def birth(probe: Probe) -> str:
    """Answers a state request with a birth that names it."""
    probe.wake()
    told, seq = probe.birth()
    if told.ring < WINDOW:
        raise WrongError(f"holds {told.ring} readings; at least {WINDOW} are needed")
    if not told.model:
        raise WrongError("model is empty")
    held = (seq + 1 - told.first) % SEQ
    if held > told.ring:
        raise WrongError(
            f"frame's seq {seq} and first {told.first} mean {held} readings held, the ring has {told.ring}"
        )
    if told.capabilities >> len(CAPABILITIES):
        raise WrongError(f"capability bits beyond {len(CAPABILITIES) - 1} are set: {told.capabilities:#x}")
    able = [name for name in CAPABILITIES if told.can(name)]
    return f"{told.model} {told.firmware}, ring {told.ring}, {', '.join(able) or 'no capabilities'}"


def state(probe: Probe) -> str:
    """Tells every state as numbered readings and closes with StateEnd."""
    probe.rest()
    readings = probe.state()
    told, _ = probe.birth()
    first = readings[0].seq
    if sorted((h.seq - first) % SEQ for h in readings) != list(range(len(readings))):
        raise WrongError(f"readings are not numbered one by one: {[h.seq for h in readings]}")
    for heard in readings:
        message = heard.message
        if message is None:
            raise WrongError(f"type 0x{heard.frame.type:02x} with fields {heard.frame.fields.hex(' ')} cannot be read")
        if isinstance(message, Reading):
            unnamed(message, told)
    return f"{len(readings) - 1} states"


def named(probe: Probe) -> str:
    """Has told nothing, all the time, without the capability that goes with it."""
    told, _ = probe.birth()
    for message in probe.kinds.values():
        unnamed(message, told)
    return f"{len({type(message) for message in probe.kinds.values()})} kinds of readings heard"


def unnamed(message: Reading, told: Birth) -> None:
    """Raises WrongError when a reading tells what the device has not named."""
    names = SENSES.get(type(message), ())
    if names and not any(told.can(name) for name in names):
        raise WrongError(f"tells {type(message).__name__} without naming the capability {' or '.join(names)}")
    for name in claims(message):
        if not told.can(name):
            raise WrongError(f"tells {message} without naming the capability {name}")


def window(probe: Probe) -> str:
    """Has at most a window of readings under way unacknowledged."""
    probe.rest()
    probe.ask()
    seqs: dict[int, None] = {}
    for heard in probe.listen(450):
        if is_reading(heard.frame.type):
            seqs[heard.seq] = None
        elif isinstance(heard.message, Tick) and seqs and heard.seq not in seqs:
            raise WrongError(f"a Tick names reading {heard.seq}, which has not been sent yet")
    told, _ = born(probe)
    under_way = [seq for seq in seqs if (seq - told.first) % SEQ < SEQ // 2]  # the others were overwritten
    if len(under_way) > WINDOW:
        raise WrongError(f"{len(under_way)} readings came though none was acknowledged")
    return f"{len(under_way)} under way"


def resend(probe: Probe) -> str:
    """Sends the oldest unacknowledged reading again after 500 ms, then after twice as long."""
    probe.rest()
    probe.ask()
    seen: set[int] = set()
    times: list[int] = []  # of the first reading, and of each that came again: the oldest then
    for heard in probe.listen(sum(_AGAIN_MS) + 700):
        if is_reading(heard.frame.type):
            if not seen or heard.seq in seen:
                times.append(heard.ticks)
            seen.add(heard.seq)
    if not seen:
        raise WrongError("no readings came after StateRequest")
    gaps = [b - a for a, b in itertools.pairwise(times)]
    for gap, due in zip(gaps, _AGAIN_MS, strict=False):
        if abs(gap - due) > _SLACK * due + 60:
            raise WrongError(f"the oldest came again after {gaps[:4]} ms; expected {', '.join(map(str, _AGAIN_MS))}")
    if len(gaps) < len(_AGAIN_MS):
        raise WrongError(
            f"the oldest came again {len(gaps)} times in {sum(_AGAIN_MS) + 700} ms; expected {len(_AGAIN_MS)}"
        )
    return f"again after {', '.join(map(str, gaps))} ms"


def ack(probe: Probe) -> str:
    """Forgets what is acknowledged, and ignores an Ack for what is not under way."""
    last = probe.rest()
    probe.ask()
    (first, *_) = first_readings(probe, 1)
    probe.send(Ack(), first.seq + 5_000)
    probe.send(Ack(), first.seq - 5_000)
    told, seq = born(probe)
    overflowed = (seq + 1 - told.first) % SEQ == told.ring  # new readings have pushed the oldest out
    if (told.first - 1) % SEQ != last and not overflowed:
        raise WrongError(
            f"an Ack for a reading not under way was taken: first {told.first}, expected {(last + 1) % SEQ}"
        )
    list(probe.listen(200))
    gone = set(probe.readings)
    probe.send(Ack(), max(gone, key=lambda seq: (seq - last) % SEQ))
    list(probe.listen(100))
    again = [heard.seq for heard in probe.listen(1_200) if heard.seq in gone and is_reading(heard.frame.type)]
    if again:
        raise WrongError(f"readings {again} came again after they were acknowledged")
    return f"{len(gone)} forgotten"


def nak(probe: Probe) -> str:
    """Sends what a Nak names again as it was, and says Gone for what it no longer holds."""
    last = probe.rest()
    probe.ask()
    first_readings(probe, 1)
    list(probe.listen(150))
    asked = list(probe.readings.values())[-1]  # not the oldest, which comes again unasked
    probe.send(Nak(1), asked.seq)
    again = probe.wait(lambda h: h.seq == asked.seq and is_reading(h.frame.type), 300)
    if again is None:
        raise WrongError(f"reading {asked.seq} did not come again after Nak")
    if again.frame != asked.frame:
        raise WrongError(f"reading {asked.seq} came again as {again.frame}, before it was {asked.frame}")
    probe.send(Nak(3 if (last + 2) % SEQ in probe.readings else 1), last)
    gone = probe.need(Gone, 500, "Nak for a reading long acknowledged")
    came = [h.seq for h in probe.listen(150) if is_reading(h.frame.type)]
    told, _ = born(probe)
    if (last + 2) % SEQ in came and told.first == (last + 1) % SEQ:  # not the oldest, which comes again unasked
        raise WrongError(f"reading {(last + 2) % SEQ} came again after Gone; expected Gone alone")
    if (gone.seq - last - 1) % SEQ > (told.first - last - 1) % SEQ:
        raise WrongError(f"Gone names {gone.seq}; the oldest reading held is {told.first}")
    return "sent again; Gone for what is not held"


def patience(probe: Probe) -> str:
    """Is not kept from sending the oldest again in time by a Nak that was answered."""
    probe.rest()
    probe.ask()
    oldest, began = _only_end(probe), probe.ticks
    list(probe.listen(_NAK_MS))
    probe.send(Nak(1), oldest.seq)
    heard = [h for h in probe.listen(700) if h.seq == oldest.seq and is_reading(h.frame.type)]
    told, _ = born(probe)
    if 0 < (told.first - oldest.seq) % SEQ < SEQ // 2:
        raise UntestedError("new readings pushed out the oldest")
    came = [h.ticks - began for h in heard]
    if sum(after <= (1 + _SLACK) * _AGAIN_MS[0] + 60 for after in came) < 2:
        raise WrongError(f"the oldest came again after {came} ms; expected for the Nak at {_NAK_MS} ms, and at 500 ms")
    return f"again after {', '.join(map(str, came))} ms"


def ticks(probe: Probe) -> str:
    """Says its time each 250 ms, with the seq of the last reading."""
    last = probe.rest()
    told = []
    for heard in probe.listen(3_000, sync=False):
        if isinstance(heard.message, Tick):
            told.append(heard)
        elif is_reading(heard.frame.type):
            probe.send(Ack(), heard.seq)
    times = [h.message.ticks_ms for h in told if isinstance(h.message, Tick)]
    gaps = [b - a for a, b in itertools.pairwise(times)]
    if not gaps or max(gaps) > 2 * TICK_MS or abs(statistics.mean(gaps) - TICK_MS) > _SLACK * TICK_MS:
        raise WrongError(f"ticks {gaps or 'did not come'}; expected one each {TICK_MS} ms")
    if any(h.seq != last for h in told) and probe.issued == last:
        raise WrongError(f"ticks name readings {sorted({h.seq for h in told})}; the last one was {last}")
    return f"each {statistics.mean(gaps):.0f} ms"


def echo(probe: Probe) -> str:
    """Answers a time sync at once with the very number that was sent."""
    took, seqs = [], []
    last = probe.rest()
    for number in (0, 1, 1_700_000_000_000, -(2**63), 2**63 - 1, *range(100, 120)):
        sent_s = time.monotonic()
        probe.send(TimeSync(number))
        for heard in probe.listen(1_000, sync=False):
            if isinstance(heard.message, TimeEcho):
                break
            if is_reading(heard.frame.type):
                probe.send(Ack(), heard.seq)
        else:
            raise WrongError(f"no TimeEcho within 1000 ms after TimeSync {number}")
        if heard.message.host_ms != number:
            raise WrongError(f"TimeSync {number} was echoed as {heard.message.host_ms}")
        took.append(1_000 * (time.monotonic() - sent_s))
        seqs.append(heard.seq)
    issued = (probe.rest() - last) % SEQ
    wrong = [seq for seq in seqs if (seq - last) % SEQ > issued]
    if wrong:
        raise WrongError(f"a TimeEcho has seq {wrong[0]}; the last reading issued was {last}")
    return f"round trip {statistics.median(took):.1f} ms, at most {max(took):.1f} ms"


def rate(probe: Probe) -> str:
    """Its clock runs as the computer's does, to 0.5 %."""
    offsets = []
    for _ in range(2):
        bounds = []
        for _ in range(20):
            probe.send(TimeSync(0))
            heard = probe.need(TimeEcho, 1_000, "TimeSync")
            if isinstance(heard.message, TimeEcho):
                bounds.append(1_000 * time.monotonic() - heard.message.ticks_ms)
        offsets.append((min(bounds), probe.ticks))
        if len(offsets) == 1:
            list(probe.listen(5_000))
    drift = (offsets[1][0] - offsets[0][0]) / (offsets[1][1] - offsets[0][1])
    if abs(drift) > 0.005:
        simulated = "; if it is a simulation that runs at another speed: --skip rate" if abs(drift) > 0.05 else ""
        raise WrongError(f"runs {-100 * drift:+.2f} % against this computer's clock{simulated}")
    return f"{-100 * drift:+.3f} %"


def asked_twice(probe: Probe) -> str:
    """Asked again with the same number, answers with a birth again."""
    probe.rest()
    probe.ask()
    again(probe)
    births = 0
    for heard in probe.listen(5_000):
        births += isinstance(heard.message, Birth) and heard.message.request == probe.request
        if is_reading(heard.frame.type):
            probe.send(Ack(), heard.seq)
        if births == 2 and probe.ended == probe.request:
            break
    if births < 2:
        raise WrongError(f"{births} births after the same request came twice")
    if probe.ended != probe.request:
        raise WrongError("no StateEnd after the same request came twice")
    return f"{births} births"


def reset(probe: Probe) -> str:
    """After a reset: a birth at once and each second until the host speaks, another boot, numbers from 0."""
    told, _ = probe.birth()
    births: list[Heard] = []
    for heard in probe.listen(2**31, sync=False):
        if isinstance(heard.message, Birth) and heard.message.boot != told.boot:
            births.append(heard)
            if len(births) == 3:
                break
    if births[0].seq != SEQ - 1:
        raise WrongError(f"numbers go on from {births[0].seq} after a reset; the first birth's seq is {SEQ - 1}")
    times = [heard.ticks for heard in births]
    if any(abs(b - a - 1_000) > 200 for a, b in itertools.pairwise(times)):
        raise WrongError(f"births at {times} ms; expected one each second until the host speaks")
    return "boot differs, births each second"


def first_readings(probe: Probe, count: int) -> list[Heard]:
    """The next `count` different readings, in order."""
    found: dict[int, Heard] = {}
    for heard in probe.listen(1_500):
        if is_reading(heard.frame.type):
            found.setdefault(heard.seq, heard)
        if len(found) >= count:
            return list(found.values())
    raise UntestedError(f"only {len(found)} readings came")


def _only_end(probe: Probe) -> Heard:
    """Acknowledges every state, but not the end."""
    for heard in probe.listen(5_000):
        if isinstance(heard.message, StateEnd) and heard.message.request == probe.request:
            probe.send(Ack(), heard.seq - 1)
            return heard
        if is_reading(heard.frame.type):
            probe.send(Ack(), heard.seq)
    raise UntestedError("no StateEnd came")


def born(probe: Probe) -> tuple[Birth, int]:
    """A birth without a new state: the last request again."""
    again(probe)
    heard = probe.need(Birth, 1_000, "the same StateRequest again")
    if not isinstance(heard.message, Birth):
        raise WrongError("no Birth")
    return heard.message, heard.seq


def again(probe: Probe) -> None:
    probe.send(StateRequest(probe.request))
