"""What enrolment does for reading real photographs: `python tests/bench/vision_enrolment.py [--examples N]`. JSON lines.

Each group holds several pictures of one tile set, or of a few sets of one make. It is enrolled from pictures that training may
have seen (`vision.train.photos.held_out` says which it may not), at most N examples a kind, each named by its label; then the
tiles of the kept-apart pictures are read with and without the profile. A whole table is one picture: some of its tiles are
enrolled and the others read. Tiles are cut out by their labels, so this measures reading and not finding.
- right, wrong, unsure: of all tiles; `sure right`: share of those that were read
- mended, spoilt: tiles that only the profile reads rightly, and that only the net alone does, by kind

The photographs are no part of this repository: JANTAKU_SHARED, or the folder `shared` beside it, holds `data/photos`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track

from table_engine.wire.tiles import UNKNOWN, Tile
from vision.enrol import Example, full_set, learnt, shown_by
from vision.profile import Profile
from vision.read import Reader
from vision.train import photos

ROOT = Path(__file__).resolve().parents[2]
GROUPS = {
    "trays": ("IMG_2023", "trays seen from above"),
    "rows": ("IMG_2", "hands and melds on a rim"),
    "hands": ("hand_", "standing hands"),
    "tables": ("", "hands at tables"),
}
_FEW = 3
"""So many tiles of a picture are needed for it to count: others are close-ups of one."""


@dataclass(frozen=True, slots=True)
class Picture:
    """Labelled tiles of one photograph: quads (n, 4, 2) px and codes."""

    name: str
    image: NDArray[np.uint8]
    corners: NDArray[np.float32]
    codes: tuple[Tile, ...]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", type=int, default=2, help="of each kind, at most")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    data = Path(os.environ.get("JANTAKU_SHARED", ROOT.parent / "shared")) / "data"
    if not (data / "photos").is_dir():
        print(json.dumps({"skipped": "no photographs: set JANTAKU_SHARED to the folder that holds data/photos"}))
        return
    reader = Reader()
    groups = grouped(photos.scenes(data), photos.scenes(data, evaluation=True))
    for name, (lesson, exam) in track(groups.items(), "groups", console=Console(stderr=True)):
        profile = enrolled(reader, lesson, options.examples)
        print(json.dumps({"group": name, **facts(profile), **measured(profile, exam)}), flush=True)
    for picture in tables(data):
        first, rest = halves(picture, options.examples)
        profile = enrolled(reader, [first], options.examples)
        print(
            json.dumps({"group": f"one table, {picture.name}", **facts(profile), **measured(profile, [rest])}),
            flush=True,
        )


def grouped(
    lesson: Iterable[photos.Photo], exam: Iterable[photos.Photo]
) -> dict[str, tuple[list[Picture], list[Picture]]]:
    out: dict[str, tuple[list[Picture], list[Picture]]] = {}
    for side, chosen in enumerate((lesson, exam)):
        for photo in chosen:
            tiles = [t for t in photo.labels if not t.axis_box]
            if len(tiles) < _FEW:
                continue
            name = next(n for n, (start, _) in GROUPS.items() if photo.path.name.startswith(start))
            corners = np.array([t.quad for t in tiles], np.float32)
            picture = Picture(photo.path.name, photo.load().image, corners, tuple(Tile(t.code) for t in tiles))
            out.setdefault(GROUPS[name][1], ([], []))[side].append(picture)
    return {name: pair for name, pair in out.items() if all(pair)}


def tables(data: Path) -> Iterator[Picture]:
    """Whole tables, which no training saw; those that carry quads."""
    folder = data / "photos" / "whole_table"
    for image in json.loads((folder / "labels.json").read_text(encoding="utf-8"))["images"]:
        tiles = [t for t in image["tiles"] if t.get("quad") and t["code"] not in ("b", "?")]
        pixels = cv2.imread(str(folder / image["file"])) if tiles else None
        if pixels is not None:
            quads = np.array([t["quad"] for t in tiles], np.float32)
            yield Picture(
                Path(image["file"]).name, pixels.astype(np.uint8), quads, tuple(Tile(t["code"]) for t in tiles)
            )


def halves(picture: Picture, examples: int) -> tuple[Picture, Picture]:
    """Every other tile of a kind up to so many as one picture, and the rest of these kinds: what was never shown tells nothing."""
    by_code: dict[Tile, list[int]] = defaultdict(list)
    for n, code in enumerate(picture.codes):
        by_code[code].append(n)
    shown = [n for places in by_code.values() for n in places[: min(examples, len(places) - 1)]]
    rest = [n for places in by_code.values() if len(places) > 1 for n in places if n not in shown]
    return tuple(  # type: ignore[return-value]  # two of them
        Picture(picture.name, picture.image, picture.corners[some], tuple(picture.codes[n] for n in some))
        for some in (shown, rest)
    )


def enrolled(reader: Reader, lesson: Sequence[Picture], most: int) -> Profile:
    examples: list[Example] = []
    named: list[Tile] = []
    count: Counter[Tile] = Counter()
    for number, picture in enumerate(lesson):
        wanted = []
        for n, code in enumerate(picture.codes):
            if count[code] < most:
                count[code] += 1
                wanted.append(n)
        if wanted:
            examples += shown_by(reader, number, picture.image, picture.corners[wanted])
            named += [picture.codes[n] for n in wanted]
    holds = full_set(flowers=8)
    holds |= {code: 1 for code in count if code not in holds}
    return learnt("photographs", examples, named, np.zeros((0, 64, 64, 3), np.uint8), holds).profile


def facts(profile: Profile) -> dict[str, object]:
    return {"kinds enrolled": len(profile.codes), "examples": sum(profile.examples)}


def measured(profile: Profile, exam: Sequence[Picture]) -> dict[str, object]:
    ways = {"net alone": Reader(), "enrolled": Reader(sets=[profile])}
    counts: dict[str, Counter[str]] = {way: Counter() for way in ways}
    mended: Counter[str] = Counter()
    spoilt: Counter[str] = Counter()
    for picture in exam:
        read = {way: [r.code for r in reader.read(picture.image, picture.corners)] for way, reader in ways.items()}
        for n, code in enumerate(picture.codes):
            for way, codes in read.items():
                counts[way]["right" if codes[n] == code else "unsure" if codes[n] == UNKNOWN else "wrong"] += 1
            alone, after = (codes[n] for codes in read.values())
            if (alone == code) != (after == code):
                (mended if after == code else spoilt)[f"{code} > {alone if after == code else after}"] += 1
    out: dict[str, object] = {"pictures": len(exam), "tiles": sum(len(p.codes) for p in exam)}
    for way, one in counts.items():
        sure = one["right"] + one["wrong"]
        out[way] = {**one, "share right": share(one["right"], one.total()), "sure right": share(one["right"], sure)}
    return {**out, "mended": dict(mended), "spoilt": dict(spoilt)}


def share(right: int, of: int) -> float:
    return round(right / max(of, 1), 4)


if __name__ == "__main__":
    sys.exit(main())
