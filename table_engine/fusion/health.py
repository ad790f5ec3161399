"""How the sensors are: who speaks, who is silent, whose counts don't agree. Equipment in doubt never accuses a player."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from table_engine.fusion.belief import Fusion, Sense, Source
from table_engine.fusion.deed import Deed
from table_engine.fusion.view import View
from table_engine.wire.alerts import Fault
from table_engine.wire.observations import (
    Bay,
    Dealer,
    Dice,
    DiscardZone,
    Envelope,
    HandSeen,
    HandZone,
    Health,
    RackSeen,
    ReadyStick,
    SetComplete,
    WallCount,
    WallSeen,
    ZoneSeen,
)
from table_engine.wire.seats import SEATS

_HEARD_EVERY_MS: Final = 100
DIFFERS: Final = "differs_"
"""How the codes of counts in doubt begin. With the tiles pushed into the machine such a doubt is over."""
_CAMERA: Final = (ZoneSeen, RackSeen, WallSeen, HandSeen)
_BRIDGE: Final = (WallCount, HandZone, DiscardZone, SetComplete, Dice, Dealer, Bay, ReadyStick)
_SILENT: Final = {
    "camera": "says nothing; tiles are not read until it is back, turns are followed by the table's counters",
    "bridge": "says nothing; turns are followed by the camera alone",
}


def attend(fusion: Fusion, envelope: Envelope) -> Fusion:
    """Notes that a source spoke, and what it said about itself. A camera that starts anew is believed anew."""
    old = fusion.sources.get(envelope.src)
    data = envelope.data
    fresh = old is None or old.boot != envelope.boot
    lost = isinstance(data, Health) and data.state == "lost"
    if old and not fresh and old.sense and old.lost == lost and envelope.at_ms < old.heard_ms + _HEARD_EVERY_MS:
        return fusion
    sense: Sense | None = old.sense if old else None
    if isinstance(data, _CAMERA):
        sense = "camera"
    elif isinstance(data, _BRIDGE):
        sense = "bridge"
    still_lost = lost or (old is not None and old.lost and not isinstance(data, Health) and not fresh)
    heard = max(envelope.at_ms, old.heard_ms if old else envelope.at_ms)
    source = Source(sense, envelope.boot, heard, still_lost)
    picture = fusion.picture
    if old is not None and fresh and sense == "camera":
        picture = picture.forget_camera()
    if old is not None and fresh:
        fusion = replace(fusion, back_ms=max(fusion.now_ms, envelope.at_ms))
    fusion = replace(fusion, sources={**fusion.sources, envelope.src: source}, picture=picture)
    return _silence(fusion, envelope.at_ms)


def _silence(fusion: Fusion, at_ms: int) -> Fusion:
    faults = dict(fusion.faults)
    now = max(fusion.now_ms, at_ms)
    for name, source in fusion.sources.items():
        key = (name, "silent")
        dead = source.lost or source.heard_ms < now - fusion.patience.silence
        if dead and key not in faults and source.sense:
            says = f"{name} {_SILENT[source.sense]}"
            faults[key] = Fault(source=name, code="silent", says=says, since_ms=source.heard_ms)
        elif not dead:
            faults.pop(key, None)
    if faults.keys() == fusion.faults.keys():
        return fusion
    if len(faults) < len(fusion.faults):
        fusion = replace(fusion, back_ms=now)
    if not any(s.sense == "camera" and (n, "silent") not in faults for n, s in fusion.sources.items()):
        # An arm that nobody watches any more is not there.
        fusion = replace(fusion, picture=replace(fusion.picture, arms=()))
    return replace(fusion, faults=faults)


def settle(view: View, deeds: Sequence[Deed]) -> tuple[Fusion, int | None]:
    """After explaining: a sensor whose count stays apart from the game's although nothing is left to explain is
    contradicted; its count is taken as it is from then on, and said to be in doubt. → belief, when to look again."""
    fusion, patience = view.fusion, view.patience
    stuck = next((d for d in deeds if not d.actions), None)
    waiting = any(d.actions for d in deeds)
    next_ms: int | None = None
    if waiting:
        return fusion, None
    limit = patience.unexplained
    for sense, tally in (("counted", fusion.counted), ("seen", fusion.seen)):
        alive = view.bridge if sense == "counted" else view.camera
        beyond = tally.beyond(view.wall_expected) if alive else None
        if not beyond:
            continue
        since = max(_wall_came(view, sense), view.state.at_ms)
        if since + limit > fusion.now_ms:
            next_ms = min(next_ms or since + limit, since + limit)
            continue
        fixed = replace(tally, off=tally.off - beyond)
        fusion = replace(fusion, counted=fixed) if sense == "counted" else replace(fusion, seen=fixed)
        fusion = _doubt(fusion, sense, beyond)
    for seat in SEATS:
        delta = view.zone_delta[seat]
        if not delta or not view.camera:
            continue
        since = max(view.picture.discard_counts[seat].came_ms, view.state.at_ms)
        if since + limit > fusion.now_ms:
            next_ms = min(next_ms or since + limit, since + limit)
            continue
        off = list(fusion.zones_off)
        off[seat] += delta
        fusion = replace(fusion, zones_off=(off[0], off[1], off[2], off[3]))
        fusion = _doubt(fusion, f"discard zone {int(seat)}", -delta)
    if stuck is not None and stuck.due_ms > fusion.now_ms:
        next_ms = min(next_ms or stuck.due_ms, stuck.due_ms)
    return fusion, next_ms


def _wall_came(view: View, sense: str) -> int:
    if sense == "counted":
        return max(r.came_ms for r in view.picture.wall_counts)
    return max(s.came_ms for s in view.picture.walls)


def _doubt(fusion: Fusion, what: str, tiles: int) -> Fusion:
    words = {"counted": "the table's wall counter", "seen": "the camera's count of the wall"}.get(what, f"the {what}")
    more = "fewer" if tiles > 0 else "more"
    fault = Fault(
        source="fusion",
        code=f"{DIFFERS}{what.replace(' ', '_')}",
        says=f"{words} shows {abs(tiles)} {more} than the game adds up to; check the sensor or count the tiles",
        since_ms=fusion.now_ms,
    )
    return replace(fusion, faults={**fusion.faults, (fault.source, fault.code): fault})
