"""The session, frame by frame: what the host answers to what a device says."""

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.fields import CAPABILITIES
from firmware_bridge.framing import SEQ, Decoder, Frame, encode
from firmware_bridge.link import Link
from firmware_bridge.link_events import Born, ClockSet, Foreign, Gap, Place, Quiet, Told, Whole
from firmware_bridge.messages import (
    Ack,
    Beep,
    Birth,
    DealerSet,
    DiceRolled,
    Gone,
    Nak,
    StateEnd,
    StateRequest,
    Tick,
    TimeEcho,
    TimeSync,
    WallLeft,
    pack,
    unpack,
)

HOST = 1_700_000_000_000
ALL = (1 << len(CAPABILITIES)) - 1


def birth(ticks=0, boot=7, request=0, first=0, command=0, model="m"):
    return Birth(ticks, boot, request, first, command, 16, ALL, model, "1")


def wire(message, seq=0):
    return encode(pack(message, seq))


def said(link):
    """What the host put on the line, as (message, seq)."""
    return [(unpack(frame), frame.seq) for frame in Decoder().feed(link.to_send())]


def begun(first=0, last=None, resume=None, **options):
    link = Link(**options)
    link.resume(resume)
    link.opened()
    link.receive(wire(birth(first=first), first - 1 & 0xFFFF if last is None else last), HOST)
    link.to_send()
    return link


def roll(n):
    return DiceRolled(10 * n, n % 6 + 1, n // 6 % 6 + 1, n // 36 % 6 + 1)


def test_first_contact():
    link = Link(request=41)
    link.opened()
    assert said(link) == [(StateRequest(42), 0)]
    assert link.receive(wire(roll(1), 3), HOST) == [], "who speaks is not known yet"
    assert said(link) == [(StateRequest(42), 0)], "no tick may come as long as its window is full"
    events = link.receive(wire(birth(request=42, first=5), 4), HOST)
    assert events == [Born(birth(request=42, first=5), reset=False, at_ms=HOST)]
    assert said(link) == [(TimeSync(HOST), 0)], "the birth answers the request: it isn't asked again"
    events = link.receive(wire(DealerSet(10, 2), 5) + wire(StateEnd(10, 42), 6), HOST + 10)
    assert events == [Told(DealerSet(10, 2), HOST + 10, 7, 5), Whole(HOST + 10)]
    assert said(link) == [], "nothing is stored yet"
    link.confirm()
    assert said(link) == [(Ack(), 6)]
    link.confirm()
    assert said(link) == []


def test_a_birth_nobody_asked_for_is_asked_for_the_state():
    link = begun()
    events = link.receive(wire(birth(boot=8), 0xFFFF), HOST + 5)
    assert events == [Born(birth(boot=8), reset=True, at_ms=HOST + 5)]
    assert (StateRequest(2), 0) in said(link)
    assert link.receive(wire(birth(boot=8, request=2), 0xFFFF), HOST + 6) == [], "the same birth, again"


def test_a_device_that_started_anew_and_whose_birth_was_lost_is_asked_who_it_is():
    link = begun()
    link.receive(wire(Tick(60_000), 0xFFFF), HOST + 60_000)
    said(link)
    assert link.receive(wire(Tick(250), 0xFFFF), HOST + 60_300) == []
    assert said(link) == [(StateRequest(2), 0)]


def test_one_that_repeats_itself_while_its_state_is_awaited_is_asked_again():
    link = begun(first=3, last=20)
    link.receive(wire(roll(3), 3), HOST)
    said(link)
    for times in (1, 2, 3, 1, 2, 3):
        link.receive(wire(roll(3), 3), HOST)
        assert ((StateRequest(2), 0) in said(link)) == (times == 3)


def test_a_hole_is_asked_for_and_filled_in_order():
    link = begun()
    assert link.receive(wire(roll(1), 1) + wire(roll(3), 3), HOST) == []
    assert said(link) == [(Nak(1), 0), (Nak(1), 2)]
    events = link.receive(wire(roll(0), 0) + wire(roll(2), 2), HOST)
    assert [e.message for e in events] == [roll(0), roll(1), roll(2), roll(3)]
    assert link.counters.recovered == 2


def test_a_hole_is_not_asked_for_with_every_frame():
    link = begun()
    for n in range(1, 15):
        link.receive(wire(roll(n), n), HOST)
    assert said(link) == [(Nak(1), 0)]
    link.receive(wire(Tick(400), 14), HOST + 400)
    assert said(link)[0] == (Nak(1), 0), "the first answer was lost too"


def test_a_tick_shows_that_the_last_message_was_lost():
    link = begun()
    assert link.receive(wire(Tick(250), 0), HOST + 250) == []
    assert (Nak(1), 0) in said(link)
    assert [type(e) for e in link.receive(wire(roll(0), 0) + wire(Tick(500), 0), HOST + 500)] == [Told, Quiet]


def test_what_came_twice_is_told_once_and_acknowledged_twice():
    link = begun()
    assert len(link.receive(wire(roll(0), 0) * 2, HOST)) == 1
    link.confirm()
    assert said(link) == [(Ack(), 0)]
    assert link.receive(wire(roll(0), 0), HOST) == []
    link.confirm()
    assert said(link) == [(Ack(), 0)], "the acknowledgement may have been lost"


def test_what_is_gone_is_a_gap_and_the_state_is_asked_for():
    link = begun()
    link.receive(wire(roll(4), 4), HOST)
    assert said(link)[0] == (Nak(4), 0)
    events = link.receive(wire(Gone(), 3), HOST)
    assert events == [Gap(3, HOST)]
    assert link.receive(wire(Gone(), 5), HOST)[:2] == [Gap(1, HOST), Told(roll(4), HOST, 7, 4)]
    assert isinstance(said(link)[0][0], StateRequest)
    assert (link.counters.gaps, link.counters.lost) == (2, 4)


def test_sequence_numbers_wrap():
    link = begun(first=SEQ - 3)
    events = link.receive(b"".join(wire(roll(n), (SEQ - 3 + n) % SEQ) for n in range(6)), HOST)
    assert [e.seq for e in events] == [SEQ - 3, SEQ - 2, SEQ - 1, 0, 1, 2]
    link.confirm()
    assert said(link) == [(Ack(), 2)]


def test_a_session_goes_on_where_the_last_one_stored():
    link = begun(last=3, resume=Place(7, 1, HOST))
    events = link.receive(b"".join(wire(roll(n), n) for n in range(4)), HOST)
    assert [e.seq for e in events] == [2, 3]
    link = Link()
    link.resume(Place.parse(str(Place(7, 1, HOST - 5))))
    link.receive(wire(birth(first=4), 5), HOST)
    assert link.counters.lost == 2


def test_a_place_in_the_future_is_void():
    link = begun(last=3, resume=Place(7, 1, HOST + 500))
    events = link.receive(b"".join(wire(roll(n), n) for n in range(4)), HOST)
    assert [e.seq for e in events] == [0, 1, 2, 3]
    assert {e.at_ms for e in events} == {HOST}


@pytest.mark.parametrize("other", [birth(boot=9, ticks=9), birth(model="n", ticks=9), birth(ticks=9)])
def test_another_device_at_the_same_cable_begins_anew(other):
    link = begun(first=100)
    link.receive(wire(roll(0), 100), HOST)
    events = link.receive(wire(other, 0xFFFF), HOST)
    assert [type(e) for e in events] == [Born]
    assert [e.seq for e in link.receive(wire(roll(1), 0), HOST)] == [0]


def test_ticks_that_go_back_are_a_new_start_of_the_same_boot():
    """A simulation begun again with the same seed."""
    link = begun()
    link.receive(wire(roll(5), 0), HOST)
    events = link.receive(wire(birth(ticks=10), 3), HOST)
    assert [type(e) for e in events] == [Born]
    assert [e.seq for e in link.receive(wire(roll(1), 0), HOST)] == [0]


def test_an_unknown_reading_is_acknowledged_and_skipped():
    link = begun()
    assert link.receive(encode(Frame(0x6F, 0, b"future")) + wire(roll(1), 1), HOST)[0].message == roll(1)
    link.confirm()
    assert said(link) == [(Ack(), 1)]
    assert link.counters.unknown == 1
    link.receive(encode(Frame(0x13, 2, b"\0\0\0\0\x09\0\0")), HOST)
    assert link.counters.malformed == 1


def test_a_future_version_is_named():
    link = begun()
    assert link.receive(encode(Frame(0x10, 0, b"", version=2)), HOST) == [Foreign(2, HOST)]


def test_without_ticks_nothing_is_repeated_however_often_it_is_called():
    """Paced by the device: the host's time may stand still or race."""
    link = begun()
    link.receive(wire(roll(2), 2), HOST)
    said(link)
    for n in range(50):
        link.receive(b"", HOST + n * 60_000)
    assert said(link) == []


def test_the_state_is_asked_for_again_by_the_devices_time():
    link = begun()
    asked = [
        n for n in range(20) if link.receive(wire(Tick(n * 250), 0xFFFF), HOST) and StateRequest(2) in dict(said(link))
    ]
    assert asked == [6, 12, 18]


def test_a_device_too_busy_to_tick_hears_again_what_it_has_not_answered():
    link = begun()
    link.command(Beep(440, 100))
    said(link)
    again = []
    for n in range(40):
        link.receive(wire(roll(10 * n), n), HOST + 100 * n)
        again += [message for message, _ in said(link) if isinstance(message, Beep | StateRequest)]
    assert again.count(Beep(440, 100)) == 9
    assert again.count(StateRequest(2)) == 2


def test_an_echo_of_what_was_never_asked_proves_nothing():
    link = begun()
    for host_ms in (HOST + 90, HOST - 1, 0, 2**62):
        assert link.receive(wire(TimeEcho(100, host_ms)), HOST + 100) == []
    assert link.clock.uncertainty_ms is None
    link.receive(wire(TimeEcho(100, HOST)), HOST + 100)
    assert link.clock.uncertainty_ms == pytest.approx(100)


def test_a_clock_that_is_set_is_told_and_times_follow_it():
    link = begun()
    link.receive(wire(TimeEcho(100, HOST)), HOST + 100)
    assert [type(e) for e in link.receive(wire(roll(50), 0), HOST + 500)] == [Told]
    events = link.receive(wire(roll(60), 1), HOST - 100_000)
    assert events == [ClockSet(pytest.approx(-100_500, abs=20), HOST - 100_000), Told(roll(60), HOST - 100_000, 7, 1)]


@settings(deadline=None)
@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=60),
    st.integers(0, SEQ - 1),
    st.randoms(use_true_random=False),
)
def test_lost_doubled_and_swapped_frames_are_told_once_in_order(fates, first, rng):
    """A device that answers each NAK, over a line that loses, doubles and swaps: everything once, in order."""
    link = begun(first=first)
    frames = {(first + n) % SEQ: wire(WallLeft(n, n % 4, n), (first + n) % SEQ) for n in range(len(fates))}
    line = []
    for (_, frame), fate in zip(frames.items(), fates, strict=True):
        match fate:
            case 0:
                line.append(frame)
            case 1:
                pass
            case 2:
                line += [frame, frame]
            case _:
                line.insert(rng.randint(max(0, len(line) - 5), len(line)), frame)
    told = []
    last = (first + len(fates) - 1) % SEQ
    for ticks in itertools.count(1000, 250):
        line.append(wire(Tick(ticks), last))
        for frame in line:
            told += [e for e in link.receive(frame, HOST + ticks) if isinstance(e, Told)]
        asked = [(seq + n) % SEQ for m, seq in said(link) if isinstance(m, Nak) for n in range(m.count)]
        line = [frames[seq] for seq in asked if rng.random() < 0.7]
        if not asked and len(told) == len(fates):
            break
        assert ticks < 30_000
    assert [e.message.count for e in told] == list(range(len(fates)))


def test_a_flood_of_good_frames_in_no_order_grows_nothing():
    """A device gone mad: every type, any seq, any fields. What the session holds stays small, whatever it makes of it."""
    rng = random.Random(7)
    link = begun()
    for n in range(20_000):
        size = rng.choice((0, 4, 5, 6, 7, 8, 12, 46))
        frame = Frame(rng.choice((*range(0x20), 0x7F, 0x81, 0xFF)), rng.randrange(SEQ), rng.randbytes(size))
        link.receive(encode(frame), HOST + n)
        if n % 50 == 0:
            link.confirm()
            assert len(link.to_send()) < 50 * 64
        assert len(link._beyond) <= 64
        assert len(link._asked) <= 64
    assert len(link._orders) == 0
    link.receive(wire(birth(boot=99), 0xFFFF), HOST + 50_000)
    assert link.receive(wire(roll(0), 0), HOST + 50_000)[-1].message == roll(0), "and it goes on"
