"""`jantaku read`: the tiles of photographs."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import track

from jantaku.commands.enrol import SETS
from table_engine.wire.errors import CameraError, SettingsError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vision.photo import PhotoRead


def read(
    photos: Annotated[list[Path], typer.Argument(help="Photographs: JPEG, PNG, WebP or BMP.")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a photograph, a line each.")] = False,
    draw: Annotated[
        Path | None, typer.Option(help="Write the photograph with what was read into this file (one photograph only).")
    ] = None,
    tile_set: Annotated[
        str | None, typer.Option("--set", help="Enrolled tile set the photographs show; several: a,b.")
    ] = None,
    sets: Annotated[Path, typer.Option(help="Folder of the enrolled sets.")] = SETS,
    threads: Annotated[int, typer.Option(min=1, help="Threads of the nets.")] = 2,
) -> None:
    """Read the tiles of photographs of any table, without calibration."""
    from vision.photo import PhotoReader
    from vision.photo import draw as drawn
    from vision.profile import load_profile
    from vision.stored import load

    if draw is not None and len(photos) > 1:
        raise SettingsError(f"--draw {draw}: takes one photograph at a time, {len(photos)} were given")
    profiles = [load_profile(sets, name) for name in tile_set.split(",")] if tile_set else []
    reader = PhotoReader(threads=threads, sets=profiles)
    console, unread = Console(stderr=True), 0
    for path in track(
        photos, "reading", console=console, transient=True, disable=len(photos) == 1 or not console.is_terminal
    ):
        try:
            found = reader.read(path)
        except CameraError as error:
            if len(photos) == 1:
                raise
            console.print(str(error), style="red", markup=False, highlight=False, soft_wrap=True)
            unread += 1
            continue
        if as_json:
            typer.echo(json.dumps(found.line()))
        else:
            _show(found)
        if draw is not None and not _written(draw, drawn(load(path), found.tiles)):
            raise CameraError(
                f"{draw}: cannot be written; choose a folder that exists and a name ending in .png or .jpg"
            )
    if unread:
        others = "the others were" if unread < len(photos) else "none was"
        raise CameraError(f"{unread} of {len(photos)} photographs could not be read; {others}")


def _written(path: Path, image: NDArray[np.uint8]) -> bool:
    import cv2

    try:
        return cv2.imwrite(str(path), image)
    except cv2.error:  # an ending it does not know
        return False


def _show(found: PhotoRead) -> None:
    console = Console(soft_wrap=True)
    if found.note:
        console.print(f"{found.file}: {found.note}", markup=False, highlight=False)
    if not found.tiles:
        return
    counts = Counter(str(tile.code) for tile in found.tiles)
    faces = "  ".join(f"{code}×{n}" if n > 1 else code for code, n in sorted(counts.items()))
    console.print(
        f"{found.file}: {len(found.tiles)} tiles in {found.ms:.0f} ms\n  {faces}", markup=False, highlight=False
    )
