"""Routes that add a table to a site and take it away again, and what this machine has to be added: cameras and serial ports.

Added tables are kept in `<data>/setup.json`. Whoever keeps the site's processes (`jantaku run`) sees that, has broker and
engine begin anew with them and starts their cameras and bridges.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Literal

from fastapi import APIRouter, HTTPException
from fastapi import Path as InPath
from pydantic import BaseModel, ConfigDict, Field

from table_engine.rules import load_ruleset
from table_engine.web import demo
from table_engine.web.outfit import Saved, keep
from table_engine.web.screens import InGrant, InScreens, SettingUp
from table_engine.wire.errors import SettingsError
from table_engine.wire.kept import Kept, kept_path, load_kept
from table_engine.wire.settings import Site, with_kept

router = APIRouter(prefix="/api", tags=["setup"])
CAMERA, BRIDGE = "overhead", "controller"
"""What the sensors of an added table are called, as in the examples of site files."""
Ident = Annotated[str, InPath(pattern=r"^[a-z0-9-]{1,32}$")]


class Device(BaseModel):
    """A camera or port to choose. `used`: by which table, empty when by none."""

    address: str
    used: str = ""


class Found(BaseModel):
    """What may be added. `name`: an id no table has yet. `ruleset`: by which most tables here are played."""

    name: str
    ruleset: str
    cameras: list[Device]
    ports: list[Device]
    added: list[str]
    """Tables that were added on the page and may be taken away there."""
    demo: bool


class Around(BaseModel):
    """Cameras and serial ports of this machine, by names that stay, and in a demo those of virtual tables put up."""

    cameras: list[str]
    ports: list[str]
    spares: list[demo.Spare] = Field(default_factory=list)


class NewTable(BaseModel):
    """A table with its rule set, tiles, overhead camera and bridge; either sensor may be left out, not both."""

    model_config = ConfigDict(extra="forbid")

    id: str = Field(pattern=r"^[a-z0-9-]{1,32}$")
    ruleset: str = Field(default="riichi", max_length=40)
    tile_width_mm: float = Field(default=26.0, ge=20, le=45)
    camera: str = Field(default="", max_length=400)
    port: str = Field(default="", max_length=400)
    device: Literal["reference", "ascii-line", "modbus"] = "reference"


@router.get("/found")
async def found(screens: InScreens, _: SettingUp) -> Found:
    """What this machine has to be added as another table."""
    try:
        site = with_kept(screens.site)
        added = [name for name in load_kept(screens.site.data).added if any(t.id == name for t in site.tables)]
    except SettingsError as error:
        raise HTTPException(409, str(error)) from error
    there = await asyncio.to_thread(look_around, site.web.demo)
    used = {camera.source: table.id for table in site.tables for camera in table.cameras}
    used |= {bridge.port: table.id for table in site.tables for bridge in table.bridges}
    rules = [table.ruleset for table in site.tables]
    return Found(
        name=_free_name(site),
        ruleset=max(rules, key=rules.count),
        cameras=[Device(address=one, used=used.get(one, "")) for one in there.cameras],
        ports=[Device(address=one, used=used.get(one, "")) for one in there.ports],
        added=added,
        demo=site.web.demo is not None,
    )


@router.post("/tables")
async def add_table(screens: InScreens, grant: InGrant, _: SettingUp, new: NewTable) -> Saved:
    """Adds a table for good. It is there once broker and engine have begun anew, a few seconds later (`taken`: no)."""
    if grant.tables is not None:
        raise HTTPException(403, f"{grant.who} has a key to some tables only and adds none")
    spares = await asyncio.to_thread(demo.spares, screens.site.web.demo)
    spare = next((one for one in spares if new.camera == one.camera or new.port == one.port), None)
    await asyncio.to_thread(keep, screens, lambda kept: _with(screens.site, kept, new, spare))
    return Saved(file=str(kept_path(screens.site.data)), taken=False, says="it comes when broker and engine begin anew")


@router.delete("/tables/{table}")
async def drop_table(screens: InScreens, grant: InGrant, _: SettingUp, table: Ident) -> Saved:
    """Takes away a table that was added here. What was played at it stays on the disk."""
    try:
        added = load_kept(screens.site.data).added
    except SettingsError as error:
        raise HTTPException(409, str(error)) from error
    if not grant.reaches(table) or table not in added:
        raise HTTPException(404, f"table {table!r} was not added here; take it out of the site file")
    await asyncio.to_thread(keep, screens, lambda kept: kept.without_table(table))
    return Saved(file=str(kept_path(screens.site.data)), taken=False, says="it goes when broker and engine begin anew")


def _with(site: Site, kept: Kept, new: NewTable, spare: demo.Spare | None) -> Kept:
    """What is kept, with a new table. Raises SettingsError when it cannot be watched or its sensors are another table's."""
    now = with_kept(site)
    if any(table.id == new.id for table in now.tables):
        raise SettingsError(f"there is a table {new.id!r} already; choose another name")
    if not new.camera and not new.port:
        raise SettingsError("a table needs a camera or a port; choose one that was found")
    for table in now.tables:
        taken = [*(c.source for c in table.cameras), *(b.port for b in table.bridges)]
        if used := [one for one in (new.camera, new.port) if one and one in taken]:
            raise SettingsError(f"{used[0]} is used by {table.id} already; choose another")
    load_ruleset(new.ruleset)
    says: dict[str, object] = {"ruleset": new.ruleset, "tile_width_mm": new.tile_width_mm}
    says["cameras"] = [{"id": CAMERA, "source": new.camera}] if new.camera else []
    says["bridges"] = [{"id": BRIDGE, "port": new.port, "device": new.device}] if new.port else []
    if spare is not None:
        says["clock"] = str(spare.clock)
    return kept.with_table(new.id, says)


def _free_name(site: Site) -> str:
    names = {table.id for table in site.tables}
    return next(name for n in range(len(names) + 1, 10_000) if (name := f"table-{n}") not in names)


def look_around(control: str | None) -> Around:
    """What cameras and ports there are. `control`: of the demo, if it is one."""
    spares = demo.spares(control)
    return Around(
        cameras=[*_cameras(), *(one.camera for one in spares)],
        ports=[*_ports(), *(one.port for one in spares)],
        spares=spares,
    )


def _ports() -> list[str]:
    from serial.tools import list_ports

    named = Path("/dev/serial/by-id")
    stable = sorted(str(path) for path in named.iterdir()) if named.is_dir() else []
    return stable or sorted(str(port.device) for port in list_ports.comports())


def _cameras() -> list[str]:
    named = Path("/dev/v4l/by-id")
    if named.is_dir():
        return sorted(str(path) for path in named.iterdir() if path.name.endswith("index0"))
    return sorted(str(path) for path in Path("/dev").glob("video[0-9]*"))
