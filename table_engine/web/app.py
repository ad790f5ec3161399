"""The web application: one page a table, JSON, and push by server-sent events.

`GET /api/tables/<table>/push` sends the whole board at once and again after every change (at most ten times a second),
with the revision as event id; a browser reconnects by itself and needs no history. When a site runs as a demo, `POST
/api/demo` hands an act ({"act": …}) to the demo's control, and only pages of this server may ask for it.
"""

from __future__ import annotations

import asyncio
import json
import urllib.error
import urllib.request
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from table_engine.web.hub import Hub

STATIC = Path(__file__).parent / "static"
PUSH_INTERVAL_S = 0.1
KEEPALIVE_S = 10.0
DEMO_BODY_LIMIT = 4096
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; frame-ancestors 'self'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-cache",
}


def application(hub: Hub, demo_control: str | None = None) -> Starlette:
    """The ASGI application over a hub. `demo_control` is the address of a running demo's control server."""

    def known(request: Request) -> str:
        table = str(request.path_params["table"])
        if table not in hub.tables:
            raise HTTPException(404, f"no table {table!r}; this server follows {', '.join(hub.tables)}")
        return table

    async def page(_: Request) -> Response:
        return FileResponse(STATIC / "index.html")

    async def tables(_: Request) -> Response:
        return JSONResponse({"tables": hub.tables, "demo": demo_control is not None})

    async def board(request: Request) -> Response:
        return JSONResponse(hub.picture(known(request)))

    async def push(request: Request) -> Response:
        return StreamingResponse(_events(hub, known(request), request), media_type="text/event-stream")

    async def demo(request: Request) -> Response:
        if demo_control is None:
            raise HTTPException(404, "this server is no demo")
        origin = request.headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
            raise HTTPException(403, "only this server's own page may play with the demo")
        body = await request.body()
        if len(body) > DEMO_BODY_LIMIT:
            raise HTTPException(413, "too long for a demo act")
        return await asyncio.to_thread(_forward, demo_control, body)

    return Starlette(
        routes=[
            Route("/", page),
            Route("/table/{table}", page),
            Route("/api/tables", tables),
            Route("/api/tables/{table}", board),
            Route("/api/tables/{table}/push", push),
            Route("/api/demo", demo, methods=["POST"]),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        exception_handlers={HTTPException: _explain},
        middleware=[Middleware(SecurityHeaders)],
    )


class SecurityHeaders:
    """ASGI middleware: adds the security headers to every answer, streams included."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def headed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, headed)


async def _explain(_: Request, error: Exception) -> Response:
    status, detail = (error.status_code, error.detail) if isinstance(error, HTTPException) else (500, "server error")
    return JSONResponse({"error": detail}, status_code=status)


async def _events(hub: Hub, table: str, request: Request) -> AsyncIterator[str]:
    seen = -1
    while not await request.is_disconnected():
        if await hub.changed(table, seen, KEEPALIVE_S):
            picture = hub.picture(table)
            seen = int(str(picture["revision"]))
            yield f"id: {seen}\ndata: {json.dumps(picture, ensure_ascii=False)}\n\n"
            await asyncio.sleep(PUSH_INTERVAL_S)
        else:
            yield ": still here\n\n"


def _forward(control: str, body: bytes) -> Response:
    ask = urllib.request.Request(control, data=body, headers={"Content-Type": "application/json"})  # noqa: S310 (address comes from our own supervisor)
    try:
        with urllib.request.urlopen(ask, timeout=10) as answer:  # noqa: S310
            return Response(answer.read(), media_type="application/json")
    except urllib.error.HTTPError as error:
        return Response(error.read(), status_code=error.code, media_type="application/json")
    except OSError as error:
        return JSONResponse({"error": f"the demo's control does not answer: {error}"}, status_code=502)
