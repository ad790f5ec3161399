"""What the embedded broker writes down about others and about itself, read as it grows."""

from __future__ import annotations

import re
from pathlib import Path

_STAMP = re.compile(r"^\[\d+\] [\d/]+ [\d:.]+ ")
_ADDRESS = re.compile(r"^\S+ - mid:\d+ - ")
_LEVEL = re.compile(r"^\[(?:ERR|FTL)\] ")


class BrokerLog:
    """The log of one run of nats-server (2.15 words it so; `tests/wire/test_broker.py` would notice another wording)."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.denied: list[str] = []
        """Publishes and subscriptions it refused, each kind once: whose, and which subject."""
        self.failure = ""
        """Why it can store nothing more until it is started again; empty while all is well."""
        self.last_error = ""
        self._at = 0

    def read(self) -> None:
        """Takes in what was written since the last time. A log that is not there yet holds nothing."""
        try:
            with self.path.open("rb") as file:
                if file.seek(0, 2) < self._at:
                    self._at = 0  # nats-server began a new file
                file.seek(self._at)
                lines = file.read().splitlines(keepends=True)
        except FileNotFoundError:
            return
        for line in lines:
            if not line.endswith(b"\n"):
                break
            self._at += len(line)
            self._take(_STAMP.sub("", line.decode(errors="replace").strip()))

    def _take(self, line: str) -> None:
        words = _LEVEL.sub("", line)
        if words == line:
            return
        self.last_error = words
        if " Violation - " in words:
            denied = _ADDRESS.sub("", words)
            if denied not in self.denied:
                self.denied.append(denied)
        elif "write error" in words or "failed to store" in words:
            self.failure = self.failure or words
