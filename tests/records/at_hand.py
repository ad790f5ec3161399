"""The record files of the shared data, by format, and how many hands each format's files hold by an independent count."""

from __future__ import annotations

import gzip
import json
import re
import tarfile
from collections.abc import Iterator
from pathlib import Path

from tests.conformance.records import FORMATS as PATTERNS


def files(shared: Path, form: str) -> list[Path]:
    root = shared / "data" / "game_records"
    found = [path for pattern in PATTERNS[form] for path in sorted(root.glob(pattern))]
    return [path for path in found if "README" not in path.name]


def texts(path: Path) -> Iterator[str]:
    """The text of a file, or of each file of an archive, read without the code under test."""
    if path.name.endswith(".tar.gz"):
        with tarfile.open(path) as tar:
            for member in tar:
                if file := tar.extractfile(member):
                    yield file.read().decode()
    elif path.suffix == ".gz":
        yield gzip.decompress(path.read_bytes()).decode()
    else:
        yield path.read_text(encoding="utf-8-sig")


def hands_written(text: str, form: str) -> int:
    """How many hands a text tells of."""
    match form:
        case "tenhou-xml":
            return len(re.findall(r"<INIT\b", text))
        case "tenhou-client":
            return len(re.findall(r"^Get:.*?<INIT ", text, re.MULTILINE))
        case "tenhou6":
            return len(json.loads(text)["log"])
        case "mjai":
            return text.count('"start_kyoku"')
        case "majsoul":
            return text.count('"name": ".lq.RecordNewRound"')
        case "majiang":
            return text.count('"qipai"')
        case "botzone":
            return len(re.findall(r"^Match ", text, re.MULTILINE))
        case "botzone-judge" | "taiwan-jsonl":
            return len(text.strip().splitlines())
        case "pmn":
            return text.count("[Deal ")
        case "open-mahjong":
            return len(json.loads(text)["game_round"])
    raise ValueError(form)
