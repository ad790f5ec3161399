"""What a tile set looks like, as plain values: the drawings of each suit, inks, body. `faces.py` paints it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Bgr = tuple[int, int, int]

Source = Literal["regular", "black", "symbols", "drawn"]
PinKind = Literal["rings", "disc", "flower", "spokes", "dots", "ring", "solid", "wheel"]
BambooKind = Literal["bone", "capsule", "joints", "double", "plain", "leaf"]
WhiteKind = Literal["blank", "frame", "double", "ornate", "glyph"]
FlowerKind = Literal["art", "symbols", "glyph"]
BirdKind = Literal["regular", "symbols", "drawn"]


@dataclass(frozen=True, slots=True)
class Inks:
    """The colours a set is painted with (BGR)."""

    black: Bgr = (36, 30, 28)
    red: Bgr = (44, 38, 186)
    green: Bgr = (66, 110, 28)
    blue: Bgr = (126, 62, 32)


@dataclass(frozen=True, slots=True)
class Body:
    """The block itself: face tint, back colour, thickness of the back layer as a share of the depth, edge radius."""

    ivory: Bgr = (226, 238, 242)
    back: Bgr = (62, 136, 46)
    back_share: float = 0.24
    radius: float = 0.085
    """Of the width."""
    edge: float = 0.07
    """How much darker the rounded edge of a face looks, 0..1."""
    gloss: float = 0.3
    """Strength of the lamp's reflection, 0..1."""
    engraving: float = 0.35


@dataclass(frozen=True, slots=True)
class Design:
    """One tile set's drawings. `font` writes numbers and winds, `font_low` the character under the number."""

    name: str
    characters: Source = "drawn"
    dots: Source = "drawn"
    bamboos: Source = "drawn"
    honours: Source = "drawn"
    bird: BirdKind = "drawn"
    flowers: FlowerKind = "art"
    white: WhiteKind = "frame"
    font: str = "boku"
    font_low: str = "boku"
    five: Literal["五", "伍"] = "伍"
    ten_thousand: Literal["萬", "万"] = "萬"
    fortune: Literal["發", "発"] = "發"
    number_ink: Literal["black", "blue", "red", "green"] = "black"
    low_ink: Literal["black", "red", "blue", "green"] = "red"
    wind_ink: Literal["black", "blue", "green"] = "black"
    white_ink: Literal["black", "blue", "green"] = "blue"
    pin: PinKind = "rings"
    big_pin: PinKind = "wheel"
    bamboo: BambooKind = "bone"
    colourful: bool = True
    """Dots and bamboos in several colours as usual; else everything dark with red accents."""
    pin_scale: float = 1.0
    bamboo_scale: float = 1.0
    glyph_scale: float = 1.0
    weight: int = 0
    """Strokes thickened (positive) or thinned (negative), in half pixels of the 104 px wide face."""
    red_mark: bool = False
    """Red fives carry a dot beside being red."""
    index: Literal["none", "corner", "corners"] = "none"
    index_ink: Literal["black", "red", "blue"] = "black"
    inks: Inks = field(default_factory=Inks)
    body: Body = field(default_factory=Body)
    shift: int = 0
    """Turns the hues of ready drawings, in degrees, so that their reds, greens and blues are not always the same."""
    seed: int = 0
    """Chooses the details of drawings that vary freely (the bird, the flowers' accents)."""
