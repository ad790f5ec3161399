"""`jantaku lens`: a camera's focal length and distortion, from pictures of a printed board."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track

from table_engine.wire.errors import CameraError, SettingsError

_PLENTY = 0.75


def lens(
    photos: Annotated[
        list[Path] | None, typer.Argument(help="Pictures of the board by this camera, 6 to 20, at different angles.")
    ] = None,
    board: Annotated[
        Path | None, typer.Option(help="Write the board to print into this file (.png) and do no more.")
    ] = None,
) -> None:
    """Find a camera's focal length and distortion from pictures of a printed board."""
    import cv2

    from vision.lens import board_picture, find_lens
    from vision.stored import load

    if board is not None:
        if board.suffix.lower() != ".png" or not cv2.imwrite(str(board), board_picture()):
            raise CameraError(f"{board}: cannot be written; choose a folder that exists and a name ending in .png")
        typer.echo(f"{board}: print it on A3 or larger, glue it on something flat, take 6 to 20 pictures of it")
        return
    if not photos:
        raise SettingsError("lens: give pictures of the board, or --board FILE.png to make one")
    console = Console(stderr=True)
    found = find_lens((path.name, load(path)) for path in track(photos, "looking", console=console, transient=True))
    typer.echo(
        f"# {found.views} of {len(photos)} pictures at {found.size[0]}x{found.size[1]}, off by {found.error_px:.2f} px"
    )
    if found.covered < _PLENTY:
        typer.echo(f"# only {found.covered:.0%} of the picture was covered: hold the board into its corners too")
    typer.echo(f"focal_px = {found.focal_px:.1f}")
    typer.echo(f"lens = [{', '.join(f'{value:.5f}' for value in found.lens)}]")
