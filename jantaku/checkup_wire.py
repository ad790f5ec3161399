"""What `jantaku doctor` looks at on the wire: does the broker run, does it let everybody in, and does what they say arrive?

A broker that speaks MQTT 3.1.1 confirms a publish it denies and drops it, so the only proof is the message that arrives.
"""

from __future__ import annotations

import queue
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from jantaku.checkup import Finding
from jantaku.sites import free_port
from table_engine.wire.access import ENGINE_ROLE, door, node_role
from table_engine.wire.broker import EmbeddedBroker
from table_engine.wire.errors import BrokerError
from table_engine.wire.greeting import greet
from table_engine.wire.messages import Response
from table_engine.wire.mqtt import Happening, Incoming, Link, Subscribed
from table_engine.wire.settings import Site
from table_engine.wire.topics import ENGINE, Topics

PATIENCE_S = 5.0
LEAF = "doctor"
"""Every node may answer commands; nobody waits for this one, so a probe disturbs nothing."""


def broker(site: Site) -> Iterator[Finding]:
    """The site's broker: the running one if one answers, else a trial start of the embedded one beside it."""
    if site.broker.mode == "external":
        refusal = greet(door(site, ENGINE_ROLE))
        if refusal:
            yield Finding("broker", "broken", refusal, "start the broker or correct [broker] in the site file")
            return
        yield Finding("broker", "ok", f"{site.broker.host}:{site.broker.port} lets us in")
        yield from _probes(site)
    elif _runs(site):
        yield Finding("broker", "ok", f"our own broker runs at {site.broker.host}:{site.broker.port}")
        yield from _denied(EmbeddedBroker(site))
        yield from _probes(site)
    else:
        yield from _trial(site)


def _runs(site: Site) -> bool:
    try:
        return greet(door(site, ENGINE_ROLE)) is None
    except BrokerError:
        return False


def _trial(site: Site) -> Iterator[Finding]:
    with tempfile.TemporaryDirectory(prefix="jantaku-doctor-") as folder:
        settings = site.broker.model_copy(update={"host": "127.0.0.1", "port": free_port(), "store": Path(folder)})
        trial = site.model_copy(update={"broker": settings})
        began = time.monotonic()
        try:
            with EmbeddedBroker(trial) as server:
                took = time.monotonic() - began
                yield Finding("broker", "ok", f"the embedded broker starts ({took:.1f} s)")
                yield from _probes(trial)
                yield from _denied(server)
        except BrokerError as error:
            yield Finding("broker", "broken", str(error), "run `make run` again, or set NATS_SERVER to a nats-server")


def _denied(server: EmbeddedBroker) -> Iterator[Finding]:
    refused = server.denied()
    if refused:
        says = f"{len(refused)} refused since it started, the last: {refused[-1]}"
        yield Finding("broker rights", "warning", says, "restart Jantaku with the site file that names this sensor")


def _probes(site: Site) -> Iterator[Finding]:
    """Everybody of the site says something as itself; the engine's user must hear it."""
    silent, heard = [], 0
    for table in site.tables:
        topics = Topics(site.venue, table.id)
        with _link(site, ENGINE_ROLE, topics.response(ENGINE, LEAF), (topics.any_node(f"rsp/{LEAF}"),)) as ear:
            for node in (*(c.id for c in table.cameras), *(b.id for b in table.bridges)):
                if _says(site, topics, node, ear.inbox):
                    heard += 1
                else:
                    silent.append(f"{table.id}/{node}")
    if silent:
        yield Finding(
            "broker rights",
            "broken",
            f"what they say does not arrive: {', '.join(silent)}",
            "let each sensor's user publish below its own topics and the engine's user read everything",
        )
    elif heard:
        yield Finding("broker rights", "ok", f"sensors heard by the engine: {heard}")


def _says(site: Site, topics: Topics, node: str, ear: queue.SimpleQueue[Happening]) -> bool:
    answer = Response(
        transaction=uuid.uuid4().hex, status="ok"
    ).model_dump_json()  # a running engine must understand it
    topic = topics.response(node, LEAF)
    with _link(site, node_role(topics.table, node), topic) as voice:
        voice.publish(topic, answer)
        return _hears(ear, lambda h: isinstance(h, Incoming) and h.payload == answer.encode())


@contextmanager
def _link(site: Site, role: str, will: str, filters: tuple[str, ...] = ()) -> Iterator[Link]:
    """A connection as `role` that stands. Raises BrokerError when the broker does not let it in."""
    link = Link(door(site, role), f"doctor-{uuid.uuid4().hex[:8]}", will=(will, ""), subscriptions=filters)
    link.start()
    try:
        if not _hears(link.inbox, lambda h: isinstance(h, Subscribed)):
            raise BrokerError(f"{link.door} does not let {link.door.username!r} in within {PATIENCE_S:g} s")
        yield link
    finally:
        link.stop()


def _hears(inbox: queue.SimpleQueue[Happening], wanted: Callable[[Happening], bool]) -> bool:
    until = time.monotonic() + PATIENCE_S
    while (left := until - time.monotonic()) > 0:
        try:
            if wanted(inbox.get(timeout=left)):
                return True
        except queue.Empty:
            return False
    return False
