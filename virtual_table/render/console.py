"""The plate in the middle of a table: a bowl over the dice, and on electric tables lamps, buttons and glowing digits."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from virtual_table.render.design import Bgr

Pixels = npt.NDArray[np.uint8]

_GLOW: tuple[Bgr, ...] = ((60, 220, 250), (250, 170, 60), (80, 230, 90), (60, 80, 250))
_SIDE_MM = 140.0


def draw_console(plate: Pixels, panel: Bgr, lit: bool, printed: bool, rng: np.random.Generator) -> None:
    """Draws onto a square picture of the plate, seat 0 at the bottom. `lit` has digits and lamps."""
    side = plate.shape[0]
    mm = side / _SIDE_MM
    width = max(1, round(3 * mm))
    edge = _brightened(panel, 1.5, 20)
    cv2.rectangle(plate, (0, 0), (side - 1, side - 1), edge, width, cv2.LINE_AA)
    if printed:
        _print(plate, mm, rng)
    middle = (side // 2, side // 2)
    radius = round(30 * mm)
    cv2.circle(plate, middle, radius, _brightened(panel, 0.5, 0), -1, cv2.LINE_AA)
    cv2.circle(plate, middle, radius, (150, 150, 150), width, cv2.LINE_AA)
    cv2.circle(plate, middle, round(radius * 0.72), _brightened(panel, 0.8, 30), -1, cv2.LINE_AA)
    cv2.ellipse(
        plate,
        (side // 2 - radius // 3, side // 2 - radius // 3),
        (radius // 3, radius // 6),
        -45,
        0,
        360,
        edge,
        -1,
        cv2.LINE_AA,
    )
    if lit:
        for seat in range(4):
            turned = np.ascontiguousarray(np.rot90(plate, -seat))
            _seat_side(turned, mm, _GLOW[int(rng.integers(4))], rng)
            plate[:] = np.rot90(turned, seat)


def _seat_side(plate: Pixels, mm: float, glow: Bgr, rng: np.random.Generator) -> None:
    """Digits and a dark lamp at the bottom of the plate, read by the seat there."""
    side = plate.shape[0]
    height, width = max(8, round(15 * mm)), max(20, round(62 * mm))
    digits: Pixels = np.full((height, width, 3), 14, np.uint8)
    text = str(int(rng.integers(80, 480)) * 100)
    where, size = (round(width * 0.12), round(height * 0.82)), height / 34 * 2.2
    cv2.putText(digits, text, where, cv2.FONT_HERSHEY_PLAIN, size, glow, max(1, height // 9), cv2.LINE_AA)
    top, left = round(side - 17 * mm - height / 2), (side - width) // 2
    plate[top : top + height, left : left + width] = digits
    lamp = (round(side / 2 + 52 * mm), round(side / 2 + 52 * mm))
    cv2.circle(plate, lamp, max(2, round(5 * mm)), _brightened(glow, 0.33, 0), -1, cv2.LINE_AA)


def _print(plate: Pixels, mm: float, rng: np.random.Generator) -> None:
    """Circuit-like lines, stripes and oval buttons, which readers like to take for tiles."""
    side = plate.shape[0]
    ink = (200, 200, 205) if rng.random() < 0.7 else _GLOW[int(rng.integers(4))]
    for _ in range(int(rng.integers(6, 26))):
        x, y = (int(v) for v in rng.integers(8, max(9, side - 8), 2))
        reach, down = (int(v) for v in rng.integers(-round(30 * mm) - 1, round(30 * mm) + 2, 2))
        elbow = (int(np.clip(x + reach, 3, side - 4)), y)
        end = (elbow[0], int(np.clip(y + down, 3, side - 4)))
        cv2.polylines(
            plate, [np.array([(x, y), elbow, end], np.int32)], False, ink, max(1, round(0.8 * mm)), cv2.LINE_AA
        )
    for angle in range(0, 360, 90):
        away = 54 * mm
        at = (
            round(side / 2 + away * float(np.sin(np.radians(angle)))),
            round(side / 2 + away * float(np.cos(np.radians(angle)))),
        )
        axes = (max(2, round(11 * mm)), max(2, round(6 * mm)))
        cv2.ellipse(
            plate, at, axes, 0 if angle % 180 == 0 else 90, 0, 360, _GLOW[int(rng.integers(4))], -1, cv2.LINE_AA
        )
    for n in range(int(rng.integers(0, 6))):
        left, top = round(14 * mm + n * 4 * mm), round(110 * mm)
        cv2.rectangle(plate, (left, top), (left + max(1, round(2.5 * mm)), top + round(8 * mm)), (60, 220, 120), -1)


def _brightened(colour: Bgr, factor: float, lift: int) -> Bgr:
    blue, green, red = (min(255, int(v * factor) + lift) for v in colour)
    return blue, green, red
