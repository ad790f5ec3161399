"""Routes of the set-up page that change something: how a camera looks at the table, which port a bridge has, and the tile
sets. What is set is kept in `<data>/setup.json` and taken at once: the camera's or bridge's own program begins anew with it.

Pictures and readings of a set that is being learnt come from vision as files, as previews do (`evidence`).
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Literal

from fastapi import APIRouter, HTTPException
from fastapi import Path as InPath
from fastapi.responses import FileResponse, Response
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from table_engine.web.rulebook import rules_of
from table_engine.web.screens import InScreens, InTable, Screens, SettingUp
from table_engine.wire.errors import JantakuError, SettingsError
from table_engine.wire.kept import BridgeKept, CameraKept, Kept, kept_path, load_kept
from table_engine.wire.settings import BridgeSettings, CameraSettings, TableSettings, ZoneSettings, explain, with_kept

router = APIRouter(prefix="/api", tags=["setup"])
Ident = Annotated[str, InPath(pattern=r"^[a-z0-9-]{1,32}$")]
SetName = Annotated[str, InPath(pattern=r"^[a-z0-9][a-z0-9-]{0,31}$")]
LEARN_S = 90.0
"""How long a look at a whole set may take on a slow machine."""
RELOAD_S = 30.0
"""A sensor that begins anew loads its nets first."""
_WRITING = threading.Lock()


class Set(BaseModel):
    """An enrolled tile set. `at_ms`: when it was learnt; `back`: colour of its backs, `#rrggbb`; `used`: by which cameras."""

    name: str
    at_ms: int
    faces: int = 0
    tiles: int = 0
    complete: bool = True
    back: str | None = None
    used: list[str] = Field(default_factory=list)


class Sets(BaseModel):
    sets: list[Set]


class CameraChange(BaseModel):
    """What is to be otherwise; what is left out stays. `tile_set`: names with commas, empty for none."""

    model_config = ConfigDict(extra="forbid")

    source: str | None = Field(default=None, min_length=1, max_length=400)
    calibration: Literal["markers", "corners"] | None = None
    corners_px: tuple[tuple[float, float], tuple[float, float], tuple[float, float], tuple[float, float]] | None = None
    turned: Literal[0, 1, 2, 3] | None = None
    tile_set: str | None = Field(default=None, pattern=r"^([a-z0-9][a-z0-9-]{0,31}(,[a-z0-9][a-z0-9-]{0,31})?)?$")


class BridgeChange(BaseModel):
    model_config = ConfigDict(extra="forbid")

    port: str | None = Field(default=None, min_length=1, max_length=400)
    device: Literal["reference", "ascii-line", "modbus"] | None = None


class ZonesChange(BaseModel):
    """Where a table's zones lie: all of them, mm outwards from their usual places (`ZoneSettings` has the limits)."""

    model_config = ConfigDict(extra="forbid")

    pond_mm: float = 0.0
    wall_mm: float = 0.0
    meld_mm: float = 0.0
    rack_mm: float = 0.0
    pond_wide_mm: float = 0.0


class Saved(BaseModel):
    """`file`: where it was saved. `taken`: the sensor's program begins anew with it; else `says` tells why not yet."""

    file: str
    taken: bool
    says: str = ""


class Task(BaseModel):
    """One step of learning a set: `begin` before it is laid out, `look`, `add` that look, `drop` a picture, `name` a tile,
    `save`, `end`. `reds`: red fives of this set; none: as the rules have them."""

    model_config = ConfigDict(extra="forbid")

    do: Literal["begin", "look", "add", "drop", "name", "save", "end"]
    picture: int = Field(default=0, ge=0, le=10_000)
    tile: int = Field(default=0, ge=0, le=100_000)
    code: str = Field(default="", max_length=2)
    name: str = Field(default="", max_length=32)
    flowers: Literal[0, 4, 8] | None = None
    reds: Literal[0, 3, 4] | None = None


@router.get("/sets")
async def sets(screens: InScreens, _: SettingUp) -> Sets:
    """The tile sets that were learnt."""
    return Sets(sets=await asyncio.to_thread(_sets, screens))


@router.delete("/sets/{name}")
async def drop_set(screens: InScreens, _: SettingUp, name: SetName) -> Sets:
    """Forgets a set that no camera uses."""
    found = next((one for one in await asyncio.to_thread(_sets, screens) if one.name == name), None)
    if found is None:
        raise HTTPException(404, f"no tile set {name!r}")
    if found.used:
        raise HTTPException(409, f"{name} is used by {', '.join(found.used)}; choose another set there first")
    for suffix in (".npz", ".json"):
        (_folder(screens) / f"{name}{suffix}").unlink(missing_ok=True)
    return await sets(screens, _)


@router.post(
    "/tables/{table}/cameras/{camera}/learn",
    response_class=Response,
    responses={200: {"content": {"application/json": {}}}},
)
async def learn(table: InTable, screens: InScreens, _: SettingUp, camera: Ident, task: Task) -> Response:
    """One step of learning the set that lies before a camera. Answers what is known by now: pictures, tiles with what they
    are taken for, and how many of each kind were seen; after `save` what was learnt."""
    _camera(screens, table, camera)
    tiles = rules_of(screens, table).set
    data = task.model_dump(exclude_none=True)
    data["flowers"] = tiles.flowers if task.flowers is None else task.flowers
    data["reds"] = tiles.red_fives if task.reds is None else task.reds
    said = await _ordered(screens, table, camera, "learn", data, LEARN_S)
    if task.do in ("begin", "save", "end"):
        return Response(json.dumps(dict(said)), media_type="application/json")
    return await lesson(table, screens, _, camera)


@router.get("/tables/{table}/cameras/{camera}/lesson.json", responses={200: {"content": {"application/json": {}}}})
async def lesson(table: InTable, screens: InScreens, _: SettingUp, camera: Ident) -> Response:
    """What is known of the set that is being learnt before a camera; nothing (204) when none is."""
    path = screens.previews / table / f"{camera}.lesson.json"
    return _file(path, "application/json") if path.is_file() else Response(status_code=204)


@router.get(
    "/tables/{table}/cameras/{camera}/lesson/{number}.jpg",
    response_class=FileResponse,
    responses={200: {"content": {"image/jpeg": {}}}},
)
async def looked(
    table: InTable,
    screens: InScreens,
    _: SettingUp,
    camera: Ident,
    number: Annotated[int, InPath(ge=0, le=10_000)],
) -> Response:
    """One of the pictures a set is learnt from; 0: the look that is not added yet."""
    return _file(screens.previews / table / f"{camera}.lesson-{number}.jpg", "image/jpeg")


@router.put("/tables/{table}/cameras/{camera}")
async def set_camera(table: InTable, screens: InScreens, _: SettingUp, camera: Ident, change: CameraChange) -> Saved:
    """Sets how a camera looks at its table, for good and at once."""
    now = _camera(screens, table, camera)
    given = change.model_dump(exclude_none=True)
    if change.corners_px is not None:
        given = {"calibration": "corners", "turned": 0} | given  # the corners begin with seat 0's left
        _check_square(change.corners_px)
    if change.tile_set:
        there = {one.name for one in await asyncio.to_thread(_sets, screens)}
        if missing := [name for name in change.tile_set.split(",") if name not in there]:
            raise HTTPException(422, f"no tile set {', '.join(missing)}; learn it first")
    _check(now, given)
    change_to = CameraKept.model_validate(given)
    await asyncio.to_thread(keep, screens, lambda kept: kept.with_camera(table, camera, change_to))
    return await _reloaded(screens, table, camera)


@router.put("/tables/{table}/bridges/{bridge}")
async def set_bridge(table: InTable, screens: InScreens, _: SettingUp, bridge: Ident, change: BridgeChange) -> Saved:
    """Sets which port and device a bridge reads, for good and at once."""
    now = next((b for b in _table(screens, table).bridges if b.id == bridge), None)
    if now is None:
        raise HTTPException(404, f"table {table} has no bridge {bridge!r}")
    given = change.model_dump(exclude_none=True)
    _check(now, given)
    change_to = BridgeKept.model_validate(given)
    await asyncio.to_thread(keep, screens, lambda kept: kept.with_bridge(table, bridge, change_to))
    return await _reloaded(screens, table, bridge)


@router.put("/tables/{table}/zones")
async def set_zones(table: InTable, screens: InScreens, _: SettingUp, change: ZonesChange) -> Saved:
    """Sets where a table's zones lie, for good and at once: every camera above it begins anew with them."""
    now = _table(screens, table)
    zones = change.model_dump()
    _check(now.zones, zones)
    await asyncio.to_thread(keep, screens, lambda kept: kept.with_zones(table, zones))
    told = [await _reloaded(screens, table, camera.id) for camera in now.cameras if camera.role == "overhead"]
    return next((one for one in told if not one.taken), Saved(file=str(kept_path(screens.site.data)), taken=True))


def _check(now: CameraSettings | BridgeSettings | ZoneSettings, given: dict[str, object]) -> None:
    """Refuses what would make settings wrong."""
    try:
        type(now).model_validate(now.model_dump() | given)
    except ValidationError as error:
        raise HTTPException(422, explain(error)) from error


def keep(screens: Screens, change: Callable[[Kept], Kept]) -> None:
    """Changes what is kept, one change after the other. Raises HTTPException 409 for one that cannot be or be written."""
    data = screens.site.data
    try:
        with _WRITING:
            change(load_kept(data)).save(data)
    except SettingsError as error:
        raise HTTPException(409, str(error)) from error


async def _reloaded(screens: Screens, table: str, node: str) -> Saved:
    file = str(kept_path(screens.site.data))
    try:
        await _ordered(screens, table, node, "reload", {}, RELOAD_S)
    except HTTPException as error:
        return Saved(file=file, taken=False, says=str(error.detail))
    return Saved(file=file, taken=True)


async def _ordered(
    screens: Screens, table: str, node: str, name: str, data: Mapping[str, JsonValue], timeout_s: float
) -> Mapping[str, JsonValue]:
    answer = screens.hub.order(table, node, name, data, timeout_s)
    try:
        return await asyncio.wait_for(asyncio.wrap_future(answer), timeout_s + 2.0)
    except TimeoutError as error:
        raise HTTPException(503, f"{node} does not answer; is its program running?") from error
    except JantakuError as error:
        raise HTTPException(409, str(error)) from error


def _table(screens: Screens, table: str) -> TableSettings:
    try:
        return with_kept(screens.site).table(table)
    except SettingsError as error:
        raise HTTPException(409, str(error)) from error


def _camera(screens: Screens, table: str, camera: str) -> CameraSettings:
    for one in _table(screens, table).cameras:
        if one.id == camera:
            return one
    raise HTTPException(404, f"table {table} has no camera {camera!r}")


def _check_square(corners: tuple[tuple[float, float], ...]) -> None:
    """Refuses four points that no table's square can be: crossed, bent inwards or all but on one line."""
    turns = []
    for n in range(4):
        (ax, ay), (bx, by), (cx, cy) = corners[n], corners[(n + 1) % 4], corners[(n + 2) % 4]
        turns.append((bx - ax) * (cy - by) - (by - ay) * (cx - bx))
    if not (all(t > 100 for t in turns) or all(t < -100 for t in turns)):
        raise HTTPException(422, "the four corners must be those of the table's square, one after the other")


def _folder(screens: Screens) -> Path:
    return screens.site.data / "sets"


def _sets(screens: Screens) -> list[Set]:
    users: dict[str, list[str]] = {}
    for table in with_kept(screens.site).tables:
        for camera in table.cameras:
            for name in (camera.tile_set or "").split(","):
                users.setdefault(name, []).append(f"{table.id}/{camera.id}")
    out = []
    for path in sorted(_folder(screens).glob("*.npz")):
        if path.name.endswith(".part.npz"):
            continue
        facts = path.with_suffix(".json")
        try:
            told = json.loads(facts.read_text(encoding="utf-8")) if facts.is_file() else {}
        except (OSError, ValueError):
            told = {}
        at_ms = round(path.stat().st_mtime * 1000)
        out.append(Set.model_validate({**told, "name": path.stem, "at_ms": at_ms, "used": users.get(path.stem, [])}))
    return out


def _file(path: Path, media_type: str) -> Response:
    if not path.is_file():
        raise HTTPException(404, "no set is being learnt before this camera; press look first")
    return FileResponse(path, media_type=media_type, headers={"Cache-Control": "no-store"})
