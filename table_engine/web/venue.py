"""Routes of the venue: how good the alerts are, what serial ports and cameras there are, and games to take away."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Annotated, Literal

from fastapi import APIRouter, HTTPException, Query
from fastapi.responses import Response
from pydantic import BaseModel

from table_engine.records.export import export
from table_engine.replay import recorded, replay
from table_engine.web.rulebook import rules_of
from table_engine.web.screens import Alerted, InScreens, InTable, Running, SettingUp, reached
from table_engine.web.workers import worked
from table_engine.wire.errors import JantakuError
from table_engine.wire.layout import Layout, Zone, to_table
from table_engine.wire.seats import SEATS, Seat

router = APIRouter(prefix="/api", tags=["venue"])
DECIDED = ("confirmed", "dismissed", "overturned", "withdrawn")


class Precision(BaseModel):
    """What became of the alerts of one foul's code. `open`: not decided yet."""

    code: str
    open: int
    confirmed: int
    dismissed: int
    overturned: int
    withdrawn: int


class CameraFacts(BaseModel):
    id: str
    source: str
    role: str
    calibration: str
    previewed: bool


class BridgeFacts(BaseModel):
    id: str
    port: str
    device: str


class ZoneCorners(BaseModel):
    """A zone of one seat by its corners, mm in the table's frame."""

    zone: str
    seat: int
    corners: list[tuple[float, float]]


class Equipment(BaseModel):
    """What the site file names for a table, the serial ports this machine has, and where things lie on the table: the
    corners of a camera's picture are those of the square of `half_mm` to each side of the centre."""

    cameras: list[CameraFacts]
    bridges: list[BridgeFacts]
    ports: list[str]
    tile_width_mm: float
    half_mm: float
    zones: list[ZoneCorners]


@router.get("/precision")
async def precision(screens: InScreens, grant: Alerted) -> list[Precision]:
    """How often referees agreed with the alerts, by foul: the product's own precision."""
    counts: dict[str, Counter[str]] = {}
    for table in reached(screens, grant):
        for alert in screens.hub.known_alerts(table):
            counts.setdefault(alert.code, Counter())[alert.state if alert.state in DECIDED else "open"] += 1
    return [
        Precision(code=code, open=c["open"], **{state: c[state] for state in DECIDED})
        for code, c in sorted(counts.items())
    ]


@router.get("/tables/{table}/equipment")
async def equipment(table: InTable, screens: InScreens, _: SettingUp) -> Equipment:
    """Cameras and bridges of a table, and ports to choose from."""
    settings = screens.site.table(table)
    previews = screens.previews / table
    cameras = [
        CameraFacts(
            id=c.id,
            source=_masked(c.source),
            role=c.role,
            calibration=c.calibration,
            previewed=(previews / f"{c.id}.jpg").is_file(),
        )
        for c in settings.cameras
    ]
    bridges = [BridgeFacts(id=b.id, port=b.port, device=b.device) for b in settings.bridges]
    ports = await asyncio.to_thread(_ports)
    layout = settings.layout(rules_of(screens, table).set.tiles)
    return Equipment(
        cameras=cameras,
        bridges=bridges,
        ports=ports,
        tile_width_mm=settings.tile_width_mm,
        half_mm=layout.half,
        zones=[_corners(layout, zone, seat) for zone in Zone for seat in SEATS],
    )


@router.get("/tables/{table}/record", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
async def record(
    table: InTable, screens: InScreens, _: Running, to: Annotated[Literal["mjai", "tenhou6"], Query()] = "mjai"
) -> Response:
    """The finished hands of a table as a game record. The running hand is left out: what stands in it is nobody's yet."""
    path = screens.site.data / "journal" / f"{table}.sqlite3"
    try:
        text = await worked(written, path, table, to)
    except JantakuError as error:
        raise HTTPException(409, str(error)) from error
    headers = {"Content-Disposition": f'attachment; filename="{table}.{to}.json"'}
    return Response(text, media_type="text/plain; charset=utf-8", headers=headers)


def written(path: Path, table: str, form: str) -> str:
    """A journal's finished hands in another program's form. Raises RecordError when there is none or it is damaged."""
    return export(recorded(replay(path), table, running=False), form)


def _corners(layout: Layout, zone: Zone, seat: Seat) -> ZoneCorners:
    r = layout.zone(zone)
    local = ((r.u0, r.v0), (r.u1, r.v0), (r.u1, r.v1), (r.u0, r.v1))
    return ZoneCorners(zone=zone.value, seat=int(seat), corners=[to_table(seat, u, v) for u, v in local])


def _ports() -> list[str]:
    from serial.tools import list_ports

    named = Path("/dev/serial/by-id")
    stable = sorted(str(path) for path in named.iterdir()) if named.is_dir() else []
    return stable or sorted(str(port.device) for port in list_ports.comports())


def _masked(source: str) -> str:
    """An address without the password in it."""
    head, at, tail = source.partition("@")
    scheme, slashes, user = head.partition("://")
    return f"{scheme}://{user.partition(':')[0]}@{tail}" if at and slashes else source
