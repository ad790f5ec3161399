"""`jantaku enrol`: what a tile set looks like, from a few pictures of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import track

from table_engine.rules import load_ruleset
from table_engine.wire.errors import CameraError, SettingsError
from table_engine.wire.tiles import Tile, parse

if TYPE_CHECKING:
    from vision.enrol import Example

SETS = Path("var/sets")


def enrol(
    name: Annotated[str, typer.Argument(help="Name of the tile set: a-z, 0-9 and '-'.")],
    photos: Annotated[
        list[Path],
        typer.Argument(
            help="Pictures of the whole set, face up in any order, some backs too; several may share the set."
        ),
    ],
    rules: Annotated[
        str, typer.Option(help="Rule set the tiles are for: says which and how many there are.")
    ] = "riichi",
    sets: Annotated[Path, typer.Option(help="Folder the set is stored in.")] = SETS,
    sheet: Annotated[
        Path | None, typer.Option(help="Write what was learnt into this picture, one example of each face a cell.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Take doubtful tiles for what they look like most.")] = False,
    threads: Annotated[int, typer.Option(min=1, help="Threads of the nets.")] = 2,
) -> None:
    """Learn a tile set from a few pictures of all its tiles, so that it is read nearly without fault from then on."""
    import cv2

    from vision.detect import Detector
    from vision.enrol import enrol as learn
    from vision.enrol import full_set, look, shown
    from vision.profile import profile_path
    from vision.read import Reader
    from vision.stored import load

    profile_path(sets, name)  # a name that is none is said before anything is read
    tiles = load_ruleset(rules).set
    console = Console(stderr=True)
    pictures = (load(path) for path in track(photos, "looking", console=console, transient=True))
    examples, backs = look(Detector(threads=threads), Reader(threads=threads), pictures)
    holds = full_set(flowers=tiles.flowers, reds=tiles.red_fives)
    made = learn(
        name,
        examples,
        backs,
        holds,
        (lambda _, taken, __: taken) if yes else _Asking(console, sets / f"{name}-doubtful.png"),
    )
    path = made.profile.save(sets)
    if sheet is not None and not cv2.imwrite(str(sheet), shown(examples, made)):
        raise CameraError(f"{sheet}: cannot be written; choose a folder that exists and a name ending in .png or .jpg")
    typer.echo(
        f"{path}: {len(made.profile.codes)} faces from {made.found} tiles, {made.asked} of them "
        f"{'doubtful' if yes else 'confirmed by hand'}"
    )
    if made.profile.back is None:
        typer.echo("no back was seen: with two sets at a table, lay some tiles face down when enrolling")
    if made.missing:
        typer.echo(f"not seen: {' '.join(made.missing)}; enrol again with pictures that show them")
        raise typer.Exit(1)


class _Asking:
    """Shows a doubtful tile as a picture file and asks what it is."""

    def __init__(self, console: Console, picture: Path) -> None:
        self._console, self._picture = console, picture

    def __call__(self, example: Example, taken: Tile, likely: tuple[Tile, ...]) -> Tile | None:
        import cv2
        import numpy as np

        self._picture.parent.mkdir(parents=True, exist_ok=True)
        large = cv2.resize(np.rot90(example.crop, example.turn), (384, 384), interpolation=cv2.INTER_CUBIC)
        if not cv2.imwrite(str(self._picture), large):
            raise SettingsError(f"{self._picture}: cannot be written; choose another folder with --sets")
        x, y = (round(float(v)) for v in example.quad.mean(axis=0))
        self._console.print(
            f"picture {example.picture + 1} at {x}, {y} (shown in {self._picture}): {taken}? It might be {', '.join(likely)}.",
            highlight=False,
        )
        while True:
            said = typer.prompt("code, or - for no tile", default=str(taken), err=True).strip()
            if said == "-":
                return None
            try:
                return parse(said)
            except ValueError as error:
                self._console.print(str(error), highlight=False)
