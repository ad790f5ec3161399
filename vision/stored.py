"""Pictures as they are stored or sent. What is no picture, is cut short or would not fit into memory is refused in one sentence
before anything of it is decoded."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from table_engine.wire.errors import CameraError

LARGEST_PX = 120_000_000
"""More pixels than this are not decoded: a file of some kilobytes may claim any number."""
Image.MAX_IMAGE_PIXELS = None  # ours is lower; Pillow's only warns, on stderr
cv2.utils.logging.setLogLevel(
    cv2.utils.logging.LOG_LEVEL_SILENT
)  # what it says of bad pictures is said here, in words for people


def size_of(data: bytes) -> tuple[int, int] | None:
    """Width and height, px, that a picture says it has, from its head alone; None when the bytes are no picture. Raises
    ValueError when it is a PNG whose parts are damaged or missing."""
    try:
        with Image.open(BytesIO(data)) as head:
            size: tuple[int, int] = head.size
            head.verify()
    except Image.UnidentifiedImageError:
        return None
    except (OSError, SyntaxError) as error:
        raise ValueError(str(error)) from error
    return size


@dataclass(frozen=True, slots=True)
class Stored:
    """The bytes of a picture's file, not decoded yet. `width` and `height` px as stored: a turn noted in its EXIF data is not
    applied, here and in `image`."""

    path: Path
    data: bytes
    width: int
    height: int

    @classmethod
    def of(cls, path: Path) -> Stored:
        """Raises CameraError naming the file when it cannot be read, is no picture, or is too large."""
        try:
            data = path.read_bytes()
        except OSError as error:
            raise CameraError(f"{path}: cannot be read ({error.strerror}); check the path") from error
        if not data:
            raise CameraError(f"{path}: is empty; copy it again")
        try:
            size = size_of(data)
        except ValueError as error:
            raise CameraError(f"{path}: is damaged or cut short; copy it again") from error
        if size is None:
            raise CameraError(f"{path}: is no picture; give a JPEG, PNG, WebP or BMP file")
        if size[0] * size[1] > LARGEST_PX:
            raise CameraError(
                f"{path}: {size[0]}x{size[1]} is too large; make it smaller than {LARGEST_PX // 1_000_000} megapixels"
            )
        return cls(path, data, *size)

    def image(self, *, halved: bool = False) -> NDArray[np.uint8]:
        """(h, w, 3) BGR, or half as wide and high: of a large JPEG that takes a quarter of the memory. Raises CameraError when
        the file is cut short."""
        how = cv2.IMREAD_REDUCED_COLOR_2 if halved else cv2.IMREAD_COLOR
        try:
            image = cv2.imdecode(np.frombuffer(self.data, np.uint8), how | cv2.IMREAD_IGNORE_ORIENTATION)
        except cv2.error as error:
            raise CameraError(f"{self.path}: cannot be decoded ({error.err}); save it as JPEG or PNG") from error
        if image is None:
            raise CameraError(f"{self.path}: is damaged or cut short; copy it again")
        return np.asarray(image, np.uint8)


def load(path: Path) -> NDArray[np.uint8]:
    """A picture (h, w, 3) BGR as stored in its file. Raises CameraError naming the file."""
    return Stored.of(path).image()
