"""`jantaku read`: the tiles of photographs."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import track

from table_engine.wire.errors import CameraError, SettingsError

if TYPE_CHECKING:
    from vision.photo import PhotoRead


def read(
    photos: Annotated[list[Path], typer.Argument(help="Photographs: JPEG, PNG, WebP or BMP.")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a photograph, a line each.")] = False,
    draw: Annotated[
        Path | None, typer.Option(help="Write the photograph with what was read into this file (one photograph only).")
    ] = None,
    threads: Annotated[int, typer.Option(min=1, help="Threads of the nets.")] = 2,
) -> None:
    """Read the tiles of photographs of any table, without calibration."""
    import cv2

    from vision.photo import PhotoReader, load
    from vision.photo import draw as drawn

    if draw is not None and len(photos) > 1:
        raise SettingsError(f"--draw {draw}: takes one photograph at a time, {len(photos)} were given")
    reader = PhotoReader(threads=threads)
    console = Console(stderr=True)
    for path in track(photos, "reading", console=console, transient=True, disable=len(photos) == 1):
        found = reader.read(path)
        if as_json:
            typer.echo(json.dumps(found.line()))
        else:
            _show(found)
        if draw is not None and not cv2.imwrite(str(draw), drawn(load(path), found.tiles)):
            raise CameraError(
                f"{draw}: cannot be written; choose a folder that exists and a name ending in .png or .jpg"
            )


def _show(found: PhotoRead) -> None:
    counts = Counter(str(tile.code) for tile in found.tiles)
    faces = "  ".join(f"{code}×{n}" if n > 1 else code for code, n in sorted(counts.items()))
    Console().print(f"{found.file}: {len(found.tiles)} tiles in {found.ms:.0f} ms\n  {faces}", highlight=False)
