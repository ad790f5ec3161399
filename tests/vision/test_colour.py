"""Colours: the same under another lamp, and two that no lamp makes the same."""

from __future__ import annotations

import numpy as np
import pytest

from vision.colour import apart, colours, median, tinted

GREEN, TEAL, RED = (60, 110, 30), (140, 150, 60), (40, 30, 130)


def spots(*inks: tuple[int, int, int], light: float = 1.0) -> np.ndarray:
    """Squares of 20 px side by side on black."""
    out = np.zeros((20, 20 * len(inks), 3), np.uint8)
    for n, ink in enumerate(inks):
        out[:, 20 * n : 20 * n + 20] = np.clip(np.array(ink) * light, 0, 255)
    return out


def test_colours_are_those_around_the_points():
    picture = spots(GREEN, TEAL, RED)
    picture[10, 10] = 255  # a speck
    told = colours(picture, np.array([[10.0, 10.0], [30.2, 9.7], [50.0, 10.0], [-3.0, 400.0]], np.float32))
    alone = [colours(spots(ink), np.array([[10.0, 10.0]], np.float32))[0] for ink in (GREEN, TEAL, RED)]
    assert told[:3] == alone
    assert told[3] == alone[0]  # outside: the nearest pixel
    assert colours(picture, np.zeros((0, 2), np.float32)) == []


@pytest.mark.parametrize("light", [0.7, 1.3])
def test_shade_makes_less_of_a_difference_than_another_ink(light):
    at = np.array([[10.0, 10.0]], np.float32)
    (plain,), (lit,) = colours(spots(TEAL), at), colours(spots(TEAL, light=light), at)
    others = [colours(spots(ink), at)[0] for ink in (GREEN, RED)]
    assert apart(plain, lit) < 18 < min(apart(plain, other) for other in others)


def test_the_usual_colour_is_not_moved_by_a_few_strange_ones():
    assert median([(10.0, 120.0, 130.0)] * 5 + [(200.0, 10.0, 10.0)] * 2) == (10.0, 120.0, 130.0)


@pytest.mark.parametrize("light", [0.5, 0.6, 0.8])
@pytest.mark.parametrize("ink", [GREEN, TEAL, RED])
def test_what_lies_in_the_shade_keeps_its_tint_and_a_shadow_on_another_cloth_has_not_it(ink, light):
    at = np.array([[10.0, 10.0]], np.float32)
    (plain,), (shaded,) = colours(spots(ink), at), colours(spots(ink, light=light), at)
    others = [colours(spots(other, light=light), at)[0] for other in (GREEN, TEAL, RED) if other != ink]
    assert tinted(plain, shaded) < 0.1
    assert min(tinted(plain, other) for other in others) > 0.16
    assert tinted(plain, (3.0, 128.0, 128.0)) == 0  # next to black: no hue to speak of
