"""How a process ends and begins anew."""

from __future__ import annotations

import subprocess
import sys

_TWICE = """
import os
from jantaku.stopping import again
times = int(os.environ.get("TIMES", "0")) + 1
os.environ["TIMES"] = str(times)
print(times, os.getpid())
if times < 2:
    again()
"""


def test_a_process_begins_anew_under_the_same_id() -> None:
    ended = subprocess.run([sys.executable, "-c", _TWICE], capture_output=True, text=True, check=True, timeout=60)
    (first, pid), (second, same) = (line.split() for line in ended.stdout.splitlines())
    assert (first, second) == ("1", "2")
    assert pid == same
