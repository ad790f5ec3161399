"""Checks of what a state request brings: what is held again, every state once, one end, and nothing pushed out for it."""

from __future__ import annotations

from firmware_bridge.conformance.probe import Heard, Probe, UntestedError, WrongError
from firmware_bridge.conformance.session import again, born, first_readings
from firmware_bridge.framing import SEQ
from firmware_bridge.messages import (
    WINDOW,
    Ack,
    ButtonPressed,
    DiceRolled,
    Reading,
    SetBuilt,
    StateEnd,
    Tick,
    is_reading,
)

_TELL_MS = 5_000
_FILLING = 2 * WINDOW
"""Requests after which the window is full of states, or at least of their ends; twice as many as that takes."""
_MOMENTS = (ButtonPressed, DiceRolled, SetBuilt)
_LOOKS = 4
"""Moments among the states of so many requests running did not happen just then each time."""


def once_closed(probe: Probe) -> str:
    """Closes a state request once, with its number and no other."""
    last = probe.rest()
    probe.ask()
    ends = _ends(probe, last)
    if len(ends) > 1:
        raise WrongError(f"answers state request {probe.request} with StateEnd {', '.join(map(str, ends.values()))}")
    return "one StateEnd"


def asked_anew(probe: Probe) -> str:
    """Takes a number it has closed before as a new request."""
    probe.rest()
    last = probe.state()[-1].seq
    again(probe)
    _ends(probe, last, "the same number was asked again, which it had closed before")
    return "told anew"


def moments(probe: Probe) -> str:
    """Does not tell dice, buttons and finished sets again among the states."""
    for _ in range(_LOOKS):
        probe.rest()
        _, last = probe.birth()
        states = (next(iter(_ends(probe, last))) - last) % SEQ
        found = [
            type(heard.message).__name__
            for heard in probe.readings.values()
            if isinstance(heard.message, _MOMENTS) and 0 < (heard.seq - last) % SEQ < states
        ]
        if not found:
            return "only states"
    raise WrongError(f"tells {', '.join(dict.fromkeys(found))} at each state request")


def held(probe: Probe) -> str:
    """Sends again on a state request what it still holds."""
    probe.rest()
    probe.ask()
    first_readings(probe, 1)
    list(probe.listen(300))
    told, last = probe.birth()
    count = min((last + 1 - told.first) % SEQ, WINDOW)
    wanted = {(told.first + n) % SEQ for n in range(count)}
    for heard in probe.listen(1_000):
        wanted.discard(heard.seq if is_reading(heard.frame.type) else -1)
        if not wanted:
            return f"{count} again"
    now, _ = born(probe)
    missing = sorted(seq for seq in wanted if (seq - now.first) % SEQ < SEQ // 2)  # the others were overwritten
    if missing:
        raise WrongError(f"readings {missing} were held and did not come again after StateRequest")
    raise UntestedError("new readings pushed out what was held")


def full(probe: Probe) -> str:
    """Tells no state while a window of readings is held: it waits for an Ack, and only the last request is closed."""
    probe.rest()
    for _ in range(_FILLING):
        told, last = probe.birth()
        list(probe.listen(120))
        if (last + 1 - told.first) % SEQ >= WINDOW:
            break
    else:
        raise UntestedError(f"holds only {(last + 1 - told.first) % SEQ} readings after {_FILLING} state requests")
    replaced = probe.request
    _not_closed(probe, replaced)
    probe.birth()
    list(probe.listen(500))
    _not_closed(probe, replaced)
    told, last = born(probe)
    acknowledged_ms = probe.ticks
    probe.send(Ack(), told.first + WINDOW - 1)
    ends = _ends(probe, last - SEQ // 4)
    if replaced in ends.values():
        raise WrongError(f"closed state request {replaced} though another had taken its place")
    early = [h for h in probe.readings.values() if h.message == StateEnd(_ticks(h), probe.request)]
    if early and _ticks(early[0]) < acknowledged_ms:
        raise WrongError(f"told its states though {WINDOW} readings were held that nobody had acknowledged")
    return f"waited with {WINDOW} held"


def _not_closed(probe: Probe, request: int) -> None:
    if probe.ended == request:
        raise WrongError(
            f"closed state request {request} though {WINDOW} readings were held that nobody had acknowledged"
        )


def _ticks(heard: Heard) -> int:
    return heard.message.ticks_ms if isinstance(heard.message, Reading) else 0


def _ends(probe: Probe, last: int, words: str = "StateRequest") -> dict[int, int]:
    """Acknowledges what comes until the last request is closed and two ticks more; returns the numbers of each StateEnd
    after reading `last`, by seq. Raises WrongError when none closes that request."""
    found: dict[int, int] = {}
    ticks = 0
    for heard in probe.listen(_TELL_MS):
        if is_reading(heard.frame.type):
            probe.send(Ack(), heard.seq)
        closed = probe.request in found.values()
        if isinstance(heard.message, StateEnd) and 0 < (heard.seq - last) % SEQ < SEQ // 2:
            found[heard.seq] = heard.message.request
        ticks += closed and isinstance(heard.message, Tick)
        if ticks == 2:
            break
    if probe.request not in found.values():
        raise WrongError(f"no StateEnd with number {probe.request} within {_TELL_MS} ms after {words}")
    return found
