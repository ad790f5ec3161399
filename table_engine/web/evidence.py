"""Routes of the evidence: stills and clip of an alert, and what the cameras see now.

Vision writes pictures of an alert to `<data>/evidence/<table>/<alert>/<camera>/<at_ms>.jpg` (characters other than letters,
digits, `.`, `_` and `-` of the alert's id become `_`), and now and then one of each camera to
`<data>/preview/<table>/<camera>.jpg` with what it makes of it in `<camera>.json`.
"""

from __future__ import annotations

import asyncio
import re
import shutil
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, HTTPException
from fastapi import Path as InPath
from fastapi.responses import FileResponse, Response
from PIL import Image
from pydantic import BaseModel

from table_engine import journal
from table_engine.portrait import portrait
from table_engine.replay import follow
from table_engine.web.screens import Alerted, InScreens, InTable, SettingUp
from table_engine.web.workers import worked
from table_engine.wire.errors import JantakuError
from table_engine.wire.view import TableView

router = APIRouter(prefix="/api", tags=["evidence"])
Ident = Annotated[str, InPath(max_length=200)]
Camera = Annotated[str, InPath(pattern=r"^[a-z0-9-]{1,32}$")]
AtMs = Annotated[int, InPath(ge=-(2**53), le=2**53)]
_CLIP_WIDE = 640
_SHORTEST_MS, _LONGEST_MS = 20, 1000
_JPEG: dict[int | str, dict[str, object]] = {200: {"content": {"image/jpeg": {}}}}


class Clip(BaseModel):
    """Pictures of one camera by the table's time, oldest first. `before`/`after`: those next to the moment."""

    camera: str
    at_ms: list[int]
    before: int | None
    after: int | None


class Evidence(BaseModel):
    alert: str
    at_ms: int
    clips: list[Clip]


@router.get("/tables/{table}/alerts/{alert}/evidence")
async def evidence(table: InTable, screens: InScreens, _: Alerted, alert: Ident) -> Evidence:
    """Which pictures there are of an alert's moment. More may come for some seconds after it was raised."""
    found = screens.hub.alert(table, alert)
    if found is None:
        raise HTTPException(404, f"no alert {alert!r} at {table}")
    at_ms = found[0].at_ms
    clips = await asyncio.to_thread(_clips, folder_of(screens.evidence, table, alert), at_ms)
    return Evidence(alert=alert, at_ms=at_ms, clips=clips)


@router.get(
    "/tables/{table}/alerts/{alert}/evidence/{camera}/{at_ms}.jpg", response_class=FileResponse, responses=_JPEG
)
async def picture(
    table: InTable, screens: InScreens, _: Alerted, alert: Ident, camera: Camera, at_ms: AtMs
) -> FileResponse:
    """One picture of an alert's moment."""
    return _file(folder_of(screens.evidence, table, alert) / camera / f"{at_ms}.jpg")


@router.get(
    "/tables/{table}/alerts/{alert}/evidence/{camera}.webp",
    response_class=Response,
    responses={200: {"content": {"image/webp": {}}}},
)
async def film(table: InTable, screens: InScreens, _: Alerted, alert: Ident, camera: Camera) -> Response:
    """The pictures of an alert's moment as one moving picture, at the pace they were taken: plays in any browser."""
    folder = folder_of(screens.evidence, table, alert) / camera
    data = await worked(filmed, folder) if folder.is_dir() else b""
    if not data:
        raise HTTPException(404, "no pictures of that camera there")
    name = f"{table}-{re.sub(r'[^A-Za-z0-9_-]', '_', alert)}-{camera}.webp"
    return Response(data, media_type="image/webp", headers={"Content-Disposition": f'attachment; filename="{name}"'})


def filmed(folder: Path) -> bytes:
    """An animated WebP of a folder's pictures, oldest first; nothing when there are none."""
    times = sorted(int(p.stem) for p in folder.glob("*.jpg") if p.stem.lstrip("-").isdigit())
    shots = []
    for at_ms in times:
        with Image.open(folder / f"{at_ms}.jpg") as shot:
            shots.append(shot.convert("RGB").resize((min(shot.width, _CLIP_WIDE), _tall(shot.width, shot.height))))
    if not shots:
        return b""
    lasts = [min(max(b - a, _SHORTEST_MS), _LONGEST_MS) for a, b in pairwise(times)] + [_LONGEST_MS]
    out = BytesIO()
    shots[0].save(out, "WEBP", save_all=True, append_images=shots[1:], duration=lasts, loop=0, quality=70, method=0)
    return out.getvalue()


def _tall(width: int, height: int) -> int:
    return round(height * min(width, _CLIP_WIDE) / width)


class States(BaseModel):
    """The public picture of the table just before and just after a moment."""

    before: TableView | None
    after: TableView | None


@router.get("/tables/{table}/alerts/{alert}/states")
async def states(table: InTable, screens: InScreens, _: Alerted, alert: Ident) -> States:
    """The table just before and after an alert's moment, folded from the journal."""
    found = screens.hub.alert(table, alert)
    if found is None:
        raise HTTPException(404, f"no alert {alert!r} at {table}")
    path = screens.journal(table)
    try:
        before, after = await worked(pictured, path, screens.site.table(table).players, found[0].at_ms)
    except JantakuError as error:
        raise HTTPException(409, str(error)) from error
    return States(before=before, after=after)


def pictured(path: Path, names: tuple[str, str, str, str], at_ms: int) -> tuple[TableView | None, TableView | None]:
    """A table just before and just after the move at a moment. Raises RecordError when the journal cannot be read."""
    whose = journal.about(path)
    rules = whose.rules()
    before = None
    for engine, _ in follow(whose.table, journal.read(path), rules, told=True):
        if engine.game.at_ms >= at_ms:
            return (portrait(before, rules, names) if before else None), portrait(engine, rules, names)
        before = engine
    return (portrait(before, rules, names) if before else None), None


@router.get("/tables/{table}/cameras/{camera}/picture.jpg", response_class=FileResponse, responses=_JPEG)
async def now(table: InTable, screens: InScreens, _: SettingUp, camera: Camera) -> FileResponse:
    """What a camera saw last."""
    return _file(screens.previews / table / f"{camera}.jpg")


@router.get("/tables/{table}/cameras/{camera}/picture.json", responses={200: {"content": {"application/json": {}}}})
async def reading(table: InTable, screens: InScreens, _: SettingUp, camera: Camera) -> Response:
    """What vision makes of that picture: corners, zones, tiles with how sure it is."""
    return _file(screens.previews / table / f"{camera}.json", "application/json")


def folder_of(root: Path, table: str, alert: str) -> Path:
    """Where the pictures of an alert are."""
    return root / table / (re.sub(r"[^A-Za-z0-9._-]", "_", alert).strip(".") or "_")


def prune(root: Path, before_s: float) -> int:
    """Removes the pictures of alerts that were last written to before a moment (seconds of the system's clock); → how many
    alerts' pictures went."""
    old = [folder for folder in root.glob("*/*") if folder.is_dir() and _newest_s(folder) < before_s]
    for folder in old:
        shutil.rmtree(folder, ignore_errors=True)
    return len(old)


def _newest_s(folder: Path) -> float:
    return max((path.stat().st_mtime for path in (folder, *folder.glob("*"))), default=0.0)


def _clips(folder: Path, at_ms: int) -> list[Clip]:
    clips = []
    for camera in sorted(path for path in folder.glob("*") if path.is_dir()):
        times = sorted(int(p.stem) for p in camera.glob("*.jpg") if p.stem.lstrip("-").isdigit())
        before = max((t for t in times if t <= at_ms), default=None)
        after = min((t for t in times if t > at_ms), default=None)
        clips.append(Clip(camera=camera.name, at_ms=times, before=before, after=after))
    return clips


def _file(path: Path, media_type: str = "image/jpeg") -> FileResponse:
    if not path.is_file():
        raise HTTPException(404, f"no picture {path.name} there")
    return FileResponse(path, media_type=media_type)
