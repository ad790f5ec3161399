"""The list of checks and their course."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from firmware_bridge.conformance import commands, line, request, session
from firmware_bridge.conformance.probe import Probe, UntestedError, WrongError


class Check(NamedTuple):
    """One promise of the document. `section` is where it stands there."""

    name: str
    section: str
    run: Callable[[Probe], str]

    @property
    def promise(self) -> str:
        """What the device has to do."""
        return " ".join((self.run.__doc__ or "").split())


CHECKS = (
    Check("birth", "Birth and state", session.birth),
    Check("state", "Birth and state", session.state),
    Check("asked-twice", "Birth and state", session.asked_twice),
    Check("once-closed", "Birth and state", request.once_closed),
    Check("asked-anew", "Birth and state", request.asked_anew),
    Check("moments", "Birth and state", request.moments),
    Check("held", "Birth and state", request.held),
    Check("full", "Birth and state", request.full),
    Check("window", "Readings", session.window),
    Check("resend", "Readings", session.resend),
    Check("patience", "Readings", session.patience),
    Check("ack", "Readings", session.ack),
    Check("nak", "Readings", session.nak),
    Check("ticks", "Time", session.ticks),
    Check("echo", "Time", session.echo),
    Check("rate", "Time", session.rate),
    Check("able", "Commands", commands.able),
    Check("unable", "Commands", commands.unable),
    Check("unknown", "Commands", commands.unknown),
    Check("numbered", "Commands", commands.numbered),
    Check("malformed", "Versions", commands.malformed),
    Check("longer", "Versions", line.longer),
    Check("short", "Versions", line.short),
    Check("foreign", "Frame", line.foreign),
    Check("checked", "Frame", line.checked),
    Check("damaged", "Frame", line.damaged),
    Check("flood", "Frame", line.flood),
    Check("named", "Making a device", session.named),
)
ASKED_FOR = (
    Check("lift", "Commands", commands.lift),
    Check("reset", "Birth and state", session.reset),
)
"""Checks that need somebody's hands or leave: only when they are named."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of one check, in words: what was measured, or what is wrong."""

    check: Check
    state: Literal["passed", "failed", "untested"]
    says: str

    def plain(self) -> dict[str, str]:
        """As JSON holds it."""
        return {
            "check": self.check.name,
            "state": self.state,
            "promise": self.check.promise,
            "section": self.check.section,
            "says": self.says,
        }


def examine(
    probe: Probe,
    *,
    skip: Collection[str] = (),
    also: Collection[str] = (),
    about: Callable[[Check], None] | None = None,
) -> Iterator[Finding]:
    """Runs the checks one after the other, those named in `skip` not, those of `ASKED_FOR` named in `also` at the end;
    `about` is told of each before it begins. A device that does not answer at all fails the first and ends the examination."""
    checks = (*CHECKS, *(check for check in ASKED_FOR if check.name in also))
    for check in checks:
        if check.name in skip:
            yield Finding(check, "untested", "left out")
            continue
        if about:
            about(check)
        found = _tried(check, probe)
        yield found
        if found.state == "failed" and check is CHECKS[0]:
            return


def _tried(check: Check, probe: Probe) -> Finding:
    """What came of a check. One that fails is done once more, where nobody has to lend a hand: a busy computer hears a
    device late, but what is wrong with a device is wrong each time."""
    once = check is CHECKS[0] or check in ASKED_FOR
    while True:
        try:
            return Finding(check, "passed", check.run(probe))
        except UntestedError as reason:
            return Finding(check, "untested", str(reason))
        except WrongError as wrong:
            if once:
                return Finding(check, "failed", str(wrong))
            once = True
