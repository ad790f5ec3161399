"""A child never outlives its supervisor, not even one that was killed outright.

The supervisor gives every child a pipe as standard input and never writes to it. The kernel closes the pipe when the
supervisor is gone, however it went; the child sees the end of the pipe and ends itself the ordinary way (SIGTERM).
This works on every Unix and needs no polling.
"""

from __future__ import annotations

import os
import signal
import threading

SUPERVISED = "JANTAKU_SUPERVISED"
"""Environment variable set for children only: by hand or under a service manager standard input means nothing."""


def hold() -> bool:
    """Ties this process to its supervisor, if it has one. Says whether it has."""
    if not os.environ.get(SUPERVISED):
        return False
    threading.Thread(target=_wait_for_the_end, name="lifeline", daemon=True).start()
    return True


def _wait_for_the_end() -> None:
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
