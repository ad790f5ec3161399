"""Whether a picture shows anything at all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_DARK = 14.0
_BRIGHT = 250
_FLAT = 4.0


def wrong(small: NDArray[np.uint8]) -> tuple[str, ...]:
    """What is wrong with a grey picture, in words for people: nothing, dark, blown out, or covered."""
    if float(small.mean()) < _DARK:
        return ("the picture is black: light the table or uncover the camera",)
    if float((small >= _BRIGHT).mean()) > 0.6:
        return ("the picture is blown out: lower the exposure",)
    if float(small.std()) < _FLAT:
        return ("the picture shows nothing: the camera is covered",)
    return ()
