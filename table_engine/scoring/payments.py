"""Who pays what: the three ways money goes to a winner."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from table_engine.wire.seats import SEATS, Seat

Payments = tuple[int, int, int, int]


def paid_by(winner: Seat, share: Callable[[Seat], int], extra: int = 0) -> Payments:
    """Each opponent pays its share to the winner, who also takes `extra` from the table."""
    shares = [0 if seat == winner else share(seat) for seat in SEATS]
    changes = [-amount for amount in shares]
    changes[winner] = sum(shares) + extra
    return changes[0], changes[1], changes[2], changes[3]


def added(several: Sequence[Payments]) -> Payments:
    """Several payments at once, seat by seat."""
    sums = [sum(payments[seat] for payments in several) for seat in SEATS]
    return sums[0], sums[1], sums[2], sums[3]
