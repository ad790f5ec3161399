"""Our reader beside the one that installs by pip, on the same photographs: `python tests/bench/vision_peer.py FOLDER… --peer PACKAGES`.

A FOLDER holds pictures and `labels.json`; the shared tools' scoring script judges both. PACKAGES is a folder made by
`pip install --target PACKAGES mahjong-detector` (MIT; measured here, never shipped or imported by the product). One JSON line a
folder and reader: faces, found, read right, wrong, false, and the median milliseconds of processor time a picture.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
from PIL import Image
from rich.console import Console
from rich.progress import track

from vision.photo import PhotoReader
from vision.train.photos import held_out

Line = dict[str, object]
SHARED = Path(os.environ.get("JANTAKU_SHARED", Path(__file__).resolve().parents[3] / "shared"))
_TOLD = ("faces", "found", "read", "wrong", "unread", "false", "backs", "backs_read")
_HONOURS = {"tou": "1z", "nan": "2z", "sha": "3z", "pe": "4z", "haku": "5z", "hatsu": "6z", "chun": "7z"}


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("folders", type=Path, nargs="+")
    ask.add_argument("--peer", type=Path, required=True)
    ask.add_argument("--all", action="store_true", help="pictures our training saw too, not only those kept apart")
    told = ask.parse_args()
    cv2.setNumThreads(1)
    ours = PhotoReader(threads=1)
    for folder in told.folders:
        for name, read in (("jantaku", lambda path: ours.read(path).line()), ("mahjong-detector", peer(told.peer))):
            sys.stdout.write(
                json.dumps({"folder": folder.name, "reader": name, **judged(folder, read, told.all)}) + "\n"
            )


def peer(packages: Path) -> Callable[[Path], Line]:
    """The peer's finder with its boxes, which its own door leaves out."""
    sys.path.append(str(packages))
    try:
        from mahjong_detector.predict import CLASS_NAMES, predict  # type: ignore[import-not-found]
        from mahjong_detector.preprocess import preprocess_image  # type: ignore[import-not-found]
    except ImportError:
        sys.exit(f"{packages}: holds no mahjong-detector; pip install --no-deps --target {packages} mahjong-detector")

    def read(path: Path) -> Line:
        tiles = []
        for d in predict(*preprocess_image(Image.open(path).convert("RGB"))):
            name = CLASS_NAMES[d.class_id]
            box = [float(v) for v in (d.x1, d.y1, d.x2, d.y2)]
            tiles.append({"code": _HONOURS.get(name, name), "confidence": d.confidence, "box": box})
        return {"file": path.name, "tiles": tiles}

    return read


def judged(folder: Path, read: Callable[[Path], Line], everything: bool) -> Line:
    labels = json.loads((folder / "labels.json").read_text())
    labels["images"] = [i for i in labels["images"] if everything or (held_out(i["file"]) and not i.get("distorted"))]
    spent = []
    with tempfile.TemporaryDirectory() as place:
        wanted, told = Path(place) / "labels.json", Path(place) / "told.jsonl"
        wanted.write_text(json.dumps(labels))
        with told.open("w") as out:
            for path in track(list(paths(folder, labels)), description=folder.name, console=Console(stderr=True)):
                began = time.process_time()
                line = read(path)
                spent.append(1000 * (time.process_time() - began))
                out.write(json.dumps({**line, "ms": spent[-1]}) + "\n")
        command = [sys.executable, str(SHARED / "tools" / "score_photos.py"), str(wanted), str(told), "--json"]
        score = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return {"pictures": len(spent), **{key: score[key] for key in _TOLD}, "ms": round(statistics.median(spent), 1)}


def paths(folder: Path, labels: dict[str, list[dict[str, str]]]) -> Iterator[Path]:
    for image in labels["images"]:
        here = folder / image["file"]
        yield here if here.exists() else folder / "images" / image["file"]


if __name__ == "__main__":
    main()
