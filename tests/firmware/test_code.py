"""The firmware before it runs: it compiles for both processors, fits them, and its codec is the bridge's."""

import random
import subprocess

import pytest
from board import MCUS
from corruption import damage

from firmware_bridge.framing import MAX_FIELDS, Decoder, Frame, encode
from firmware_bridge.header import header

RAM = {"atmega328p": 2048, "atmega2560": 8192}


def test_its_messages_are_the_bridges(repo):
    text = (repo / "firmware" / "messages.h").read_text(encoding="utf-8")
    assert text == header(), "run: python -m firmware_bridge.header firmware/messages.h"


@pytest.mark.parametrize("mcu", MCUS)
def test_it_compiles_without_a_warning_and_fits(firmware, mcu):
    run = subprocess.run(["avr-size", firmware / mcu / "controller.elf"], capture_output=True, text=True, check=True)
    code, data, bss, *_ = map(int, run.stdout.splitlines()[1].split()[:3])
    assert code + data < 16_000
    assert data + bss < RAM[mcu] - 500, "the stack needs room too"


@pytest.fixture(scope="module")
def codec(repo, tmp_path_factory):
    """The firmware's codec compiled for this computer, as a filter from bytes to bytes."""
    program = tmp_path_factory.mktemp("codec") / "codec"
    host = repo / "tests" / "firmware" / "host"
    try:
        sources = (host / "codec.c", repo / "firmware" / "frame.c")
        flags = ("-O2", "-Wall", "-Wextra", "-Werror", "-I", host, "-I", repo / "firmware")
        subprocess.run(["gcc", *flags, *sources, "-o", program], check=True)
    except FileNotFoundError:
        pytest.skip("no gcc to compile the codec with; install gcc")
    return lambda data: subprocess.run([program], input=data, capture_output=True, check=True).stdout


def frames(count, rng):
    return [
        Frame(
            rng.randrange(256),
            rng.randrange(0x10000),
            rng.randbytes(rng.randrange(MAX_FIELDS + 1)).replace(b"x", b"\0"),
        )
        for _ in range(count)
    ]


def test_it_reads_and_writes_frames_as_the_bridge_does(codec):
    wire = b"".join(map(encode, [Frame(1, 0), Frame(255, 0xFFFF, bytes(MAX_FIELDS)), *frames(5_000, random.Random(1))]))
    assert codec(wire) == wire


def test_it_accepts_no_damaged_frame(codec):
    rng = random.Random(2)
    sent = frames(20_000, rng)
    wire = b"".join(damage(encode(frame), rng) for frame in sent)
    ours = [frame for frame in Decoder().feed(wire) if isinstance(frame, Frame)]
    theirs = Decoder().feed(codec(wire))
    assert theirs == ours, "both sides accept the same: what happened to come through whole"
    assert all(frame in sent for frame in theirs)


def test_frames_of_another_version_and_endless_ones_are_dropped(codec):
    good = encode(Frame(3, 4, b"x"))
    assert codec(encode(Frame(1, 2, b"abc", version=2)) + good) == good
    assert codec(b"\0\0" + good + b"\7" * 100_000 + b"\0" + good + good[:-3]) == good + good
