"""Captures: what is written is read again, what is not one is said so."""

from datetime import UTC, datetime

import pytest

from firmware_bridge.capture import Capture, Piece, read_capture
from table_engine.wire.errors import SettingsError


def test_what_is_written_is_read_again(tmp_path):
    path = tmp_path / "a.jsonl"
    began = datetime(2026, 11, 29, 10, tzinfo=UTC)
    with Capture(path, port="/dev/ttyUSB0", baud=9600, device="reference", began=began) as capture:
        capture.write(0, b"\x00\xff")
        capture.write(5, b"hello", sent=True)
        capture.write(7, b"")
    head, pieces = read_capture(path)
    assert (head.port, head.baud, head.device, head.began) == ("/dev/ttyUSB0", 9600, "reference", began)
    assert pieces == [Piece(0, b"\x00\xff"), Piece(5, b"hello", sent=True)]


def test_a_line_cut_off_by_a_crash_is_left_out(tmp_path):
    path = tmp_path / "a.jsonl"
    with Capture(path, port="p", baud=1, device="d") as capture:
        capture.write(1, b"a")
        capture.write(2, b"b")
    path.write_text(path.read_text()[:-6])
    assert read_capture(path)[1] == [Piece(1, b"a")]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not a capture of ours"),
        ('{"capture": 2, "port": "p", "baud": 1, "device": "d", "began": "2026-11-29T10:00:00Z"}\n', "capture"),
        (
            '{"capture":1,"port":"p","baud":1,"device":"d","began":"2026-11-29T10:00:00Z"}\n{"ms":1,"in":"zz"}\n',
            "line 2",
        ),
        ('{"capture":1,"port":"p","baud":1,"device":"d","began":"2026-11-29T10:00:00Z"}\nnonsense\n', "line 2"),
    ],
)
def test_what_is_no_capture_is_said(tmp_path, text, words):
    path = tmp_path / "a.jsonl"
    path.write_text(text)
    with pytest.raises(SettingsError, match=words):
        read_capture(path)
    with pytest.raises(SettingsError, match="cannot be read"):
        read_capture(tmp_path / "absent")
    with pytest.raises(SettingsError, match="cannot be written"):
        Capture(tmp_path / "absent" / "a", port="p", baud=1, device="d")
