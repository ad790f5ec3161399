"""Carries news to outside programs in a thread of its own: tried a few times, dropped with a word in the log, never waited for."""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

_log = logging.getLogger(__name__)
T = TypeVar("T")
WAITING_MAX = 500
PAUSES_S = (0.5, 2.0, 8.0)


class Courier(Generic[T]):
    """`deliver(news)` raises OSError while the other side cannot be reached."""

    def __init__(self, name: str, deliver: Callable[[T], None], pauses_s: tuple[float, ...] = PAUSES_S) -> None:
        self._name = name
        self._deliver = deliver
        self._pauses_s = pauses_s
        self._waiting: queue.Queue[T | None] = queue.Queue(WAITING_MAX)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def put(self, news: T) -> None:
        """Takes something to carry. Returns at once; when too much waits already it is left behind."""
        try:
            self._waiting.put_nowait(news)
        except queue.Full:
            _log.warning("%s: too much waits to be delivered; some of it is left out", self._name)

    def close(self) -> None:
        self._stop.set()
        with contextlib.suppress(queue.Full):  # the thread looks at `_stop` after the next delivery in any case
            self._waiting.put_nowait(None)
        self._thread.join(timeout=2)

    def _run(self) -> None:
        while not self._stop.is_set():
            news = self._waiting.get()
            if news is not None:
                self._carry(news)

    def _carry(self, news: T) -> None:
        for pause_s in (*self._pauses_s, None):
            try:
                self._deliver(news)
            except OSError as error:
                if pause_s is None:
                    _log.warning("%s: could not be delivered (%s)", self._name, error)
                elif self._stop.wait(pause_s):
                    return
            else:
                return
