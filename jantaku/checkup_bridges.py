"""What `jantaku doctor` looks at of running bridges: how the table behind each is, how good its clock, what was counted."""

from __future__ import annotations

import queue
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import ValidationError

from jantaku.checkup import Finding
from table_engine.wire.access import ENGINE_ROLE, door
from table_engine.wire.clock import clock_of
from table_engine.wire.errors import BrokerError
from table_engine.wire.greeting import greet
from table_engine.wire.messages import Availability, NodeInfo
from table_engine.wire.mqtt import Incoming, Link
from table_engine.wire.settings import Site
from table_engine.wire.topics import ENGINE, Topics

_PATIENCE_S = 2.0
_OLD_MS = 30_000
_CABLE_SHARE = 0.01
"""More than this share of damaged frames is a cable to be looked at."""
_UNSURE_MS = 250


@dataclass(slots=True)
class Heard:
    """What one bridge has said about itself, as the broker keeps it."""

    availability: Availability | None = None
    info: NodeInfo | None = None


def bridges(site: Site) -> Iterator[Finding]:
    """Every bridge of a running site; nothing when its broker does not run (the trial start tells of that)."""
    for table in site.tables:
        if not table.bridges:
            continue
        topics = Topics(site.venue, table.id)
        try:
            if greet(door(site, ENGINE_ROLE)) is not None:
                return
            heard = _listen(site, topics, {bridge.id for bridge in table.bridges})
        except BrokerError:
            return
        now_ms = clock_of(site.clock_of(table.id)).now_ms()
        for bridge in table.bridges:
            yield judge(f"bridge {table.id}/{bridge.id}", heard[bridge.id], now_ms)


def judge(what: str, heard: Heard, now_ms: int) -> Finding:
    """One bridge in words."""
    said, info = heard.availability, heard.info
    if said is None or info is None:
        return Finding(what, "warning", "has never run", "start Jantaku with this site file")
    if said.state == "offline":
        return Finding(what, "warning", "is not running", "start Jantaku with this site file")
    says = _figures(info, now_ms)
    if said.trouble:
        return Finding(what, "broken", f"{'; '.join(said.trouble)}; {says}", "do what it says, then look again")
    if said.device in ("", "lost") or info.seen_ms is None or now_ms - info.seen_ms > _OLD_MS:
        return Finding(what, "broken", f"hears nothing of its table; {says}", "check the table's power and cable")
    if said.device == "degraded":
        return Finding(what, "warning", f"its table is not well; {says}", "the referee's page says what is wrong")
    health = info.health
    if health.get("bad_frames", 0) > _CABLE_SHARE * max(health.get("frames", 0), 1_000):
        return Finding(what, "warning", says, "much is damaged on the way: try another cable, away from motors")
    if health.get("lost", 0):
        return Finding(what, "warning", says, "readings were lost: was the cable out, or this computer too busy?")
    if health.get("clock_uncertainty_ms", 0) > _UNSURE_MS:
        return Finding(what, "warning", says, "the table's times are unsure: is this computer too busy?")
    return Finding(what, "ok", says)


def _figures(info: NodeInfo, now_ms: int) -> str:
    """Who, since when, how good."""
    health = info.health
    parts = [f"{info.model} {info.firmware}".strip() or "unknown table"]
    if info.seen_ms is not None:
        parts.append(f"heard {max(now_ms - info.seen_ms, 0) / 1000:.0f} s before")
    known = {
        "frames": "{:.0f} frames",
        "bad_frames": "{:.0f} damaged",
        "recovered": "{:.0f} sent again",
        "gaps": "{:.0f} gaps",
        "lost": "{:.0f} lost",
        "latency_ms": "{:.0f} ms to the disk",
        "drift_ppm": "clock {:+.0f} ppm",
        "clock_uncertainty_ms": "± {:.0f} ms",
    }
    parts += [form.format(health[name]) for name, form in known.items() if name in health]
    return ", ".join(parts)


def _listen(site: Site, topics: Topics, nodes: set[str]) -> dict[str, Heard]:
    """What the broker keeps of these nodes. Raises BrokerError when it does not let the engine's user in."""
    heard = {node: Heard() for node in nodes}
    of = {topics.availability(node): node for node in nodes} | {topics.info(node): node for node in nodes}
    will = (topics.response(ENGINE, "doctor"), "")
    link = Link(door(site, ENGINE_ROLE), f"doctor-{uuid.uuid4().hex[:8]}", will=will, subscriptions=tuple(of))
    link.start()
    until = time.monotonic() + _PATIENCE_S
    try:
        while (left := until - time.monotonic()) > 0 and not all(h.availability and h.info for h in heard.values()):
            try:
                happening = link.inbox.get(timeout=left)
            except queue.Empty:
                break
            if isinstance(happening, Incoming) and happening.topic in of:
                _take(heard[of[happening.topic]], happening)
    finally:
        link.stop()
    return heard


def _take(heard: Heard, message: Incoming) -> None:
    try:
        if message.topic.endswith("/info"):
            heard.info = NodeInfo.model_validate_json(message.payload)
        else:
            heard.availability = Availability.model_validate_json(message.payload)
    except ValidationError:
        return  # of another version; the engine says so
