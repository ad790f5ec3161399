"""Score vectors against our own scorers: any file of the layout of the shared data's `score_vectors/*.json`.

python -m tests.conformance.scores FILE…   prints `agree N of M` and every difference; exit 1 if there is one
python -m tests.conformance.scores --text taiwan16_vectors.json   also what the rule text counts otherwise
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from tests.conformance import vector_chinese, vector_riichi, vector_shapes, vector_taiwan
from tests.conformance.vector_tiles import Check, Vector

SHOWN = 1000


class UnknownLayoutError(ValueError):
    """A file that holds no vectors of a layout known here."""


def checks(document: Any) -> Iterator[Check]:
    """Every vector of a file, checked. Raises UnknownLayoutError."""
    meta = document.get("meta", {}) if isinstance(document, dict) else {}
    vectors = document.get("vectors", []) if isinstance(document, dict) else document
    if not isinstance(vectors, list) or not vectors:
        raise UnknownLayoutError("there is no list `vectors` in it")
    for number, vector in enumerate(vectors, start=1):
        yield _guarded(lambda v=vector, n=number: _checker(meta, v)(v, n), vector, number)


def structural(document: Any) -> Iterator[Check]:
    """What a file says besides its vectors: win or no win, and waits."""
    parts = document.get("structural", {}) if isinstance(document, dict) else {}
    for name, checker in (("win", vector_shapes.win), ("waits", vector_shapes.waits)):
        for number, vector in enumerate(parts.get(name, ()), start=1):
            yield _guarded(lambda v=vector, c=checker: c(v), vector, number)


def _guarded(check: Callable[[], Check], vector: Any, number: int) -> Check:
    """A vector that cannot be read is a difference and stops nothing."""
    try:
        return check()
    except UnknownLayoutError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        name = vector.get("id", number) if isinstance(vector, dict) else number
        return Check(str(name), (f"cannot be read: {type(error).__name__}: {error}",))


def _checker(meta: Vector, vector: Any) -> Callable[[Any, int], Check]:
    """Which layout a vector is of, by the file's `ruleset` and by what it holds."""
    ruleset = meta.get("ruleset", "")
    if isinstance(vector, list | tuple):
        return vector_shapes.distance
    if "hand" in vector and "waits" in vector:
        return lambda one, _: vector_shapes.gb_waits(one)
    if "concealed" not in vector or "expected" not in vector:
        raise UnknownLayoutError(
            "its vectors have neither `concealed` and `expected`, `hand` and `waits`, nor are they pairs"
        )
    expected = vector["expected"]
    if ruleset in ("mcr", "chinese_official") or "fans" in expected or "not_a_win" in expected:
        return lambda one, _: vector_chinese.check(one)
    if ruleset == "taiwan16" or "hand_tai" in expected:
        return lambda one, _: vector_taiwan.check(one)
    if ruleset == "riichi" or "yaku" in expected:
        return lambda one, _: vector_riichi.check(one)
    raise UnknownLayoutError(f"no scorer for the rule set {ruleset!r}")


def _under_text(document: Any) -> Iterator[str]:
    """Hands the rule text counts otherwise than their source."""
    for vector in document["vectors"]:
        theirs = vector["expected"].get("hand_tai")
        outcome = vector_taiwan.under_text(vector)
        ours = getattr(outcome, "total", None)
        if ours != theirs:
            items = vector_taiwan.tai_of(outcome)
            words = " ".join(f"{name} {tai}" for name, tai in items.items()) if items is not None else str(outcome.says)
            yield f"  {vector.get('id')}: {theirs} tai there, {ours} under the text ({words})"


def report(path: Path, *, text: bool) -> bool:
    """Prints one file's agreement. True if everything agrees."""
    document = json.loads(path.read_text(encoding="utf-8"))
    done = list(checks(document))
    print(f"{path.name}:")
    good = _print(done)
    more = list(structural(document))
    if more:
        good = _print(more) and good
        print(f"structural: {sum(not one.differences for one in more)} of {len(more)} agree")
    if text and isinstance(document, dict) and document.get("meta", {}).get("ruleset") == "taiwan16":
        lines = list(_under_text(document))
        print(f"under the rule text {len(lines)} hands count otherwise:", *lines, sep="\n")
    print(f"agree {sum(not one.differences for one in done)} of {len(done)}")
    return good


def _print(done: Iterable[Check]) -> bool:
    wrong = 0
    for one in done:
        if one.note:
            print(f"  {one.note}")
        if one.differences:
            wrong += 1
            if wrong <= SHOWN:
                print(f"  {one.name}: {'; '.join(one.differences)}")
    return not wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--text", action="store_true", help="also what the Taiwanese text counts otherwise")
    options = parser.parse_args()
    good = True
    for path in options.files:
        try:
            good = report(path, text=options.text) and good
        except (OSError, UnicodeDecodeError, json.JSONDecodeError, UnknownLayoutError) as error:
            print(f"{path}: cannot be checked: {error}", file=sys.stderr)
            return 2
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
