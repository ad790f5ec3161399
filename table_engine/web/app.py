"""The web application: static pages, JSON under `/api/`, push by server-sent events. `docs/api.md` tells how to use it.

Pages are files that hold nothing secret; what they show they fetch from `/api/`, where every request carries a grant (`guard`)
and every route says what it takes.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, Response
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.staticfiles import StaticFiles

from table_engine.web import demo, entrance, evidence, found, keys, outfit, rulebook, tables, themes, venue
from table_engine.web.guard import Guard, Refused
from table_engine.web.screens import Screens

STATIC = Path(__file__).parent / "static"
PAGES: Mapping[str, str] = {
    "/": "home.html",
    "/enter": "enter.html",
    "/table/{table}": "table.html",
    "/overlay/{table}": "overlay.html",
    "/referee": "referee.html",
    "/ruling/{table}/{alert}": "ruling.html",
    "/venue": "venue.html",
    "/setup": "setup.html",
    "/access": "access.html",
}


class Problem(BaseModel):
    """What every refusal says, in one sentence."""

    error: str


REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem} for status in (400, 401, 403, 404, 409, 413, 421, 422, 429, 503)
}


def application(screens: Screens) -> FastAPI:
    """The ASGI application."""
    web = screens.site.web
    app = FastAPI(
        title="Jantaku",
        summary="Boards of mahjong tables, and what referees and operators do about them",
        version="1",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        responses=REFUSALS,
        middleware=[
            Middleware(
                Guard,
                accounts=screens.accounts,
                limiter=screens.limiter,
                names=(*web.names, web.host),
                guests=web.guests == "viewer",
                cookie=screens.cookie,
            )
        ],
        exception_handlers={
            HTTPException: _explain,
            RequestValidationError: _explain_body,
            Refused: _explain_refusal,
            sqlite3.OperationalError: _explain_storage,
        },
    )
    app.state.screens = screens
    for routes in (entrance, tables, rulebook, evidence, venue, found, outfit, keys, demo):
        app.include_router(routes.router)
    app.include_router(themes.router)
    for path, file in PAGES.items():
        app.add_route(path, _page(STATIC / file))
    app.mount("/static", StaticFiles(directory=STATIC))
    return app


def _page(file: Path) -> Any:  # noqa: ANN401 - Starlette's own type of an endpoint
    async def page(_: Request) -> Response:
        return FileResponse(file)

    return page


async def _explain(_: Request, error: Exception) -> Response:
    status, detail = (error.status_code, error.detail) if isinstance(error, HTTPException) else (500, "server error")
    return JSONResponse({"error": str(detail)}, status_code=status)


async def _explain_refusal(_: Request, error: Exception) -> Response:
    status, says = (error.status, error.says) if isinstance(error, Refused) else (500, "server error")
    return JSONResponse({"error": says}, status_code=status)


async def _explain_storage(_: Request, error: Exception) -> Response:
    says = f"the access file cannot be written ({error}); free space on its disk"
    return JSONResponse({"error": says}, status_code=507)


async def _explain_body(_: Request, error: Exception) -> Response:
    problems = error.errors() if isinstance(error, RequestValidationError) else ()
    says = "; ".join(f"{'.'.join(str(part) for part in one['loc'])}: {one['msg']}" for one in problems)
    return JSONResponse({"error": says[:2000]}, status_code=422)
