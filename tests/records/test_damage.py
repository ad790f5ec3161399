"""Records damaged at random: whatever is wrong with a file, it is read or refused in one sentence, and never anything else."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from at_hand import PATTERNS, files

from table_engine.records.complete import completed
from table_engine.records.export import export
from table_engine.records.load import format_of, load
from table_engine.wire.errors import RecordError

TRIES = 40
_LARGEST = 40_000
_NOISE = '0123456789mpsz"[]{},:<>= \nWBTFJ-'
_JSON = ("tenhou6", "majsoul", "majiang", "open-mahjong")


def _text(shared: Path, form: str, largest: int = _LARGEST) -> str:
    path = min(files(shared, form), key=lambda p: p.stat().st_size)
    if form == "tenhou-client":
        import tarfile

        with tarfile.open(path) as tar:
            member = next(m for m in tar if m.size > 5_000)
            file = tar.extractfile(member)
            assert file is not None
            return file.read().decode()
    raw = path.read_bytes()
    return (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()[:largest]


def _spoilt(text: str, random: Random) -> str:
    """Some characters lost, changed, doubled or moved."""
    for _ in range(random.randint(1, 4)):
        at, length = random.randrange(len(text)), random.randint(1, 12)
        match random.randrange(4):
            case 0:
                text = text[:at] + text[at + length :]
            case 1:
                text = text[:at] + random.choice(_NOISE) + text[at + 1 :]
            case 2:
                text = text[:at] + text[at : at + length] + text[at:]
            case _:
                line = text.find("\n", at)
                text = text[:at] + text[line + 1 :] if line > 0 else text[: max(1, at)]
    return text


def _twisted(value: Any, random: Random) -> Any:
    """Valid JSON with one value in it replaced, dropped or doubled."""
    if isinstance(value, dict) and value:
        key = random.choice(list(value))
        if random.random() < 0.2:
            return {k: v for k, v in value.items() if k != key}
        return value | {key: _twisted(value[key], random)}
    if isinstance(value, list) and value:
        n = random.randrange(len(value))
        if random.random() < 0.2:
            return value[:n] + value[n + 1 :]
        return [*value[:n], _twisted(value[n], random), *value[n + 1 :]]
    return random.choice([None, -1, 99, "x", [], {}, True, 3.5, "9m", 60])


def _try(path: Path, text: str) -> bool:
    """Whether the text was read. Anything but a RecordError that names the file fails the test."""
    path.write_text(text, encoding="utf-8")
    try:
        for game in load(path):
            completed(game)
            if game.hands and not game.source.startswith("x"):
                export(game, "jantaku")
    except RecordError as error:
        says = str(error)
    else:
        return True
    assert path.name in says
    assert len(says) < 700
    return False


@pytest.mark.parametrize("form", PATTERNS)
def test_damaged_text_is_read_or_refused(shared: Path, tmp_path: Path, form: str) -> None:
    text, random = _text(shared, form), Random(f"damage {form}")
    path = tmp_path / "damaged"
    read = [_try(path, _spoilt(text, random)) for _ in range(TRIES)]
    assert not all(read) or form == "tenhou-client"


@pytest.mark.parametrize("form", _JSON)
def test_twisted_json_is_read_or_refused(shared: Path, tmp_path: Path, form: str) -> None:
    path = min(files(shared, form), key=lambda p: p.stat().st_size)
    raw = path.read_bytes()
    value, random = json.loads(gzip.decompress(raw) if path.suffix == ".gz" else raw), Random(f"twist {form}")
    if form == "majiang":
        value = value[:1]
    for _ in range(TRIES):
        text = json.dumps(_twisted(value, random))
        if format_of(text):
            _try(tmp_path / "twisted", text)


@pytest.mark.parametrize("form", ["mjai", "botzone-judge", "taiwan-jsonl"])
def test_twisted_lines_are_read_or_refused(shared: Path, tmp_path: Path, form: str) -> None:
    lines, random = _text(shared, form, 10 * _LARGEST).splitlines()[:40], Random(f"twist {form}")
    lines = [line for line in lines if line.endswith(("}", "]"))]
    for _ in range(TRIES):
        n = random.randrange(len(lines))
        twisted = [*lines[:n], json.dumps(_twisted(json.loads(lines[n]), random)), *lines[n + 1 :]]
        if format_of("\n".join(twisted)):
            _try(tmp_path / "twisted", "\n".join(twisted) + "\n")
