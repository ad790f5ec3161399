"""How a process of ours is told to end: SIGTERM or Ctrl-C set an event that its loop looks at."""

from __future__ import annotations

import logging
import signal
import sys
import threading
from types import FrameType


def on_signal() -> threading.Event:
    """An event that SIGTERM and SIGINT set. Call it in the main thread."""
    stop = threading.Event()

    def told(_signal: int, _frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGTERM, told)
    signal.signal(signal.SIGINT, told)
    return stop


def plain_log() -> None:
    """Log lines as words on stdout; the supervisor puts the process's name in front."""
    logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(levelname)s %(message)s")
    logging.addLevelName(logging.INFO, "·")
    logging.addLevelName(logging.WARNING, "warning:")
    logging.addLevelName(logging.ERROR, "error:")
