"""Alerts to phones and other programs: ntfy messages, or the alert itself as JSON.

[[hooks]]
url = "https://ntfy.example/jantaku-hall"     # ntfy: server and topic
severity = "foul"
"""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit, urlunsplit

from table_engine.web.courier import Courier
from table_engine.wire.alerts import Alert, AlertChange, AlertRaised, AlertUpdated
from table_engine.wire.settings import HookSettings

TIMEOUT_S = 10.0
_PRIORITY = {"foul": 4, "check": 3}


def hook(settings: HookSettings, address: str) -> tuple[Courier[Alert], Callable[[str, AlertChange], None]]:
    """A courier for one hook, and the listener that feeds it. `address` of the pages becomes the message's link."""
    courier: Courier[Alert] = Courier(f"hook {settings.url}", lambda alert: _post(settings, alert, address))

    def listen(_: str, change: AlertChange) -> None:
        alert = due(change, settings)
        if alert is not None:
            courier.put(alert)

    return courier, listen


def due(change: AlertChange, settings: HookSettings) -> Alert | None:
    """The alert to tell of: when it is raised, or rises to what the hook asks for."""
    match change:
        case AlertRaised(after=alert) if settings.severity in ("check", alert.severity):
            return alert
        case AlertUpdated(before=before, after=after) if before.severity == "check" and after.severity == "foul":
            return after
        case _:
            return None


def message(settings: HookSettings, alert: Alert, address: str) -> tuple[str, Mapping[str, object]]:
    """Where to post what."""
    link = f"{address}referee#{alert.table}/{alert.id}"
    if settings.kind == "json":
        return settings.url, {"alert": alert.model_dump(mode="json"), "link": link}
    parts = urlsplit(settings.url)
    folder, _, topic = parts.path.rpartition("/")
    told = {
        "topic": topic,
        "title": f"{alert.table}: {alert.code.replace('_', ' ')} ({alert.rule})",
        "message": f"{alert.says}\n{alert.penalty}",
        "priority": _PRIORITY[alert.severity],
        "tags": ["mahjong", alert.severity],
        "click": link,
    }
    return urlunsplit((parts.scheme, parts.netloc, folder or "/", "", "")), told


def _post(settings: HookSettings, alert: Alert, address: str) -> None:
    url, told = message(settings, alert, address)
    headers = {"Content-Type": "application/json"}
    if settings.token:
        headers["Authorization"] = f"Bearer {settings.token}"
    body = json.dumps(told, ensure_ascii=False).encode()
    ask = urllib.request.Request(url, data=body, headers=headers)  # noqa: S310 (http or https by the settings' pattern)
    urllib.request.urlopen(ask, timeout=TIMEOUT_S).close()  # noqa: S310
