"""Overlay themes: CSS files that set variables. Ours are in `static/themes`, a venue's own in its `web.themes` folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, HTTPException
from fastapi import Path as InPath
from fastapi.responses import FileResponse
from pydantic import BaseModel

from table_engine.web.screens import InScreens, Viewing

router = APIRouter(tags=["overlay"])
OURS = Path(__file__).parent / "static" / "themes"


class Themes(BaseModel):
    themes: list[str]


@router.get("/api/themes")
async def themes(screens: InScreens, _: Viewing) -> Themes:
    """The names of all themes."""
    own = screens.site.web.themes
    names = {path.stem for folder in (OURS, own) if folder for path in folder.glob("*.css")}
    return Themes(themes=sorted(names))


@router.get(
    "/themes/{name}.css", response_class=FileResponse, responses={200: {"content": {"text/css": {}}}}, tags=["overlay"]
)
async def theme(screens: InScreens, name: Annotated[str, InPath(pattern=r"^[A-Za-z0-9_-]{1,40}$")]) -> FileResponse:
    """One theme; the venue's own one where both have the name."""
    for folder in (screens.site.web.themes, OURS):
        path = folder / f"{name}.css" if folder else None
        if path is not None and path.is_file():
            return FileResponse(path, media_type="text/css")
    raise HTTPException(404, f"no theme {name!r}")
