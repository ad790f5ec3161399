"""A maker's self-test: is a device what `docs/protocol.md` says? One check a promise, each with a finding in words.

    probe = Probe(open_port("/dev/ttyACM0", 115_200))
    for finding in examine(probe): ...

Checks go by the device's own ticks wherever time matters, so that a slow or simulated device is judged alike.
"""

from __future__ import annotations

from firmware_bridge.conformance.examination import CHECKS, Check, Finding, examine
from firmware_bridge.conformance.probe import Probe, WrongError, open_port

__all__ = ["CHECKS", "Check", "Finding", "Probe", "WrongError", "examine", "open_port"]
