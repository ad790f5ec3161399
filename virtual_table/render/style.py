"""Named tile styles for demo and tests, and an endless supply of random ones for training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar, get_args

import numpy as np

from virtual_table import art
from virtual_table.render.design import BambooKind, Bgr, Body, Design, Inks, PinKind, Source, WhiteKind

BACKS: dict[str, Bgr] = {
    "green": (62, 136, 46),
    "blue": (168, 92, 28),
    "orange": (20, 120, 240),
    "yellow": (40, 186, 238),
    "red": (48, 46, 190),
    "purple": (150, 60, 110),
    "teal": (140, 140, 40),
    "black": (48, 44, 42),
    "pink": (150, 120, 220),
    "bamboo": (96, 160, 200),
    "grey": (140, 136, 130),
}

T = TypeVar("T")

_WHITE: Bgr = (238, 242, 244)
_IVORY: Bgr = (206, 230, 240)

STYLES: dict[str, Design] = {
    design.name: design
    for design in (
        Design("japanese", "regular", "regular", "regular", "regular", "regular", "art", "blank", body=Body(_WHITE, BACKS["orange"])),
        Design("ink", "black", "black", "black", "black", "regular", "symbols", "blank", red_mark=True, body=Body(_WHITE, BACKS["yellow"])),
        Design("night", "black", "black", "black", "black", "regular", "symbols", "frame", body=Body((44, 40, 40), BACKS["teal"]),
               inks=Inks((230, 236, 238), (60, 60, 226), (90, 190, 70), (220, 150, 70))),
        Design("chinese", "symbols", "symbols", "symbols", "symbols", "symbols", "symbols", "double", body=Body(_IVORY, BACKS["green"])),
        Design("hongkong", font="syuku", font_low="boku", pin="flower", bamboo="bone", bird="drawn", flowers="art", white="double",
               number_ink="blue", pin_scale=1.05, weight=1, body=Body(_WHITE, BACKS["green"]), seed=3),
        Design("sichuan", font="wenkai", font_low="wenkai", pin="rings", bamboo="capsule", bird="symbols", flowers="glyph", white="frame",
               five="五", weight=2, body=Body(_IVORY, BACKS["blue"]), seed=5),
        Design("taiwan", font="serif_black", font_low="serif_black", pin="spokes", bamboo="joints", bird="drawn", flowers="glyph",
               white="ornate", wind_ink="blue", body=Body(_WHITE, BACKS["teal"]), seed=11),
        Design("western", font="kaisei", font_low="kaisei", pin="dots", bamboo="double", bird="drawn", flowers="symbols", white="glyph",
               index="corner", body=Body(_IVORY, BACKS["bamboo"]), seed=21),
    )
}  # fmt: skip


def style(name: str, back: str | None = None) -> Design:
    """A named style, with another back colour when given. Raises ValueError naming the known ones."""
    if name not in STYLES:
        raise ValueError(f"no tile style {name!r}: choose one of {', '.join(STYLES)}")
    found = STYLES[name]
    if back is None:
        return found
    if back not in BACKS:
        raise ValueError(f"no back colour {back!r}: choose one of {', '.join(BACKS)}")
    return replace(found, name=f"{name}-{back}", body=replace(found.body, back=BACKS[back]))


def random_style(rng: np.random.Generator) -> Design:
    """A tile set nobody has seen: drawings, fonts, inks and body drawn at random. The same generator state gives the same."""
    pick = Pick(rng)
    sources: tuple[Source, ...] = ("regular", "black", "symbols", "drawn", "drawn", "drawn")
    brushes = ("boku", "syuku", "mai", "wenkai", "iansui", "klee", "wenkai_light")
    font = pick(brushes if rng.random() < 0.7 else art.FONTS)
    return Design(
        name=f"random-{int(rng.integers(1 << 31))}",
        characters=pick(sources),
        dots=pick(sources),
        bamboos=pick(sources),
        honours=pick(("regular", "symbols", "drawn", "drawn", "drawn")),
        bird=pick(("regular", "regular", "symbols", "drawn", "drawn", "drawn")),
        flowers=pick(("art", "art", "symbols", "glyph")),
        white=pick(("blank", "blank", *get_args(WhiteKind))),
        font=font,
        font_low=font if rng.random() < 0.6 else pick(brushes),
        five=pick(("伍", "伍", "五")),
        ten_thousand="萬" if rng.random() < 0.9 else "万",
        fortune=pick(("發", "發", "發", "発")),
        number_ink=pick(("black", "black", "blue", "blue", "green", "red")),
        low_ink=pick(("red", "red", "red", "red", "black")),
        wind_ink=pick(("black", "blue", "black", "green")),
        white_ink=pick(("blue", "black", "green", "blue")),
        pin=pick(tuple(k for k in get_args(PinKind) if k != "wheel")),
        big_pin=pick(("wheel", "wheel", *get_args(PinKind))),
        bamboo=pick(get_args(BambooKind)),
        colourful=bool(rng.random() < 0.75),
        pin_scale=float(rng.uniform(0.82, 1.12)),
        bamboo_scale=float(rng.uniform(0.75, 1.2)),
        glyph_scale=float(rng.uniform(0.85, 1.12)),
        weight=int(rng.integers(-1, 5)),
        red_mark=bool(rng.random() < 0.3),
        index=pick(("none", "none", "none", "none", "none", "corner", "corners")),
        index_ink=pick(("black", "red", "blue")),
        inks=_random_inks(rng),
        shift=int(rng.integers(-14, 15)) if rng.random() < 0.6 else 0,
        body=_random_body(rng),
        seed=int(rng.integers(1 << 31)),
    )


class Pick:
    """Draws one of some choices, each as likely."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng

    def __call__(self, choices: Sequence[T]) -> T:
        return choices[int(self.rng.integers(len(choices)))]


def _random_inks(rng: np.random.Generator) -> Inks:
    def around(b: int, g: int, r: int, spread: int) -> Bgr:
        jitter = rng.integers(-spread, spread + 1, 3)
        blue, green, red = (int(np.clip(v + j, 0, 255)) for v, j in zip((b, g, r), jitter, strict=True))
        return blue, green, red

    black = around(40, 34, 32, 24)
    blue = around(120, 60, 34, 40) if rng.random() < 0.75 else black
    green = around(66, 104, 30, 34) if rng.random() < 0.85 else black
    return Inks(black, around(50, 42, 180, 40), green, blue)


def _random_body(rng: np.random.Generator) -> Body:
    warm = rng.uniform(0, 1) ** 1.5
    level = rng.uniform(222, 250)
    ivory = (int(level - 46 * warm), int(level - 12 * warm), int(level))
    names = list(BACKS)
    base = np.array(BACKS[names[int(rng.integers(len(names)))]]) + rng.integers(-28, 29, 3)
    back = tuple(int(v) for v in np.clip(base, 8, 250))
    return Body(
        ivory,
        (back[0], back[1], back[2]),
        back_share=float(rng.uniform(0.12, 0.55)),
        radius=float(rng.uniform(0.05, 0.12)),
        edge=float(rng.uniform(0.0, 0.22)),
        gloss=float(rng.uniform(0.0, 0.8)),
        engraving=float(rng.uniform(0.0, 0.8)),
    )
