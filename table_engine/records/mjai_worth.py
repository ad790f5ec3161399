"""What an mjai `hora` tells of the hand's worth: gimite's fields, or RiichiEnv's under `meta`."""

from __future__ import annotations

import re
from typing import Any

from table_engine.records.model import WinRecord
from table_engine.records.tenhou_words import limit_of, shares
from table_engine.wire.seats import Seat

_YAKUMAN = 100
_POINTS = re.compile(r"^(\d+)(?:/(\d+))?( all)?$")


def worth_of(
    event: dict[str, Any], seat: Seat, source: Seat | None, deltas: tuple[int, ...] | None, *, dealer: bool
) -> WinRecord:
    """Fields that are not there stay None or empty."""
    score = (event.get("meta") or {}).get("score") or {}
    fu, han = event.get("fu", score.get("fu")), event.get("fan", event.get("han", score.get("han")))
    items = tuple((str(name), _han(value)) for name, value in event.get("yakus") or [])
    points, payments = _points(event.get("hora_points", score.get("points")))
    yakuman = sum(value is None for _, value in items) if items else 0
    if source is None and points and not payments:
        payments = shares(points, dealer=dealer)
    return WinRecord(
        seat=seat,
        source=source,
        deltas=deltas,
        points=points,
        payments=payments,
        fu=int(fu) if fu else None,
        han=int(han) if han and not yakuman else None,
        yakuman=yakuman,
        limit=limit_of(int(fu or 0), int(han or 0), yakuman=yakuman > 0) if fu or han or yakuman else "",
        items=items,
    )


def fields_of(worth: WinRecord) -> dict[str, object]:
    """gimite's fields for what is known of a win."""
    fields: dict[str, object] = {}
    if worth.items:
        fields["yakus"] = [[name, _YAKUMAN if value is None else value] for name, value in worth.items]
    if worth.fu:
        fields["fu"] = worth.fu
    if worth.han is not None:
        fields["fan"] = worth.han
    if worth.points:
        fields["hora_points"] = worth.points
    return fields


def _han(value: object) -> int | None:
    return int(value) if isinstance(value, int) and value < _YAKUMAN else None


def _points(value: object) -> tuple[int | None, tuple[int, ...]]:
    """All points together, and shares of a self-draw where they are told (`1300/2600`, `6000 all`)."""
    found = _POINTS.match(str(value)) if value is not None else None
    if found is None:
        return None, ()
    first = int(found[1])
    if found[2]:
        return 2 * first + int(found[2]), (first, int(found[2]))
    return (3 * first, (first,)) if found[3] else (first, ())
