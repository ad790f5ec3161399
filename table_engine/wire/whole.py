"""Small files that are there whole, old or new, whenever the power fails."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(path: Path, text: str, mode: int = 0o666) -> None:
    """Writes a file (UTF-8) in the place of the one there was; `mode` as for `open(2)`. Raises OSError when it cannot be
    written; then the old one stands."""
    fresh = path.with_suffix(".new")
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
