"""The door of the web server: who asks, may they ask from there, and how often. ASGI middleware in front of everything.

Everything under `/api/` needs a grant except what `OPEN` names; which permission, each route says. A browser's session is a
cookie, and a browser that changes something has to come from one of this server's own pages; programs send their key as
`Authorization: Bearer …`. Hosts are checked so that no foreign name can be pointed at this address (DNS rebinding).
"""

from __future__ import annotations

import ipaddress
import json
import socket
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit

from limits import RateLimitItem, parse
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from table_engine.web.accounts import Accounts
from table_engine.web.grants import GUEST, Grant

OPEN = frozenset({"/api/site", "/api/login", "/api/enter", "/api/leave", "/api/openapi.json"})
KNOCK = "/static/knock.txt"
"""What a saved `loader.html` asks for to learn whether the server is there."""
BODY_LIMIT = 64 * 1024
REQUESTS = parse("6000/minute")
"""Of one address to `/api/`."""
TRIES = parse("20/minute")
"""Of one address to come in, by name, key or session."""
_READS = ("GET", "HEAD", "OPTIONS")
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data: blob:; style-src 'self'; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'self'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}


class Refused(Exception):  # noqa: N818 (a refusal is an answer, not an error of ours)
    """A request ends here with this answer."""

    def __init__(self, status: int, says: str) -> None:
        super().__init__(says)
        self.status = status
        self.says = says


class Limiter:
    """How often one address may do something."""

    def __init__(self) -> None:
        self._windows = FixedWindowRateLimiter(MemoryStorage())

    def hit(self, item: RateLimitItem, what: str, whose: str) -> None:
        """Counts one. Raises Refused when it was one too many."""
        if not self._windows.hit(item, what, whose):
            raise Refused(429, f"too many requests from {whose}; wait a minute and try again")

    def spent(self, item: RateLimitItem, what: str, whose: str) -> bool:
        """Whether nothing is left, without counting."""
        return not self._windows.test(item, what, whose)


class Guard:
    """Puts the request's `grant` (or None) into the ASGI state, or answers itself."""

    def __init__(
        self, app: ASGIApp, accounts: Accounts, limiter: Limiter, names: Iterable[str], *, guests: bool, cookie: str
    ) -> None:
        self._app = app
        self._accounts = accounts
        self._limiter = limiter
        own = socket.gethostname().lower()
        self._names = {"localhost", own, f"{own}.local", *(name.lower() for name in names)}
        self._guests = guests
        self._cookie = cookie

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1000})
            return

        async def headed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if scope["path"] == KNOCK:
                    headers["Cross-Origin-Resource-Policy"] = "cross-origin"
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if scope.get("scheme") == "https":
                    headers.setdefault("Strict-Transport-Security", "max-age=31536000")
            await send(message)

        try:
            scope.setdefault("state", {})["grant"] = self._let_in(scope)
        except Refused as refused:
            await _say(headed, refused)
            return
        await self._app(scope, _limited(receive), headed)

    def _let_in(self, scope: Scope) -> Grant | None:
        headers, path, address = Headers(scope=scope), str(scope["path"]), address_of(scope)
        host = headers.get("host", "")
        if not self._knows(host):
            raise Refused(421, f"this server is not called {host[:80]!r}; add the name to web.names in the site file")
        if not path.startswith("/api/"):
            return None
        self._limiter.hit(REQUESTS, "api", address)
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > BODY_LIMIT:
            raise Refused(413, f"a request may hold {BODY_LIMIT} bytes")
        grant, by_cookie = self._grant(headers, address)
        if scope["method"] not in _READS and (by_cookie or grant is None):
            self._same_origin(headers, host)
        if grant is None and self._guests:
            grant = GUEST
        if grant is None and path not in OPEN:
            raise Refused(401, "log in first, or send a key as 'Authorization: Bearer …'")
        return grant

    def _grant(self, headers: Headers, address: str) -> tuple[Grant | None, bool]:
        kind, _, key = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            return self._proved(self._accounts.by_token(key.strip()), address), False
        secret = cookie_of(headers, self._cookie)
        return (self._accounts.by_session(secret), True) if secret else (None, False)

    def _proved(self, grant: Grant | None, address: str) -> Grant:
        if grant is None:
            self._limiter.hit(TRIES, "key", address)
            raise Refused(401, "this key is not known here, has expired or was taken back")
        return grant

    def _same_origin(self, headers: Headers, host: str) -> None:
        origin = headers.get("origin")
        if origin is None or urlsplit(origin).netloc.lower() != host.lower():
            raise Refused(403, "only this server's own pages may change something here")
        if headers.get("sec-fetch-site", "same-origin") != "same-origin":
            raise Refused(403, "only this server's own pages may change something here")

    def _knows(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
            ipaddress.ip_address(name)
        except ValueError:
            return urlsplit_name(host) in self._names
        return True


def urlsplit_name(host: str) -> str:
    """The name of a Host header without its port, in small letters."""
    return host.rsplit(":", 1)[0].lower().rstrip(".") if host.rpartition(":")[2].isdigit() else host.lower().rstrip(".")


def address_of(scope: Scope) -> str:
    """Whose request it is."""
    client = scope.get("client")
    return str(client[0]) if client else "?"


def cookie_of(headers: Headers, name: str) -> str | None:
    """The value of one cookie."""
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return None
    return found.value if found else None


def _limited(receive: Receive) -> Receive:
    taken = 0

    async def counted() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > BODY_LIMIT:
            return {"type": "http.disconnect"}
        return message

    return counted


async def _say(send: Send, refused: Refused) -> None:
    body = json.dumps({"error": refused.says}, ensure_ascii=False).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
