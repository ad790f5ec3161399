"""How a process of ours ends: SIGTERM or Ctrl-C set an event that its loop looks at. And how it begins anew."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from types import FrameType
from typing import NoReturn


def on_signal() -> threading.Event:
    """An event that SIGTERM and SIGINT set. Call it in the main thread."""
    stop = threading.Event()

    def told(_signal: int, _frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGTERM, told)
    signal.signal(signal.SIGINT, told)
    return stop


def again() -> NoReturn:
    """Begins anew with changed settings as if started just now, under the same process id: a supervisor notices nothing, and
    nothing of what ran before is left over."""
    sys.stdout.flush()
    os.execv(sys.executable, sys.orig_argv)  # noqa: S606 - our own command line


def plain_log() -> None:
    """Log lines as words on stdout; the supervisor puts the process's name in front."""
    logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(levelname)s %(message)s")
    logging.addLevelName(logging.INFO, "·")
    logging.addLevelName(logging.WARNING, "warning:")
    logging.addLevelName(logging.ERROR, "error:")
