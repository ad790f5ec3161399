"""The table of messages: round trips, ranges, growth of bodies, and order in the table itself."""

import contextlib
import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.fields import CAPABILITIES
from firmware_bridge.framing import MAX_FIELDS, Decoder, Frame, encode
from firmware_bridge.messages import (
    MESSAGES,
    NEEDS,
    SHAPES,
    Birth,
    Command,
    Display,
    Reading,
    WallLeft,
    is_command,
    is_reading,
    pack,
    unpack,
)
from table_engine.wire.errors import WireError

TEXT = st.text(st.characters(min_codepoint=1, max_codepoint=127))


def any_message(kind):
    def values(field):
        if field.code.endswith("s"):
            return TEXT.filter(lambda t: len(t) <= int(field.code[:-1]))
        return st.booleans() if field.code == "?" else st.integers(field.low, field.high)

    return st.builds(kind, **{name: values(field) for name, field in SHAPES[kind].fields})


@given(st.sampled_from(list(MESSAGES.values())).flatmap(any_message), st.integers(0, 0xFFFF))
def test_round_trip_through_the_line(message, seq):
    (frame,) = Decoder().feed(encode(pack(message, seq)))
    assert frame.seq == seq
    assert unpack(frame) == message


@given(st.sampled_from(list(MESSAGES.values())).flatmap(any_message), st.binary(max_size=9))
def test_a_longer_body_of_a_later_version_is_read_as_far_as_known(message, more):
    frame = pack(message)
    assert unpack(dataclasses.replace(frame, fields=frame.fields + more)) == message


@given(st.integers(0, 255), st.binary(max_size=MAX_FIELDS))
def test_any_body_is_a_message_or_a_wire_error(kind, body):
    with contextlib.suppress(WireError):
        message = unpack(Frame(kind, 0, body))
        again = pack(message).fields
        text = any(field.code.endswith("s") for _, field in SHAPES[type(message)].fields)
        assert again == body[: len(again)] or text, "text may hide bytes behind its first 0"


@pytest.mark.parametrize("kind", MESSAGES.values())
def test_one_byte_short_is_refused(kind):
    size = SHAPES[kind].layout.size
    if size:
        with pytest.raises(WireError, match=f"{kind.__name__}: {size - 1} bytes, expected {size}"):
            unpack(Frame(SHAPES[kind].type, 0, bytes(size - 1)))


def test_the_table_is_consistent():
    assert list(MESSAGES) == sorted(MESSAGES)
    assert len(set(MESSAGES.values())) == len(MESSAGES)
    for type_, message in MESSAGES.items():
        assert SHAPES[message].layout.size <= MAX_FIELDS
        assert is_reading(type_) == issubclass(message, Reading)
        assert is_command(type_) == issubclass(message, Command)
        if is_reading(type_):
            assert SHAPES[message].fields[0][0] == "ticks_ms"
    assert set(NEEDS) == {m for m in MESSAGES.values() if issubclass(m, Command)}
    assert set(NEEDS.values()) <= set(CAPABILITIES)
    assert len(CAPABILITIES) <= 32


def test_out_of_range_is_not_sent_and_not_taken():
    with pytest.raises(ValueError, match=r"side: 4 is not in 0\.\.3"):
        pack(WallLeft(0, 4, 0))
    with pytest.raises(WireError, match=r"WallLeft\.side: 4 is not in 0\.\.3"):
        unpack(Frame(SHAPES[WallLeft].type, 0, bytes((0, 0, 0, 0, 4, 0, 0))))
    with pytest.raises(ValueError, match="longer than 16 bytes"):
        pack(Display(0, "x" * 17))
    with pytest.raises(WireError, match="is not ASCII"):
        unpack(Frame(SHAPES[Display].type, 0, b"\0" + b"\xc3\xa4" + bytes(14)))
    with pytest.raises(WireError, match="type 0x7f is unknown"):
        unpack(Frame(0x7F, 0, b""))


def test_capabilities_are_bits():
    birth = Birth(0, 1, 0, 0, 0, 16, 1 << CAPABILITIES.index("wall") | 1, "m", "f")
    assert [name for name in CAPABILITIES if birth.can(name)] == ["dice", "wall"]
