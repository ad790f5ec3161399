"""Concealed hands, for those who may see them. Never on MQTT, never in a response whose key lacks the right."""

from __future__ import annotations

from pydantic import Field

from table_engine.wire.observations import Code, Wired


class WaitView(Wired):
    """A kind that completes the hand, and how many of it nobody has shown yet."""

    tile: Code
    left: int


class HandView(Wired):
    """One seat. `tiles` in order, `drawn` apart; both empty while the faces are not known. `distance`: how many tiles from
    ready (0: ready, -1: complete), None: not known. Only a whole hand has waits and a distance: one that is being dealt, owes
    a flower's replacement or holds too many has none."""

    tiles: tuple[Code, ...] = ()
    drawn: Code | None = None
    waits: tuple[WaitView, ...] = ()
    distance: int | None = None


class HandsView(Wired):
    """By seat."""

    seats: tuple[HandView, HandView, HandView, HandView] = Field(
        default=(HandView(), HandView(), HandView(), HandView())
    )
