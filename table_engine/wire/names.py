"""Players' names as they may stand on screens, sheets and in records: one line, of a length that can be shown."""

from __future__ import annotations

import unicodedata
from typing import Annotated

from pydantic import AfterValidator, Field

LONGEST = 80
_DIRECTION = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Marks that turn the writing direction of whatever comes after them."""
_JOINERS = "\u200d\ufe0f"


def shown(name: str) -> str:
    """A name without control characters, direction marks and needless blanks, cut at 80 characters. What is left of a name
    that was nothing else is empty: nobody is named."""
    words = "".join(" " if c.isspace() else c for c in name if c.isspace() or not _unseen(c)).split()
    return " ".join(words)[:LONGEST].rstrip(_JOINERS + " ")


def _unseen(c: str) -> bool:
    return c in _DIRECTION or unicodedata.category(c) in ("Cc", "Cs")


Name = Annotated[str, Field(max_length=2000), AfterValidator(shown)]
