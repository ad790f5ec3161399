"""Routes to come in and go: by name and password, or by a key that opens a session."""

from __future__ import annotations

import asyncio
from importlib.metadata import version
from typing import Annotated

from fastapi import APIRouter, HTTPException, Request, Response
from pydantic import BaseModel, Field

from table_engine.web.accounts import SESSION_MS
from table_engine.web.grants import GUEST, Grant, Role
from table_engine.web.guard import TRIES, address_of, cookie_of
from table_engine.web.screens import InScreens, Screens, reached

router = APIRouter(prefix="/api", tags=["access"])
Name = Annotated[str, Field(min_length=1, max_length=40)]
Secret = Annotated[str, Field(min_length=1, max_length=256)]


class You(BaseModel):
    """Who is asking. `hands`: concealed hands may be shown to them, `delay_s` late."""

    who: str
    role: Role
    may: list[str]
    hands: bool
    delay_s: float
    tables: list[str]
    guest: bool


class SiteFacts(BaseModel):
    """`first`: nobody has an account yet."""

    venue: str
    version: str
    demo: bool
    first: bool
    you: You | None


class LogIn(BaseModel):
    name: Name
    password: Secret


class Enter(BaseModel):
    key: Secret


def you(screens: Screens, grant: Grant) -> You:
    """A grant as its holder is told of it."""
    return You(
        who=grant.who,
        role=grant.role,
        may=list(grant.permissions),
        hands=grant.hands,
        delay_s=grant.delay_s,
        tables=list(reached(screens, grant)),
        guest=grant is GUEST,
    )


@router.get("/site")
async def site(request: Request, screens: InScreens) -> SiteFacts:
    """What every page asks first: the venue, and who is asking."""
    grant = request.scope["state"]["grant"]
    return SiteFacts(
        venue=screens.site.venue,
        version=version("jantaku"),
        demo=screens.site.web.demo is not None,
        first=screens.accounts.empty,
        you=you(screens, grant) if grant else None,
    )


@router.post("/login")
async def log_in(request: Request, response: Response, screens: InScreens, given: LogIn) -> You:
    """Opens a session by name and password."""
    _try(screens, request)
    secret = await asyncio.to_thread(screens.accounts.log_in, given.name, given.password)
    return _opened(screens, request, response, secret, "name or password is wrong")


@router.post("/enter")
async def enter(request: Request, response: Response, screens: InScreens, given: Enter) -> You:
    """Opens a session by a key, e.g. of a ready-made link."""
    _try(screens, request)
    secret = screens.accounts.enter(given.key)
    return _opened(screens, request, response, secret, "this key is not known here, has expired or was used")


@router.post("/leave", status_code=204)
async def leave(request: Request, response: Response, screens: InScreens) -> None:
    """Ends the session."""
    if secret := cookie_of(request.headers, screens.cookie):
        screens.accounts.leave(secret)
    response.delete_cookie(screens.cookie, path="/", httponly=True, samesite="strict")


def _try(screens: Screens, request: Request) -> None:
    screens.limiter.hit(TRIES, "enter", address_of(request.scope))


def _opened(screens: Screens, request: Request, response: Response, secret: str | None, wrong: str) -> You:
    grant = screens.accounts.by_session(secret) if secret else None
    if secret is None or grant is None:
        raise HTTPException(401, wrong)
    response.set_cookie(
        screens.cookie,
        secret,
        max_age=SESSION_MS // 1000,
        path="/",
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return you(screens, grant)
