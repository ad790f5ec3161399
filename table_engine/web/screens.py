"""What every route has at hand: the hub, the accounts, the site, and the grant of the request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from fastapi import Depends, HTTPException, Request
from fastapi import Path as InPath

from table_engine.assignment import in_force
from table_engine.web.accounts import Accounts
from table_engine.web.grants import Grant, Permission
from table_engine.web.guard import Limiter
from table_engine.web.hub import Hub
from table_engine.wire.settings import Site, TableSettings


@dataclass(slots=True)
class Screens:
    """The web server's surroundings. `cookie` is the name of the session cookie."""

    hub: Hub
    accounts: Accounts
    site: Site
    limiter: Limiter = field(default_factory=Limiter)
    cookie: str = "jantaku"
    closing: bool = False
    """The server ends: streams are to end by themselves."""

    @property
    def evidence(self) -> Path:
        """Stills and clips, by table and alert."""
        return self.site.data / "evidence"

    def journal(self, table: str) -> Path:
        """What was played at a table."""
        return self.site.data / "journal" / f"{table}.sqlite3"

    def settings(self, table: str) -> TableSettings:
        """A table's settings with the rules it is played by now. Raises SettingsError when the site has no such table."""
        return in_force(self.site.table(table), self.journal(table).parent)

    @property
    def previews(self) -> Path:
        """What the cameras see now, by table."""
        return self.site.data / "preview"


def screens_of(request: Request) -> Screens:
    found = request.app.state.screens
    if not isinstance(found, Screens):
        raise TypeError("this application was made without its surroundings")
    return found


def grant_of(request: Request) -> Grant:
    """The grant the guard let this request in with."""
    grant = request.scope["state"]["grant"]
    if not isinstance(grant, Grant):
        raise HTTPException(401, "log in first, or send a key as 'Authorization: Bearer …'")
    return grant


InScreens = Annotated[Screens, Depends(screens_of)]
InGrant = Annotated[Grant, Depends(grant_of)]


def needs(*permissions: Permission) -> Callable[[Grant], Grant]:
    """A dependency: the request's grant, if it has one of these permissions."""

    def check(grant: InGrant) -> Grant:
        if not any(grant.may(permission) for permission in permissions):
            raise HTTPException(403, f"{grant.who} ({grant.role}) may not do that; it takes {' or '.join(permissions)}")
        return grant

    return check


def table_of(table: Annotated[str, InPath(description="Id of a table.")], screens: InScreens, grant: InGrant) -> str:
    """A table of this site that the grant reaches; whether others exist it is not told."""
    if table not in screens.hub.tables or not grant.reaches(table):
        raise HTTPException(404, f"no table {table!r} for {grant.who}; there are {', '.join(reached(screens, grant))}")
    return table


def reached(screens: Screens, grant: Grant) -> tuple[str, ...]:
    """The tables a grant reaches."""
    return tuple(table for table in screens.hub.tables if grant.reaches(table))


InTable = Annotated[str, Depends(table_of)]
Viewing = Annotated[Grant, Depends(needs("view"))]
Alerted = Annotated[Grant, Depends(needs("alerts"))]
Ruling = Annotated[Grant, Depends(needs("rule"))]
Acting = Annotated[Grant, Depends(needs("rule", "venue"))]
Running = Annotated[Grant, Depends(needs("venue"))]
SettingUp = Annotated[Grant, Depends(needs("setup"))]
Keeping = Annotated[Grant, Depends(needs("keys"))]
