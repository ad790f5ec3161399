"""Routes of the venue: the rules of a table, how good the alerts are, what serial ports and cameras there are, and games and
sheets to take away."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Literal

from fastapi import APIRouter, HTTPException, Query
from fastapi.responses import Response
from pydantic import BaseModel, Field

from table_engine.agreement import DECIDED, Counts, add, kept
from table_engine.records.export import export
from table_engine.replay import recorded, replay
from table_engine.sheets import Form, What, sheet
from table_engine.web.found import look_around
from table_engine.web.rulebook import rules_of
from table_engine.web.screens import Alerted, InScreens, InTable, Running, SettingUp, reached
from table_engine.web.tables import answered
from table_engine.web.workers import worked
from table_engine.wire.acts import Answer
from table_engine.wire.errors import JantakuError
from table_engine.wire.frozen import replace
from table_engine.wire.layout import Layout, Zone, to_table
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.settings import ZoneSettings, with_kept

router = APIRouter(prefix="/api", tags=["venue"])


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
    corners_px: list[tuple[float, float]] | None
    turned: int
    tile_set: str
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

    table: str
    cameras: list[CameraFacts]
    bridges: list[BridgeFacts]
    ports: list[str]
    devices: list[str]
    """Cameras this machine has, by names that stay."""
    flowers: int
    reds: int
    demo: bool
    """The table is a virtual one that lays its set out when asked."""
    tile_width_mm: float
    half_mm: float
    marker_mm: float
    """Side of a position marker's black square."""
    zones: list[ZoneCorners]
    """As they lie now."""
    moves: ZoneSettings
    """How far from their usual places."""


@router.get("/precision")
async def precision(screens: InScreens, grant: Alerted) -> list[Precision]:
    """How often referees agreed with the alerts, by foul: the product's own precision, over every match and rule set the
    journals know of."""
    counts: Counts = {}
    for table in reached(screens, grant):
        add(counts, screens.hub.verdicts(table))
        add(counts, await asyncio.to_thread(kept, screens.journal(table).parent, table))
    return [
        Precision(code=code, open=c["open"], **{state: c[state] for state in DECIDED})
        for code, c in sorted(counts.items())
    ]


@router.get("/tables/{table}/equipment")
async def equipment(table: InTable, screens: InScreens, _: SettingUp) -> Equipment:
    """Cameras and bridges of a table, and ports to choose from."""
    try:
        settings = with_kept(screens.site).table(table)
    except JantakuError as error:
        raise HTTPException(409, str(error)) from error
    previews = screens.previews / table
    cameras = [
        CameraFacts(
            id=c.id,
            source=_masked(c.source),
            role=c.role,
            calibration=c.calibration,
            corners_px=list(c.corners_px) if c.corners_px else None,
            turned=c.turned,
            tile_set=c.tile_set or "",
            previewed=(previews / f"{c.id}.jpg").is_file(),
        )
        for c in settings.cameras
    ]
    there = await asyncio.to_thread(look_around, screens.site.web.demo)
    bridges = [BridgeFacts(id=b.id, port=b.port, device=b.device) for b in settings.bridges]
    tiles = rules_of(screens, table).set
    layout = settings.layout(tiles.tiles)
    return Equipment(
        table=table,
        cameras=cameras,
        bridges=bridges,
        ports=there.ports,
        devices=there.cameras,
        flowers=tiles.flowers,
        reds=tiles.red_fives,
        demo=screens.site.web.demo is not None,
        tile_width_mm=settings.tile_width_mm,
        half_mm=layout.half,
        marker_mm=layout.marker_side,
        zones=[_corners(layout, zone, seat) for zone in Zone for seat in SEATS],
        moves=settings.zones,
    )


@router.get("/tables/{table}/record", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
async def record(
    table: InTable, screens: InScreens, _: Running, to: Annotated[Literal["mjai", "tenhou6"], Query()] = "mjai"
) -> Response:
    """The finished hands of a table as a game record. The running hand is left out: what stands in it is nobody's yet."""
    try:
        text = await worked(written, screens.journal(table), table, to)
    except JantakuError as error:
        raise HTTPException(409, str(error)) from error
    headers = {"Content-Disposition": f'attachment; filename="{table}.{to}.json"'}
    return Response(text, media_type="text/plain; charset=utf-8", headers=headers)


@router.get("/tables/{table}/sheet", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
async def sheet_of(
    table: InTable,
    screens: InScreens,
    _: Running,
    what: Annotated[Literal["results", "ruling"], Query()] = "results",
    to: Annotated[Literal["text", "json", "csv", "html"], Query()] = "html",
) -> Response:
    """The result sheet or the ruling sheet of a table, to be printed or read by other programs."""
    try:
        text = await worked(sheet_written, screens.journal(table), what, to, screens.site.table(table).players)
    except JantakuError as error:
        raise HTTPException(409, str(error)) from error
    ending = {"text": "txt"}.get(to, to)
    headers = {"Content-Disposition": f'attachment; filename="{table}.{what}.{ending}"'}
    return Response(text, media_type="text/plain; charset=utf-8", headers=headers)


def sheet_written(path: Path, what: What, form: Form, players: tuple[str, str, str, str]) -> str:
    """A sheet of a journal; `players` are those of the site file, for a table at which nobody was seated since. Raises
    RecordError when there is none or it is damaged."""
    done = replay(path)
    match = done.engine.match
    if not any(match.ledger.names):
        match = replace(match, ledger=replace(match.ledger, names=players))
    return sheet(what, replace(done.engine, match=match), done.rules, form)


class RulesWish(BaseModel):
    """By which rule set a table is played from its next match on, by its id."""

    ruleset: Annotated[str, Field(max_length=40)]


@router.put("/tables/{table}/ruleset")
async def choose_ruleset(table: InTable, screens: InScreens, grant: Running, wish: RulesWish) -> Answer:
    """Has a table played by other rules. Answers when it is, or with why not (`ok` false): while a hand or a match goes on or an
    alert waits. What was played before is laid aside whole, in a journal of its own."""
    return await answered(screens.hub.choose_rules(table, wish.ruleset, grant.who))


def written(path: Path, table: str, form: str) -> str:
    """A journal's finished hands in another program's form. Raises RecordError when there is none or it is damaged."""
    return export(recorded(replay(path), table, running=False), form)


def _corners(layout: Layout, zone: Zone, seat: Seat) -> ZoneCorners:
    r = layout.zone(zone)
    local = ((r.u0, r.v0), (r.u1, r.v0), (r.u1, r.v1), (r.u0, r.v1))
    return ZoneCorners(zone=zone.value, seat=int(seat), corners=[to_table(seat, u, v) for u, v in local])


def _masked(source: str) -> str:
    """An address without the password in it."""
    head, at, tail = source.partition("@")
    scheme, slashes, user = head.partition("://")
    return f"{scheme}://{user.partition(':')[0]}@{tail}" if at and slashes else source
