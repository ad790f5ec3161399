"""`jantaku read` gives lines that the project's measure understands, on the photograph of a real table."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import cv2
import pytest

PHOTO = "lietxia_96442116.jpg"


def _read(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "jantaku", "read", *map(str, arguments)], capture_output=True, text=True, timeout=200
    )


@pytest.fixture
def photo(shared: Path) -> Path:
    return shared / "data" / "photos" / "whole_table" / "images" / PHOTO


def test_a_real_table_is_read_and_measured(photo: Path, shared: Path, tmp_path: Path) -> None:
    drawn = tmp_path / "drawn.png"
    run = _read(photo, "--json", "--draw", drawn)
    (line,) = run.stdout.splitlines()
    found = json.loads(line)
    assert (found["file"], len(found["tiles"]) > 40) == (PHOTO, True), run.stderr
    assert set(found["tiles"][0]) >= {"code", "confidence", "quad"}
    assert cv2.imread(str(drawn)).shape == cv2.imread(str(photo), cv2.IMREAD_IGNORE_ORIENTATION | 1).shape

    predictions = tmp_path / "predictions.jsonl"
    predictions.write_text(run.stdout)
    labels = shared / "data" / "photos" / "whole_table" / "labels.json"
    score = [sys.executable, shared / "tools" / "score_photos.py", labels, predictions, "--json"]
    told = json.loads(subprocess.run(score, capture_output=True, text=True, check=True).stdout.splitlines()[-1])
    assert told["read"] >= 50
    assert told["wrong"] <= 2


def test_words_for_people(photo: Path) -> None:
    run = _read(photo)
    assert run.stdout.startswith(f"{PHOTO}: ")
    assert "tiles in" in run.stdout


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [("gone.jpg", None, "cannot be read"), ("notes.jpg", b"not a picture", "is no picture")],
)
def test_what_is_no_photograph_is_named(tmp_path: Path, name: str, content: bytes | None, says: str) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    run = _read(path, "--json")
    assert run.returncode == 2
    assert str(path) in run.stderr
    assert says in run.stderr
    assert "Traceback" not in run.stderr


def test_one_that_is_none_keeps_no_other_from_being_read(photo: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.jpg").write_bytes(b"not a picture")
    run = _read(tmp_path / "notes.jpg", photo, "--json")
    assert [json.loads(line)["file"] for line in run.stdout.splitlines()] == [PHOTO]
    assert run.returncode == 2
    assert f"{tmp_path}/notes.jpg: is no picture" in run.stderr
    assert run.stderr.splitlines()[-1] == "1 of 2 photographs could not be read; the others were"


@pytest.mark.parametrize("name", ["nowhere/x.png", "x.toml"])
def test_a_drawing_that_cannot_be_written_is_named(photo: Path, tmp_path: Path, name: str) -> None:
    run = _read(photo, "--draw", tmp_path / name)
    assert run.returncode == 2
    assert "cannot be written" in run.stderr
