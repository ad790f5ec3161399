from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.mjpeg import Part, PartReader, boundary_of

WITH_LENGTH = (
    b"--edge\r\nContent-Type: image/jpeg\r\nContent-Length: 5\r\nX-Timestamp: 1234\r\n\r\nab--e\r\n"
    b"--edge\r\nContent-Type: image/jpeg\r\nContent-Length: 3\r\nX-Timestamp: 12.5\r\n\r\nxyz\r\n"
)
WITHOUT = b"--edge\r\nContent-Type: image/jpeg\r\n\r\nfirst\r\n--edge\r\n\r\nsecond\r\n--edge"


def bodies(stream: bytes, cuts: list[int]) -> list[bytes]:
    reader, out, start = PartReader(b"edge"), [], 0
    for cut in [*sorted(cuts), len(stream)]:
        out += [part.body for part in reader.feed(stream[start:cut])]
        start = cut
    return out


@given(st.lists(st.integers(0, len(WITH_LENGTH)), max_size=8))
def test_parts_with_length_whatever_the_pieces(cuts):
    assert bodies(WITH_LENGTH, cuts) == [b"ab--e", b"xyz"]


@given(st.lists(st.integers(0, len(WITHOUT)), max_size=8))
def test_parts_without_length_end_at_the_next_boundary(cuts):
    assert bodies(WITHOUT, cuts) == [b"first", b"second"]


def test_byte_by_byte():
    assert bodies(WITH_LENGTH, list(range(len(WITH_LENGTH)))) == [b"ab--e", b"xyz"]


@pytest.mark.parametrize(
    ("said", "ms"), [("1234", 1234), ("12.5", 12500), ("", None), ("soon", None), ("1.0e999", None)]
)
def test_stamps(said, ms):
    assert Part({"x-timestamp": said}, b"").stamp_ms == ms


@pytest.mark.parametrize(
    ("said", "edge"),
    [
        ("multipart/x-mixed-replace; boundary=edge", b"edge"),
        ('multipart/x-mixed-replace;boundary="--edge"', b"edge"),
        ("image/jpeg", None),
        ("", None),
    ],
)
def test_boundaries(said, edge):
    assert boundary_of(said) == edge


def test_a_length_that_is_no_number_is_as_if_not_said():
    assert bodies(b"--edge\r\nContent-Length: \xb2\r\n\r\nfirst\r\n--edge", []) == [b"first"]
