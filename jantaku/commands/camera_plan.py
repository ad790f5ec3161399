"""`jantaku camera-plan`: which camera, lens and height a table needs."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from table_engine.wire.errors import SettingsError
from table_engine.wire.layout import Layout, TileSize


def camera_plan(
    tile: Annotated[float, typer.Option(min=20, max=45, help="Width of a tile's face, mm.")] = 26.0,
    height: Annotated[
        list[float] | None, typer.Option(help="Camera above the felt, mm; may be given several times.")
    ] = None,
    tilt: Annotated[float, typer.Option(min=0, max=45, help="Lean of the camera from straight down, degrees.")] = 0.0,
    pixels: Annotated[str | None, typer.Option(help="Picture of a camera at hand, as 1920x1080.")] = None,
    view: Annotated[
        float | None, typer.Option(min=5, max=170, help="Its angle of view across the picture, degrees.")
    ] = None,
    cameras: Annotated[int, typer.Option(min=1, max=2, help="2: one over each half of the table.")] = 1,
    lamp: Annotated[
        list[float] | None, typer.Option(help="Height of the lamps above the felt, mm; may be given several times.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """Say which camera, lens, height and light a table needs, or whether a camera at hand will do."""
    from vision.plan import PICTURES, SENSORS, STACK_MM, WANTED_PX, Mount, focal_mm, lamp_mm, plan

    layout = Layout(TileSize.of_width(tile))
    pictures = [_pixels(pixels)] if pixels else list(PICTURES)
    lamps = lamp or [1000.0, 1500.0]
    table = Table(
        "height",
        "picture",
        "view needed",
        "face",
        "at the far edge",
        "lens",
        "lamps aside",
        "will do",
        box=None,
        pad_edge=False,
    )
    good = False
    flat: list[float] = []
    for one in height or [1000.0, 1300.0, 1600.0, 2000.0, 2400.0]:
        for size in pictures:
            try:
                made = plan(layout, Mount(one, tilt, size, view, 2 if cameras == 2 else 1))
            except ValueError as error:
                raise SettingsError(f"camera-plan: {error}") from error
            lenses = {sensor.name: round(focal_mm(sensor, view or made.needed_deg), 1) for sensor in SENSORS}
            aside = {at: round(lamp_mm(layout, one, at), -1) for at in lamps}
            good |= made.enough
            if made.stack_mm < STACK_MM * layout.scale and one not in flat:
                flat.append(one)
            if as_json:
                said = {
                    "height_mm": one,
                    "pixels": list(size),
                    "view_needed_deg": round(made.needed_deg, 1),
                    "face_px": round(made.face_px, 1),
                    "face_far_px": round(made.far_px, 1),
                    "standing_top_mm": round(made.standing_mm, 1),
                    "stack_moved_mm": round(made.stack_mm, 1),
                    "focal_mm": lenses,
                    "lamp_aside_mm": {f"{at:g}": far for at, far in aside.items()},
                    "covered": made.covered,
                    "enough": made.enough,
                }
                typer.echo(json.dumps(said))
                continue
            verdict = "yes" if made.enough else "sees too little" if not made.covered else "too coarse"
            usual = SENSORS[1].name
            table.add_row(
                f"{one:.0f} mm",
                f"{size[0]}x{size[1]}",
                f"{made.needed_deg:.0f}°",
                f"{made.face_px:.0f} px",
                f"{made.far_px:.0f} px",
                f"{lenses[usual]:g} on {usual}",
                ", ".join(f"{far:.0f}" for far in aside.values()),
                verdict,
            )
    if not as_json:
        console = Console()
        console.print(
            f"Tiles {layout.tile.width:g} x {layout.tile.length:g} x {layout.tile.depth:g} mm: the camera has to see a square "
            f"of {2 * layout.half:.0f} mm and some 3 % around it; a face wants {WANTED_PX:.0f} px of length.",
            highlight=False,
        )
        if cameras == 2:
            console.print("Two cameras, one over each half, the long side of each picture along the middle line.")
        console.print(table)
        heights = ", ".join(f"{at:.0f} mm" for at in lamps)
        console.print(
            f"lamps aside: how far from the middle of the table, mm, lamps have to hang that are {heights} above the felt, so that no "
            "tile mirrors them into the camera.",
            highlight=False,
        )
        if flat:
            console.print(
                f"From {', '.join(f'{one:.0f} mm' for one in flat)} a camera hangs above a wall: whether stacks there are one tile high "
                "or two hardly shows. "
                + (
                    "Over a half this cannot be helped; two cameras over all of the table, some way apart, show it."
                    if cameras == 2
                    else "Hang it over the middle of the table, or let it lean less, or more."
                ),
                highlight=False,
            )
    if not good:
        raise typer.Exit(1)


def _pixels(text: str) -> tuple[int, int]:
    wide, _, high = text.lower().partition("x")
    if not (wide.isdigit() and high.isdigit()):
        raise SettingsError(f"--pixels {text}: give width and height, as 1920x1080")
    return int(wide), int(high)
