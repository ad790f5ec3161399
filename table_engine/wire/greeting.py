"""Knocks at a broker once: who answers, and does it let us in?"""

from __future__ import annotations

import socket
import struct
import uuid

from table_engine.wire.access import Door

_REFUSALS = {
    1: "does not speak MQTT 3.1.1",
    2: "refuses the client id",
    3: "is not available now",
    4: "refuses user or password",
    5: "refuses this user",
}


def greet(door: Door, timeout_s: float = 3.0) -> str | None:
    """None when the broker lets this user in, else in words why not."""
    try:
        with socket.create_connection((door.host, door.port), timeout=timeout_s) as sock:
            sock.sendall(_connect(door))
            answer = sock.recv(4)
    except OSError as error:
        return f"{door} is not reachable ({error.strerror or error}); check that it runs"
    if len(answer) < 4 or answer[0] != 0x20:
        return f"{door} hangs up on user {door.username!r}" if not answer else f"{door} does not speak MQTT"
    if answer[3]:
        return f"{door} {_REFUSALS.get(answer[3], f'answers {answer[3]}')} ({door.username!r})"
    return None


def _connect(door: Door) -> bytes:
    """A CONNECT packet of MQTT 3.1.1 (section 3.1) with clean session."""
    fields = [f"knock-{uuid.uuid4().hex[:8]}"]
    flags = 0x02
    if door.username:
        flags |= 0xC0
        fields += [door.username, door.password]
    body = b"\x00\x04MQTT\x04" + struct.pack(">BH", flags, 10)
    body += b"".join(struct.pack(">H", len(raw)) + raw for raw in (text.encode() for text in fields))
    length, rest = b"", len(body)
    while True:
        rest, low = divmod(rest, 128)
        length += bytes([low | 0x80 if rest else low])
        if not rest:
            return b"\x10" + length + body
