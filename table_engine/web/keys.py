"""Routes of the admin: people, keys, and who was shown live hands."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, HTTPException
from fastapi import Path as InPath
from pydantic import BaseModel, Field

from table_engine.web.accounts import wall_ms
from table_engine.web.entrance import Name, Secret
from table_engine.web.grants import Role
from table_engine.web.screens import InScreens, Keeping, Screens
from table_engine.wire.errors import SettingsError

router = APIRouter(prefix="/api", tags=["access"])
HOUR_MS = 3_600_000


class NewPerson(BaseModel):
    """`tables`: none for all. Giving a name that is there gives a new password and rights."""

    name: Name
    password: Secret
    role: Role
    tables: list[str] | None = None
    hands: bool = False


class PersonLine(BaseModel):
    name: str
    role: Role
    tables: list[str] | None
    hands: bool
    made_ms: int


class NewKey(BaseModel):
    """`delay_s`: how much later its holder sees everything. `hours`: how long it is valid, none: until it is taken back."""

    label: Annotated[str, Field(min_length=1, max_length=60)]
    role: Role
    tables: list[str] | None = None
    hands: bool = False
    delay_s: Annotated[float, Field(ge=0, le=3600, allow_inf_nan=False)] = 0.0
    hours: Annotated[float | None, Field(gt=0, le=24 * 366, allow_inf_nan=False)] = None


class KeyLine(BaseModel):
    id: str
    label: str
    role: Role
    tables: list[str] | None
    hands: bool
    delay_s: float
    until_ms: int | None
    once: bool
    made_ms: int
    made_by: str
    used_ms: int | None


class MadeKey(BaseModel):
    """`key` is shown this once."""

    key: str
    line: KeyLine


class LookLine(BaseModel):
    who: str
    role: str
    address: str
    what: str
    delay_s: float
    from_ms: int
    until_ms: int | None


@router.get("/people")
async def people(screens: InScreens, _: Keeping) -> list[PersonLine]:
    """Who has an account."""
    return [
        PersonLine(name=p.name, role=p.role, tables=_listed(p.tables), hands=p.hands, made_ms=p.made_ms)
        for p in screens.accounts.people()
    ]


@router.post("/people", status_code=204)
async def make_person(screens: InScreens, _: Keeping, new: NewPerson) -> None:
    """Makes an account, or gives one a new password and rights."""
    tables = _tables(screens, new.tables)
    try:
        make = screens.accounts.make_person
        await asyncio.to_thread(make, new.name, new.password, new.role, tables, hands=new.hands)
    except SettingsError as error:
        raise HTTPException(422, str(error)) from error


@router.delete("/people/{name}", status_code=204)
async def remove_person(screens: InScreens, _: Keeping, name: Annotated[str, InPath(max_length=40)]) -> None:
    """Takes an account away; its sessions end."""
    try:
        gone = screens.accounts.remove_person(name)
    except SettingsError as error:
        raise HTTPException(409, str(error)) from error
    if not gone:
        raise HTTPException(404, f"nobody is called {name!r}")


@router.get("/keys")
async def keys(screens: InScreens, _: Keeping) -> list[KeyLine]:
    """The keys, without their secrets."""
    return [_line(screens, token.id) for token in screens.accounts.tokens()]


@router.post("/keys", status_code=201)
async def make_key(screens: InScreens, grant: Keeping, new: NewKey) -> MadeKey:
    """Makes a key for an overlay, a screen on a wall, or somebody's phone."""
    until_ms = None if new.hours is None else wall_ms() + round(new.hours * HOUR_MS)
    tables = _tables(screens, new.tables)
    key = screens.accounts.make_token(
        new.label, new.role, tables, hands=new.hands, delay_s=new.delay_s, until_ms=until_ms, by=grant.who
    )
    for table in tables or screens.hub.tables:
        screens.hub.keep_past(table, screens.accounts.longest_delay_s(table))
    return MadeKey(key=key, line=_line(screens, key.partition(".")[0]))


@router.delete("/keys/{ident}", status_code=204)
async def remove_key(screens: InScreens, _: Keeping, ident: Annotated[str, InPath(max_length=40)]) -> None:
    """Takes a key back; whoever is in by it is out within seconds."""
    if not screens.accounts.remove_token(ident):
        raise HTTPException(404, f"no key {ident!r}")
    for table in screens.hub.tables:
        screens.hub.keep_past(table, screens.accounts.longest_delay_s(table))


@router.get("/looks")
async def looks(screens: InScreens, _: Keeping) -> list[LookLine]:
    """Who was shown live hands, the newest first."""
    return [LookLine(**asdict(look)) for look in screens.accounts.looks()]


def _line(screens: Screens, ident: str) -> KeyLine:
    token = next(t for t in screens.accounts.tokens() if t.id == ident)
    return KeyLine(**{**asdict(token), "tables": _listed(token.tables)})


def _listed(tables: frozenset[str] | None) -> list[str] | None:
    return None if tables is None else sorted(tables)


def _tables(screens: Screens, wanted: list[str] | None) -> frozenset[str] | None:
    if wanted is None:
        return None
    if unknown := set(wanted) - set(screens.hub.tables):
        raise HTTPException(422, f"no table {', '.join(sorted(unknown))[:200]!r}")
    return frozenset(wanted)
