"""`docs/protocol.md` is what the code does."""

import re

from firmware_bridge import link, messages, orders
from firmware_bridge.document import BEGIN, EXAMPLES, renewed
from firmware_bridge.framing import MAX_FIELDS, VERSION, Decoder, crc_modbus, crc_x25
from firmware_bridge.messages import MESSAGES, TICK_MS, WINDOW, unpack


def test_the_tables_are_up_to_date(repo):
    text = (repo / "docs" / "protocol.md").read_text(encoding="utf-8")
    assert text == renewed(text), "run: python -m firmware_bridge.document docs/protocol.md"


def test_every_message_has_one_example():
    assert [type(m) for m, _ in EXAMPLES] == list(MESSAGES.values())


def test_the_examples_bytes_say_what_is_written(repo):
    text = (repo / "docs" / "protocol.md").read_text(encoding="utf-8")
    written = [bytes.fromhex(line) for line in re.findall(r"^    ((?:[0-9a-f]{2} ?)+)$", text, re.MULTILINE)]
    frames = [frame for wire in written for frame in Decoder().feed(wire)]
    assert [(unpack(frame), frame.seq) for frame in frames] == list(EXAMPLES)


def test_the_numbers_in_the_prose_are_the_codes(repo):
    prose = (repo / "docs" / "protocol.md").read_text(encoding="utf-8").partition(BEGIN)[0]
    prose = " ".join(prose.split())
    for words in (
        f"Version {VERSION}.",
        f"length of the body, 2 to {MAX_FIELDS + 2}",
        f"a ring of at least {WINDOW}",
        f"At most {WINDOW} are under way",
        f"again only after {WINDOW} more frames or {link._ASK_AGAIN_MS} ms",
        f"each {TICK_MS} ms of device time",
        f"after {link._STATE_AGAIN_MS / 1000:g} s of device time without `StateEnd`",
        f"repeats a command after {orders._AGAIN_MS} ms",
        f"0x{crc_x25(b'123456789'):X}",
        f"0x{crc_modbus(b'123456789'):X}",
    ):
        assert words in prose
    assert messages.is_reading(0x10)
    assert messages.is_reading(0x7F)
    assert messages.is_command(0x90)
    assert messages.is_command(0xFF)
    assert not any(messages.is_reading(t) or messages.is_command(t) for t in (0x0F, 0x80, 0x8F))
