"""OBS over obs-websocket 5: when a foul is raised the replay buffer is saved and the recording gets a chapter at that moment.

[[obs]]
table = "table-1"
url = "ws://127.0.0.1:4455"
password = "…"
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any

from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

from table_engine.web.courier import Courier
from table_engine.wire.alerts import Alert, AlertChange, AlertRaised, AlertUpdated
from table_engine.wire.settings import ObsSettings

TIMEOUT_S = 5.0
HELLO, IDENTIFY, IDENTIFIED, REQUEST, RESPONSE = 0, 1, 2, 6, 7
Request = tuple[str, dict[str, str]]
"""A request of the protocol: its type and data."""


def obs(settings: ObsSettings) -> tuple[Courier[Request], Callable[[str, AlertChange], None]]:
    """A courier to one OBS, and the listener that feeds it."""
    courier: Courier[Request] = Courier(f"obs {settings.url}", lambda request: ask(settings, *request))

    def listen(table: str, change: AlertChange) -> None:
        for request in due(change) if table == settings.table else ():
            courier.put(request)

    return courier, listen


def due(change: AlertChange) -> tuple[Request, ...]:
    """What OBS is to do about a change of an alert: a foul may be raised as one, or rise from a check."""
    match change:
        case AlertRaised(after=alert) if alert.severity == "foul":
            return _marked(alert)
        case AlertUpdated(before=before, after=alert) if before.severity == "check" and alert.severity == "foul":
            return _marked(alert)
        case _:
            return ()


def _marked(alert: Alert) -> tuple[Request, ...]:
    chapter = {"chapterName": f"{alert.rule} {alert.code.replace('_', ' ')}"}
    return ("SaveReplayBuffer", {}), ("CreateRecordChapter", chapter)


def ask(settings: ObsSettings, request: str, data: Mapping[str, str]) -> None:
    """One request to OBS. Raises OSError when it cannot be reached, does not let us in or cannot do it."""
    try:
        with connect(settings.url, open_timeout=TIMEOUT_S, close_timeout=1.0) as line:
            hello = _heard(line, HELLO)
            identify: dict[str, object] = {"rpcVersion": 1, "eventSubscriptions": 0}
            if secret := hello.get("authentication"):
                identify["authentication"] = proof(settings.password, str(secret["salt"]), str(secret["challenge"]))
            line.send(json.dumps({"op": IDENTIFY, "d": identify}))
            _heard(line, IDENTIFIED)
            asked = {"requestType": request, "requestId": "jantaku", "requestData": dict(data)}
            line.send(json.dumps({"op": REQUEST, "d": asked}))
            status = _heard(line, RESPONSE)["requestStatus"]
    except (WebSocketException, TimeoutError, ValueError, KeyError, TypeError) as error:
        raise OSError(f"OBS at {settings.url} does not answer as expected: {error}") from error
    if not status.get("result"):
        raise OSError(f"OBS cannot do {request}: {status.get('comment', status.get('code'))}")


def proof(password: str, salt: str, challenge: str) -> str:
    """The answer to OBS's challenge (obs-websocket protocol, "Creating an authentication string")."""
    secret = base64.b64encode(hashlib.sha256((password + salt).encode()).digest()).decode()
    return base64.b64encode(hashlib.sha256((secret + challenge).encode()).digest()).decode()


def _heard(line: ClientConnection, op: int) -> dict[str, Any]:
    told = json.loads(line.recv(timeout=TIMEOUT_S))
    if told.get("op") != op:
        raise ValueError(f"expected message {op}, got {told.get('op')}")
    data = told["d"]
    if not isinstance(data, dict):
        raise TypeError("a message without data")
    return data
