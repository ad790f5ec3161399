"""A made-up foreign controller that speaks in lines, for `devices/ascii_line.py`: `python foreign.py PATH` plays a hand's
beginning on a pty. `captures/ascii_line.jsonl` is `jantaku bridge record` at it."""

import itertools
import sys
import time
from pathlib import Path

from firmware_bridge.devices.ascii_line import line
from virtual_table.line import PtyLine

HELLO = ("HELLO", "Orion T2", "3.1")
STATE = [("EAST", 1), *(("WALL", n, 34) for n in range(4)), *(("HAND", n, 0) for n in range(4)), ("FLAP", 0)]


def hand():
    """Lines with the seconds before them."""
    yield 0.5, ("DONE", 136)
    yield 0.8, ("DICE", 3, 4)
    left = [34] * 4
    for n in range(12):
        side = 3 - n // 8
        yield 0.25, ("HAND", side, 1)
        left[side] -= 4
        yield 0.1, ("WALL", side, left[side])
        yield 0.1, ("HAND", side, 0)
    for turn in range(6):
        yield 0.4, ("POND", turn % 4, turn // 4 + 1)
        yield 0.1, ("JAM", 1, 1) if turn == 2 else ("ALIVE",)
    yield 0.3, ("CALL", 2, 1)
    yield 0.3, ("JAM", 1, 0)
    yield 0.3, ("STICK", 3, 1)


class Foreign:
    """The device: answers what it is asked and says what its hand says."""

    def __init__(self, path: Path) -> None:
        self.cable = PtyLine(path)
        self._held = b""
        self._alive_s = 0.0

    def turn(self, now_s: float) -> None:
        self._held += self.cable.read()
        *asked, self._held = self._held.split(b"\r\n")
        for text in asked:
            word = text[1:].split(b"*")[0].split(b",")[0]
            if word == b"ASK":
                self.say(HELLO, *STATE)
            elif word in (b"LAMP", b"LIFT", b"LOCK"):
                self.say(("NO" if word == b"LIFT" else "OK",))
        if now_s - self._alive_s >= 1:
            self._alive_s = now_s
            self.say(("ALIVE",))

    def say(self, *lines: tuple) -> None:
        self.cable.write(b"".join(itertools.starmap(line, lines)))


def main() -> None:
    device = Foreign(Path(sys.argv[1]))
    while not device.cable.connected:
        time.sleep(0.01)
    for wait_s, words in hand():
        until_s = time.monotonic() + wait_s
        while time.monotonic() < until_s:
            device.turn(time.monotonic())
            time.sleep(0.005)
        device.say(words)
    device.cable.close()


if __name__ == "__main__":
    main()
