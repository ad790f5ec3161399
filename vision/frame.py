"""One picture of a camera, decoded only as far as somebody looks at it."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from table_engine.wire.errors import CameraError
from vision.stored import LARGEST_PX, size_of

SHRINK = 4
"""The small picture of a frame has this share of its width and height: enough to see that something moved."""


class Frame:
    """Picture number `number` of a source, taken at `at_ms`. Made of JPEG bytes or of an image (h, w, 3) BGR.

    Set `halved` before looking to have everything at half its width and height: of a 4K picture that is all a reader needs.
    """

    def __init__(
        self, at_ms: int, number: int, *, jpeg: bytes | None = None, image: NDArray[np.uint8] | None = None
    ) -> None:
        self.at_ms = at_ms
        self.number = number
        self.halved = False
        self._jpeg = jpeg
        self._given = image
        self._image: NDArray[np.uint8] | None = None
        self._small: NDArray[np.uint8] | None = None
        self._coarse: NDArray[np.uint8] | None = None

    @property
    def image(self) -> NDArray[np.uint8]:
        """(h, w, 3) BGR. Raises CameraError when the bytes are no picture."""
        if self._image is None:
            if self._given is not None:
                self._image = _shrunk(self._given, 2) if self.halved else self._given
            else:
                how = cv2.IMREAD_REDUCED_COLOR_2 if self.halved else cv2.IMREAD_COLOR
                self._image = _decoded(self._jpeg or b"", how, self.number)
        return self._image

    def jpeg(self, quality: int) -> bytes:
        """The picture as JPEG: as it came, or encoded with `quality` (1..100)."""
        if self._jpeg is not None:
            return self._jpeg
        image = self._given if self._given is not None else self.image
        return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])[1])

    @property
    def small(self) -> NDArray[np.uint8]:
        """(h/4, w/4) grey; a JPEG is decoded straight to that size. Raises CameraError when the bytes are no picture."""
        if self._small is None:
            if self._given is not None or self._image is not None:
                grey = cv2.cvtColor(_shrunk(self.image, SHRINK), cv2.COLOR_BGR2GRAY)
                self._small = np.asarray(grey, np.uint8)
            else:
                how = cv2.IMREAD_REDUCED_GRAYSCALE_8 if self.halved else cv2.IMREAD_REDUCED_GRAYSCALE_4
                self._small = _decoded(self._jpeg or b"", how, self.number)
        return self._small

    @property
    def coarse(self) -> NDArray[np.uint8]:
        """(h/4, w/4, 3) BGR, made from the whole picture. Raises CameraError when the bytes are no picture."""
        if self._coarse is None:
            self._coarse = _shrunk(self.image, SHRINK)
        return self._coarse


def _shrunk(image: NDArray[np.uint8], times: int) -> NDArray[np.uint8]:
    high, wide = image.shape[:2]
    return np.asarray(cv2.resize(image, (-(-wide // times), -(-high // times)), interpolation=cv2.INTER_AREA), np.uint8)


def _decoded(data: bytes, how: int, number: int) -> NDArray[np.uint8]:
    try:
        size = size_of(data)
        if size is not None and size[0] * size[1] > LARGEST_PX:
            raise CameraError(f"picture {number}: {size[0]}x{size[1]} is too large; set the camera to 4K or less")
        image = cv2.imdecode(np.frombuffer(data, np.uint8), how) if size is not None else None
    except (cv2.error, ValueError) as error:
        raise CameraError(f"picture {number}: cannot be decoded ({error}); check the camera's format") from error
    if image is None:
        raise CameraError(f"picture {number}: {len(data)} bytes that are no picture; check the camera's format")
    return np.asarray(image, np.uint8)
