"""Seats are chairs, winds are roles. Play and chairs run counter-clockwise seen from above: the next seat sits to the right."""

from __future__ import annotations

from enum import IntEnum, StrEnum


class Seat(IntEnum):
    """A chair of the table, counted counter-clockwise; seat 0 is at the bottom of the rectified picture."""

    S0 = 0
    S1 = 1
    S2 = 2
    S3 = 3

    def step(self, n: int) -> Seat:
        """The seat n places on in playing order (negative: back)."""
        return SEATS[(self + n) % 4]

    @property
    def next(self) -> Seat:
        return self.step(1)

    @property
    def opposite(self) -> Seat:
        return self.step(2)

    @property
    def upper(self) -> Seat:
        """The seat that plays before this one."""
        return self.step(3)


SEATS = (Seat.S0, Seat.S1, Seat.S2, Seat.S3)


class Wind(StrEnum):
    EAST = "east"
    SOUTH = "south"
    WEST = "west"
    NORTH = "north"


WINDS = (Wind.EAST, Wind.SOUTH, Wind.WEST, Wind.NORTH)


def wind_of(seat: Seat, east: Seat) -> Wind:
    """The wind a seat holds when `east` holds east."""
    return WINDS[(seat - east) % 4]
