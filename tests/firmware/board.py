"""An emulated board: the reference firmware as machine code, sensors to move, a cable that may be bad or pulled."""

import os
import queue
import select
import subprocess
import threading
import tty
from dataclasses import dataclass
from pathlib import Path

from virtual_table.line import PtyLine

MCUS = ("atmega328p", "atmega2560")
_MACROS = {"atmega328p": "__AVR_ATmega328P__", "atmega2560": "__AVR_ATmega2560__"}


@dataclass(frozen=True)
class Build:
    """Where the programs are, by processor."""

    firmware: dict[str, Path]
    emulator: dict[str, Path]

    @classmethod
    def make(cls, repo: Path, folder: Path) -> "Build":
        """Builds the emulators beside the firmware in `folder`."""
        made = {}
        for mcu in MCUS:
            made[mcu] = folder / f"emulator-{mcu}"
            source = repo / "tests" / "firmware" / "emulator.c"
            includes = ("-I", repo / "firmware", "-I", "/usr/include/simavr", f"-D{_MACROS[mcu]}")
            warnings = ("-Wall", "-Wextra", "-Werror")
            libraries = ("-lsimavr", "-lelf", "-lutil")
            subprocess.run(["gcc", "-O2", *warnings, *includes, source, "-o", made[mcu], *libraries], check=True)
        return cls({mcu: folder / mcu / "controller.elf" for mcu in MCUS}, made)


class Board:
    """One board under power. `set` moves its sensors, `says` is what its outputs did."""

    def __init__(self, build: Build, mcu: str, eeprom: Path) -> None:
        self._arguments = [str(build.emulator[mcu]), str(build.firmware[mcu]), mcu, str(eeprom)]
        self.says: queue.Queue[str] = queue.Queue()
        self.port = ""
        self.process: subprocess.Popen | None = None

    def start(self) -> None:
        self.process = subprocess.Popen(self._arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = next(line for line in self.process.stdout if line.startswith("pty ")).split()[1]
        threading.Thread(target=self._listen, args=(self.process,), daemon=True).start()

    def kill(self) -> None:
        """Power and port go at once."""
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()

    def order(self, *words: object) -> None:
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()

    def set(self, group: str, bit: int, yes: bool = True) -> None:
        self.order("set", group, bit, int(yes))

    def _listen(self, process: subprocess.Popen) -> None:
        with process.stdout:
            for line in process.stdout:
                self.says.put(line.strip())

    def __enter__(self) -> "Board":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.kill()


class Cable:
    """From a board to a port at `path`: damages bytes, can be pulled while the board stays under power."""

    def __init__(self, board: Board, path: Path, *, noise: float = 0.0, seed: int = 1) -> None:
        self._line = PtyLine(path, noise=noise, seed=seed)
        self._board = os.open(board.port, os.O_RDWR | os.O_NOCTTY)
        tty.setraw(self._board)
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._carry, daemon=True)
        self._thread.start()

    def pull(self) -> None:
        with self._lock:
            self._line.unplug()

    def plug(self) -> None:
        with self._lock:
            self._line.plug()

    def close(self) -> None:
        self._stop.set()
        self._thread.join()
        self._line.close()
        os.close(self._board)

    def _carry(self) -> None:
        while not self._stop.is_set():
            ready, _, _ = select.select([self._board], [], [], 0.002)
            with self._lock:
                try:
                    if ready:
                        self._line.write(os.read(self._board, 4096))
                    if data := self._line.read():
                        os.write(self._board, data)
                except OSError:  # the board has no power any more
                    return
                self._line.flush()

    def __enter__(self) -> "Cable":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
