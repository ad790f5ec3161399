"""Damage as lines do it: flipped bits, bytes lost or too many, bursts, frames joined by a lost delimiter."""

import random

from firmware_bridge.framing import MAX_FIELDS, Decoder, Frame, encode


def damage(wire: bytes, rng: random.Random) -> bytes:
    """One frame on the wire (its delimiter included) with one kind of damage; the last delimiter is kept."""
    data = bytearray(wire[:-1])
    kind = rng.randrange(6)
    at = rng.randrange(len(data))
    match kind:
        case 0:
            for _ in range(rng.randint(1, 3)):
                data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        case 1:
            del data[at]
        case 2:
            data.insert(at, rng.randrange(256))
        case 3:
            for n in range(at, min(at + rng.randint(2, 6), len(data))):
                data[n] = rng.randrange(256)
        case 4:
            del data[at : at + rng.randint(1, 4)]
        case _:
            data += encode(Frame(rng.randrange(256), rng.randrange(0x10000), rng.randbytes(rng.randint(0, 20))))[:-1]
    return bytes(data) + b"\0"


def accepted_wrong(count: int, rng: random.Random) -> list[tuple[Frame, Frame]]:
    """Damages `count` frames; returns (sent, accepted) of every frame that was accepted and is not the one sent."""
    wrong = []
    decoder = Decoder()
    for n in range(count):
        size = 12 if n % 2 else rng.randrange(MAX_FIELDS + 1)
        frame = Frame(rng.randrange(256), rng.randrange(0x10000), rng.randbytes(size))
        wire = encode(frame)
        wrong += [(frame, got) for got in decoder.feed(damage(wire, rng)) if isinstance(got, Frame) and got != frame]
    return wrong
