"""JSON as record files hold it: one value, several in a row, or one that breaks off because the file was cut."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

_DECODER = json.JSONDecoder()
_CLOSING = {"[": "]", "{": "}"}
_SPACE = " \t\r\n"


class Value(NamedTuple):
    """One value of a file and the line (from 1) it begins in. `whole` is false when the file ends inside it: what was
    complete of it is there."""

    value: Any
    line: int
    whole: bool


def values(text: str) -> Iterator[Value]:
    """The values of a file. Raises ValueError (with line and column) for one that is wrong and not merely cut."""
    at = _skip(text, 0)
    line, counted = 1, 0
    while at < len(text):
        line += text.count("\n", counted, at)
        counted = at
        try:
            value, end = _DECODER.raw_decode(text, at)
        except json.JSONDecodeError as error:
            rest = _mended(text[at:])
            if rest is None:
                raise ValueError(f"line {error.lineno}, column {error.colno}: not valid JSON ({error.msg})") from error
            yield Value(rest, line, whole=False)
            return
        yield Value(value, line, whole=True)
        at = _skip(text, end)


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at


def _mended(text: str) -> object:
    """A cut text's longest complete part: cut back to the last element that ended, with what is open closed. None when
    the text is wrong before its end."""
    stack: list[str] = []
    good: tuple[int, str] | None = None
    in_string = escaped = False
    for n, char in enumerate(text):
        if in_string:
            if escaped:
                escaped = False
            elif char == "\\":
                escaped = True
            elif char == '"':
                in_string = False
        elif char == '"':
            in_string = True
        elif char in _CLOSING:
            stack.append(_CLOSING[char])
            good = (n + 1, "".join(reversed(stack)))
        elif char in "]}":
            if not stack or stack.pop() != char:
                return None
            if not stack:
                return None
            good = (n + 1, "".join(reversed(stack)))
        elif char == "," and stack:
            good = (n, "".join(reversed(stack)))
    if good is None or not stack:
        return None
    try:
        return json.loads(text[: good[0]] + good[1])
    except json.JSONDecodeError:
        return None
