"""What people are told, in a form that can be said in any language: an English sentence with blanks, and what fills them.

The English sentence is the name under which `web/static/sentences/<language>.json` holds the others, as in gettext: the
wording lives once, where it is thought of, and one that was changed is untranslated until somebody has looked at it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Union

from pydantic import ConfigDict

_BLANK = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Phrase:
    """`text` is English, with blanks as `{tile}`. `args` fill them: a number, a tile by its code or a word that is the same
    in all languages, several tiles, or another phrase."""

    __pydantic_config__ = ConfigDict(extra="forbid")
    text: str
    args: dict[str, Blank] = field(default_factory=dict)

    def __str__(self) -> str:
        """The English sentence. A blank that nothing fills stays as it is written."""
        return _BLANK.sub(lambda blank: _word(self.args.get(blank[1], blank[0])), self.text)


Blank = Union[int, float, str, tuple[str, ...], Phrase]  # noqa: UP007 - read at run time, before Phrase is whole


def phrase(text: str, /, **blanks: Blank) -> Phrase:
    """A sentence of our own. `text` is written out at the call, so that a test finds every sentence there is."""
    return Phrase(text, blanks)


def _word(value: Blank) -> str:
    match value:
        case tuple():
            return " ".join(value)
        case float():
            return f"{value:g}"
        case _:
            return str(value)
