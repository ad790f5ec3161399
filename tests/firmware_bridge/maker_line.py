"""A program that speaks on stdin and stdout, plugged into a pty."""

import os
import select
import subprocess
import threading
from pathlib import Path

from virtual_table.line import PtyLine


class MakerLine:
    """Runs the program while the pty at `path` exists."""

    def __init__(self, path: Path, *program: str) -> None:
        self._line = PtyLine(path)
        self._process = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self._thread = threading.Thread(target=self._carry, daemon=True)
        self._stop = threading.Event()
        self._thread.start()

    def _carry(self) -> None:
        out = self._process.stdout.fileno()
        while not self._stop.is_set():
            if select.select([out], [], [], 0.002)[0] and (data := os.read(out, 4096)):
                self._line.write(data)
            if data := self._line.read():
                self._process.stdin.write(data)
            self._line.flush()

    def __enter__(self) -> "MakerLine":
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        self._process.kill()
        self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()
        self._line.close()
