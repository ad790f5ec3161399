"""Damage as lines do it: flipped bits, bytes lost or too many, bursts, frames joined by a lost or damaged delimiter."""

import random
from collections import Counter
from dataclasses import dataclass, field

from firmware_bridge.framing import MAX_FIELDS, Decoder, Frame, encode

KINDS = ("flips", "drop", "insert", "burst", "cut", "join", "run-on")


def damage(wire: bytes, rng: random.Random, kind: str = "") -> bytes:
    """One frame on the wire (its delimiter included) with one kind of damage, drawn when none is named; the last delimiter
    is kept."""
    data = bytearray(wire[:-1])
    at = rng.randrange(len(data))
    match kind or rng.choice(KINDS):
        case "flips":
            for _ in range(rng.randint(1, 3)):
                data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        case "drop":
            del data[at]
        case "insert":
            data.insert(at, rng.randrange(256))
        case "burst":
            for n in range(at, min(at + rng.randint(2, 6), len(data))):
                data[n] = rng.randrange(256)
        case "cut":
            del data[at : at + rng.randint(1, 4)]
        case "join":
            data += another(rng)
        case _:
            data += bytes((rng.randrange(1, 256),)) + another(rng)
    return bytes(data) + b"\0"


def another(rng: random.Random) -> bytes:
    """A frame without its delimiter."""
    return encode(Frame(rng.randrange(256), rng.randrange(0x10000), rng.randbytes(rng.randint(0, 20))))[:-1]


@dataclass
class Trial:
    """What came of many damaged frames, each followed by a good one."""

    damaged: Counter[str] = field(default_factory=Counter)
    """By kind; those that came out as they went in are not counted."""
    wrong: list[tuple[Frame, Frame]] = field(default_factory=list)
    """(sent, accepted) of every frame that was accepted and is not the one sent."""
    missed: int = 0
    """Good frames after a damaged one that were not heard."""
    held: int = 0
    """The most bytes the decoder ever kept."""


def trial(count: int, rng: random.Random) -> Trial:
    """Damages `count` frames, all kinds in turn."""
    found, decoder, good = Trial(), Decoder(), Frame(2, 7, b"\1\2\3\4")
    wire_of_good, n = encode(good), 0
    while found.damaged.total() < count:
        n += 1
        size = 12 if n % 2 else rng.randrange(MAX_FIELDS + 1)
        frame = Frame(rng.randrange(256), rng.randrange(0x10000), rng.randbytes(size))
        wire, kind = encode(frame), KINDS[n % len(KINDS)]
        if (bad := damage(wire, rng, kind)) == wire:
            continue
        found.damaged[kind] += 1
        heard = decoder.feed(bad[:-1])
        found.held = max(found.held, len(decoder._held))
        *accepted, last = heard + decoder.feed(b"\0" + wire_of_good)
        found.wrong += [(frame, got) for got in accepted if isinstance(got, Frame) and got != frame]
        found.missed += last != good
    return found
