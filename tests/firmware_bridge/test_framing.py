"""Framing: known bytes, any chunking, bounded memory, and damage that never passes for a frame."""

import random

import pytest
from cobs import cobs
from corruption import KINDS, trial
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.framing import MAX_FIELDS, MAX_WIRE, BadFrame, Decoder, Frame, crc_modbus, crc_x25, decode, encode

FRAMES = st.builds(
    Frame, st.integers(0, 255), st.integers(0, 0xFFFF), st.binary(max_size=MAX_FIELDS), st.integers(0, 255)
)


def test_check_values_of_the_catalogue():
    assert crc_x25(b"123456789") == 0x906E
    assert crc_modbus(b"123456789") == 0x4B37


def test_known_bytes():
    """Worked out bit by bit, apart from the tables."""

    def bitwise(data, polynomial):
        register = 0xFFFF
        for byte in data:
            for bit in range(8):
                register = register >> 1 ^ (polynomial if (byte >> bit ^ register) & 1 else 0)
        return register

    raw = bytes.fromhex("06 01 02 0700 01000000")
    raw += bitwise(raw, 0xA001).to_bytes(2, "little")
    raw += (bitwise(raw, 0x8408) ^ 0xFFFF).to_bytes(2, "little")
    assert raw.count(0) == 4
    wire = b"\x05\x06\x01\x02\x07\x02\x01\x01\x01\x05" + raw[-4:] + b"\0"
    assert encode(Frame(0x02, 7, b"\x01\x00\x00\x00")) == wire


def test_longest_frame_fills_the_line_exactly():
    wire = encode(Frame(0x10, 1, bytes(range(1, MAX_FIELDS + 1))))
    assert len(wire) == MAX_WIRE
    assert Decoder().feed(wire) == [Frame(0x10, 1, bytes(range(1, MAX_FIELDS + 1)))]
    with pytest.raises(ValueError, match="at most 53"):
        encode(Frame(0x10, 1, bytes(MAX_FIELDS + 1)))


@given(FRAMES)
def test_round_trip(frame):
    assert Decoder().feed(encode(frame)) == [frame]


@given(st.lists(st.one_of(FRAMES.map(encode), st.binary(max_size=150)), max_size=12), st.data())
def test_any_chunking_gives_the_same(pieces, data):
    stream = b"".join(pieces)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=20)))
    chunks = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    whole, by_chunk, by_byte = Decoder(), Decoder(), Decoder()
    expected = whole.feed(stream)
    assert [f for c in chunks for f in by_chunk.feed(c)] == expected
    assert [f for n in range(len(stream)) for f in by_byte.feed(stream[n : n + 1])] == expected


@given(st.binary(max_size=200), FRAMES)
def test_the_next_delimiter_brings_it_back(noise, frame):
    assert Decoder().feed(noise + b"\0" + encode(frame))[-1] == frame


def test_a_flood_without_delimiter_is_one_bad_frame_and_no_memory():
    decoder = Decoder()
    for _ in range(1000):
        assert decoder.feed(b"\xff" * 10_000) == []
        assert len(decoder._held) <= MAX_WIRE
    (bad,) = decoder.feed(b"\0")
    assert isinstance(bad, BadFrame)
    assert (bad.reason, bad.size, len(bad.data)) == ("too long", 10_000_000, MAX_WIRE)


@pytest.mark.parametrize(
    ("encoded", "reason"),
    [
        (b"\x09abc", "not COBS"),
        (b"\x03ab", "too short"),
        (encode(Frame(1, 1, b"abc"))[:-2], "not COBS"),
        (b"x" * 64, "too long"),
    ],
)
def test_reasons(encoded, reason):
    bad = decode(encoded)
    assert isinstance(bad, BadFrame)
    assert bad.reason == reason


def test_wrong_length_and_wrong_check_are_told_apart():
    good = bytearray(encode(Frame(1, 1, b"abc"))[:-1])
    good[1] ^= 4  # len
    assert decode(bytes(good)) == BadFrame("wrong length", bytes(good), len(good))
    good[1] ^= 4
    good[-1] ^= 1
    assert decode(bytes(good)) == BadFrame("wrong check", bytes(good), len(good))
    raw = bytes((5, 1, 1, 1, 1)) + b"abc" + b"xy"
    wire = cobs.encode(raw + crc_x25(raw).to_bytes(2, "little"))
    assert decode(wire) == BadFrame("wrong guard", wire, len(wire))


def test_no_damaged_frame_is_accepted_and_the_one_after_it_is():
    """100,000 here; a million in tests/bench/bridge.py."""
    found = trial(100_000, random.Random(2))
    assert found.wrong == []
    assert found.missed == 0
    assert set(found.damaged) == set(KINDS)
    assert min(found.damaged.values()) > 10_000
    assert found.held <= MAX_WIRE
