"""How the sensors are: who speaks, who is silent, whose counts don't agree. Equipment in doubt never accuses a player."""

from __future__ import annotations

from typing import Final

from table_engine.fusion.belief import Fusion, Sense, Silence, Source
from table_engine.wire.alerts import Fault
from table_engine.wire.frozen import replace
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
from table_engine.wire.phrases import Phrase, phrase

_HEARD_EVERY_MS: Final = 100
"""How the codes of counts in doubt begin. With the tiles pushed into the machine such a doubt is over."""
_CAMERA: Final = (ZoneSeen, RackSeen, WallSeen, HandSeen)
_BRIDGE: Final = (WallCount, HandZone, DiscardZone, SetComplete, Dice, Dealer, Bay, ReadyStick)


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
    picture, panorama = fusion.picture, fusion.panorama
    if old is not None and fresh and panorama.knows(envelope.src):
        # The others have said what they see and will not say it again; what this one saw lies there until it looks.
        panorama = panorama.began(envelope.src)
        arms = (a for a in picture.arms if a.until_ms is not None or panorama.arms.get((a.seat, a.zone, a.owner)))
        picture = replace(picture, arms=tuple(arms))
    elif old is not None and fresh and sense == "camera":
        picture = picture.forget_camera()
    if old is not None and fresh:
        fusion = _back(fusion, max(fusion.now_ms, envelope.at_ms), (sense, old.heard_ms))
    fusion = replace(fusion, sources={**fusion.sources, envelope.src: source}, picture=picture, panorama=panorama)
    return _silence(fusion, envelope.at_ms)


def _back(fusion: Fusion, now_ms: int, *since: tuple[Sense | None, int]) -> Fusion:
    """After sources have come back: of which sense, and when each had spoken last."""
    silences = {**fusion.silences, **{sense: Silence(from_ms, now_ms) for sense, from_ms in since if sense}}
    return replace(fusion, back_ms=now_ms, silences=silences)


def _silent(name: str, sense: Sense, shares: bool) -> Phrase:
    """`shares`: other cameras watch the same table."""
    match sense:
        case "camera" if shares:
            return phrase(
                "{source} says nothing; what only this camera sees of the table is not read until it is back",
                source=name,
            )
        case "camera":
            return phrase(
                "{source} says nothing; tiles are not read until it is back, "
                "turns are followed by the table's counters",
                source=name,
            )
        case "bridge":
            return phrase("{source} says nothing; turns are followed by the camera alone", source=name)


def _silence(fusion: Fusion, at_ms: int) -> Fusion:
    faults = dict(fusion.faults)
    now = max(fusion.now_ms, at_ms)
    for name, source in fusion.sources.items():
        key = (name, "silent")
        dead = source.lost or source.heard_ms < now - fusion.patience.silence
        if dead and key not in faults and source.sense:
            faults[key] = Fault.told(
                name, "silent", _silent(name, source.sense, fusion.panorama.knows(name)), source.heard_ms
            )
        elif not dead:
            faults.pop(key, None)
    if faults.keys() == fusion.faults.keys():
        return fusion
    if len(faults) < len(fusion.faults):
        over = [fault for key, fault in fusion.faults.items() if key not in faults]
        fusion = _back(fusion, now, *((fusion.sources[fault.source].sense, fault.since_ms) for fault in over))
    if not any(s.sense == "camera" and (n, "silent") not in faults for n, s in fusion.sources.items()):
        # An arm that nobody watches any more is not there.
        fusion = replace(fusion, picture=replace(fusion.picture, arms=()))
    return replace(fusion, faults=faults)
