"""One connection to a broker: paho in a thread of its own whose callbacks do nothing but fill a queue.

MQTT 3.1.1 throughout, QoS 1, clean session: what has to survive is kept in outbox and journal, not in the broker. It
connects and reconnects for ever with back-off and subscribes again each time.
"""

from __future__ import annotations

import queue
import socket
from collections.abc import Sequence
from dataclasses import dataclass

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from table_engine.wire.access import Door

KEEPALIVE_S = 10
"""A node that falls silent is called offline by the broker after 1.5 times this."""


@dataclass(frozen=True, slots=True)
class Connected:
    """A new session; earlier message ids mean nothing any more. What was subscribed comes with `Subscribed`."""

    session: int


@dataclass(frozen=True, slots=True)
class Subscribed:
    """The broker has answered the subscriptions; `refused` are filters this user may not read."""

    session: int
    refused: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Disconnected:
    says: str


@dataclass(frozen=True, slots=True)
class Incoming:
    session: int
    mid: int
    topic: str
    payload: bytes
    retain: bool


@dataclass(frozen=True, slots=True)
class Published:
    """The broker has taken the message `mid`."""

    mid: int


@dataclass(frozen=True, slots=True)
class Wake:
    """Nothing happened on the wire; the owner of the queue asked itself to look around."""


Happening = Connected | Subscribed | Disconnected | Incoming | Published | Wake


class Link:
    """A connection that stays. Everything that happens on it arrives in `inbox`, in order."""

    def __init__(
        self,
        door: Door,
        client_id: str,
        *,
        will: tuple[str, str],
        births: Sequence[tuple[str, str]] = (),
        subscriptions: Sequence[str] = (),
        manual_ack: bool = False,
        inbox: queue.SimpleQueue[Happening] | None = None,
        backoff_s: tuple[int, int] = (1, 30),
    ) -> None:
        """`client_id` must not hold dots or wildcards (NATS). `will` and `births` are (topic, payload), retained; the
        births are said at every connect."""
        self.door = door
        self.inbox: queue.SimpleQueue[Happening] = inbox or queue.SimpleQueue()
        self.session = 0
        self._births = tuple(births)
        self._subscriptions = tuple(subscriptions)
        self._subscribe_mid = 0
        self._refused = False
        self._client = paho.Client(
            CallbackAPIVersion.VERSION2,
            client_id=client_id,
            clean_session=True,
            protocol=paho.MQTTv311,
            manual_ack=manual_ack,
        )
        client = self._client
        if door.username:
            client.username_pw_set(door.username, door.password)
        client.will_set(*will, qos=1, retain=True)
        client.max_inflight_messages_set(100)
        client.max_queued_messages_set(10_000)
        client.reconnect_delay_set(*backoff_s)
        client.on_socket_open = _no_delay
        client.on_connect = self._on_connect
        client.on_disconnect = self._on_disconnect
        client.on_connect_fail = self._on_connect_fail
        client.on_subscribe = self._on_subscribe
        client.on_message = self._on_message
        client.on_publish = self._on_publish

    def start(self) -> None:
        """Begins to connect; returns at once."""
        self._client.connect_async(self.door.host, self.door.port, keepalive=KEEPALIVE_S)
        self._client.loop_start()

    def stop(self) -> None:
        """Says goodbye, so that the broker keeps the last will to itself."""
        self._client.disconnect()
        self._client.loop_stop()

    @property
    def connected(self) -> bool:
        return self._client.is_connected()

    def publish(self, topic: str, payload: str, *, retain: bool = False) -> int:
        """Hands a message (QoS 1) to the client and returns its id. Without a connection paho keeps it in memory."""
        return self._client.publish(topic, payload, qos=1, retain=retain).mid

    def subscribe(self, filters: Sequence[str]) -> None:
        """Subscribes (again), for what is retained."""
        self._client.subscribe([(topic, 1) for topic in filters])

    def confirm(self, message: Incoming) -> None:
        """PUBACK for a message of this session, with `manual_ack`; of an earlier session there is nothing to confirm."""
        if message.mid and message.session == self.session:
            self._client.ack(message.mid, 1)

    def _on_connect(
        self, client: paho.Client, _: object, __: paho.ConnectFlags, reason: ReasonCode, ___: Properties | None
    ) -> None:
        self._refused = reason.is_failure
        if self._refused:
            self.inbox.put(Disconnected(f"{self.door} refuses user {self.door.username!r}: {reason}"))
            return
        self.session += 1
        self.inbox.put(Connected(self.session))
        for topic, payload in self._births:
            client.publish(topic, payload, qos=1, retain=True)
        if self._subscriptions:
            _, mid = client.subscribe([(topic, 1) for topic in self._subscriptions])
            self._subscribe_mid = mid or 0
        else:
            self.inbox.put(Subscribed(self.session, ()))

    def _on_disconnect(
        self, _: paho.Client, __: object, ___: paho.DisconnectFlags, reason: ReasonCode, ____: Properties | None
    ) -> None:
        if not self._refused:
            self.inbox.put(Disconnected(f"{self.door}: connection lost ({reason}); trying again"))

    def _on_connect_fail(self, _: paho.Client, __: object) -> None:
        self.inbox.put(Disconnected(f"{self.door} is not reachable; trying again, check that it runs"))

    def _on_subscribe(
        self, _: paho.Client, __: object, mid: int, reasons: list[ReasonCode], ___: Properties | None
    ) -> None:
        if mid == self._subscribe_mid:
            refused = tuple(t for t, r in zip(self._subscriptions, reasons, strict=False) if r.is_failure)
            self.inbox.put(Subscribed(self.session, refused))

    def _on_message(self, _: paho.Client, __: object, message: paho.MQTTMessage) -> None:
        mid = message.mid if message.qos else 0
        self.inbox.put(Incoming(self.session, mid, message.topic, bytes(message.payload), message.retain))

    def _on_publish(self, _: paho.Client, __: object, mid: int, ___: ReasonCode, ____: Properties | None) -> None:
        self.inbox.put(Published(mid))


def _no_delay(_: paho.Client, __: object, sock: object) -> None:
    """Nagle's algorithm and delayed acknowledgements together cost 40 ms a message."""
    if isinstance(sock, socket.socket):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
