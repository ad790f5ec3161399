"""How the whole simulated place looks: tile design and backs, table, light, lens, and the players' arms."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from virtual_table.render.design import Bgr, Design
from virtual_table.render.light import Light
from virtual_table.render.optics import Optics
from virtual_table.render.stage import FELTS, Stage
from virtual_table.render.style import BACKS, STYLES, style


@dataclass(frozen=True, slots=True)
class Look:
    """Everything a renderer needs to know beside the things on the table and the camera."""

    design: Design = STYLES["japanese"]
    backs: tuple[Bgr, Bgr] = (BACKS["orange"], BACKS["blue"])
    """Back colours of the table's two tile sets (`TileThing.back` modulo 2)."""
    stage: Stage = field(default_factory=Stage)
    light: Light = field(default_factory=Light)
    optics: Optics = field(default_factory=lambda: Optics(noise=1.6, blur=0.45, vignette=0.12))
    sleeves: tuple[Bgr, Bgr, Bgr, Bgr] = ((70, 50, 44), (60, 60, 150), (150, 120, 90), (190, 196, 200))
    skins: tuple[Bgr, Bgr, Bgr, Bgr] = ((124, 156, 212), (96, 128, 186), (140, 172, 224), (84, 112, 168))
    sets: tuple[Design, Design] = field(init=False)

    def __post_init__(self) -> None:
        both = tuple(replace(self.design, body=replace(self.design.body, back=back)) for back in self.backs)
        object.__setattr__(self, "sets", both)


def look(style_name: str = "japanese", felt: str = "green", back: str | None = None) -> Look:
    """A look by names (`STYLES`, `FELTS`, `BACKS`). Raises ValueError naming the known ones."""
    design = style(style_name, back)
    if felt not in FELTS:
        raise ValueError(f"no felt colour {felt!r}: choose one of {', '.join(FELTS)}")
    other = BACKS["blue"] if design.body.back != BACKS["blue"] else BACKS["yellow"]
    return Look(design, (design.body.back, other), Stage(felt=FELTS[felt]))
