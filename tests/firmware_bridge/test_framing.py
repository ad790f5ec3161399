"""Framing: known bytes, any chunking, bounded memory, and damage that never passes for a frame."""

import random

import pytest
from corruption import accepted_wrong
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.framing import MAX_BODY, MAX_WIRE, BadFrame, Decoder, Frame, crc16, decode, encode

FRAMES = st.builds(
    Frame, st.integers(0, 255), st.integers(0, 0xFFFF), st.binary(max_size=MAX_BODY), st.integers(0, 255)
)


def test_check_value_of_the_catalogue():
    assert crc16(b"123456789") == 0x906E


def test_known_bytes():
    assert encode(Frame(0x02, 7, b"\x01\x00\x00\x00")).hex() == "050401020702010101036c3800"


def test_longest_frame_fills_the_line_exactly():
    wire = encode(Frame(0x10, 1, bytes(range(1, MAX_BODY + 1))))
    assert len(wire) == MAX_WIRE
    assert Decoder().feed(wire) == [Frame(0x10, 1, bytes(range(1, MAX_BODY + 1)))]
    with pytest.raises(ValueError, match="at most 55"):
        encode(Frame(0x10, 1, bytes(MAX_BODY + 1)))


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


def test_no_damaged_frame_is_accepted():
    """300,000 here; a million in tests/bench/corruption.py."""
    assert accepted_wrong(300_000, random.Random(2)) == []
