"""Files that `jantaku read` and a camera's folder may be given by mistake: each has one clear answer, and none harms the others."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from table_engine.wire.errors import CameraError
from table_engine.wire.layout import Layout
from table_engine.wire.observations import Observation, ZoneSeen
from table_engine.wire.settings import CameraSettings, TableSettings
from virtual_table.render.renderer import Renderer
from virtual_table.render.view import Camera
from virtual_table.table import TableSnapshot
from vision.frame import Frame
from vision.runner import Loop
from vision.stored import LARGEST_PX, load

WANTED = Counter(("1m", "5p", "9s", "1z", "7z", "3f", "2s", "8m", "4p"))
UNREADABLE = {
    "text.jpg": "is no picture; give a JPEG",
    "empty.jpg": "is empty; copy it again",
    "cut.jpg": "is damaged or cut short; copy it again",
    "cut.png": "is damaged or cut short; copy it again",
    "head.png": "is no picture; give a JPEG",
    "cut.webp": "is damaged or cut short; copy it again",
    "huge.png": "30000x30000 is too large; make it smaller",
    "folder.jpg": "cannot be read (Is a directory)",
    "gone.jpg": "cannot be read (No such file or directory)",
}
SHOWS_NOTHING = {
    "black.png": "the picture is black: light the table",
    "blown.png": "the picture is blown out: lower the exposure",
    "plain.png": "the picture shows nothing: the camera is covered",
    "line.png": "the picture is black",
    "hills.jpg": "no face of a tile is seen: show faces at least 20 pixels long",
}
SHOWS_TILES = ("exif.jpg", "portrait.jpg", "deep.png", "grey.png", "see_through.png", "cmyk.jpg", "sheet.webp")
"""Unusual forms in which nine tiles are stored."""


def hills() -> np.ndarray:
    """A landscape: soft shapes of every size and no tile. (One may pass for a back: those are as plain.)"""
    rng, out = np.random.default_rng(4), np.zeros((600, 900, 3), np.float32)
    for cells in (3, 6, 12, 24):
        coarse = rng.random((cells, cells, 3)).astype(np.float32)
        out += cv2.resize(coarse, (900, 600), interpolation=cv2.INTER_CUBIC) / cells
    return np.clip(out / out.max() * 255, 0, 255).astype(np.uint8)


def fill(folder: Path, sheet: np.ndarray) -> None:
    """Every kind of file there may be."""
    jpeg, png, webp = (cv2.imencode(end, sheet)[1].tobytes() for end in (".jpg", ".png", ".webp"))
    (folder / "text.jpg").write_text("no picture at all")
    (folder / "empty.jpg").write_bytes(b"")
    (folder / "cut.jpg").write_bytes(jpeg[: len(jpeg) // 2])
    (folder / "cut.png").write_bytes(png[: len(png) // 2])
    (folder / "head.png").write_bytes(png[:8])
    (folder / "cut.webp").write_bytes(webp[: len(webp) // 2])
    Image.new("1", (30_000, 30_000)).save(folder / "huge.png")
    (folder / "folder.jpg").mkdir()
    for name, level in (("black", 0), ("blown", 255), ("plain", 120)):
        cv2.imwrite(str(folder / f"{name}.png"), np.full((600, 800, 3), level, np.uint8))
    cv2.imwrite(str(folder / "line.png"), np.zeros((2, 60_000, 3), np.uint8))
    cv2.imwrite(str(folder / "hills.jpg"), hills())
    cv2.imwrite(str(folder / "chess.png"), chess())
    exif = Image.Exif()
    exif[0x0112] = 6
    seen = Image.fromarray(sheet[..., ::-1])
    seen.save(folder / "exif.jpg", quality=95, exif=exif)
    seen.convert("CMYK").save(folder / "cmyk.jpg", quality=95)
    cv2.imwrite(str(folder / "portrait.jpg"), cv2.rotate(sheet, cv2.ROTATE_90_CLOCKWISE))
    cv2.imwrite(str(folder / "deep.png"), sheet.astype(np.uint16) * 257)
    cv2.imwrite(str(folder / "grey.png"), cv2.cvtColor(sheet, cv2.COLOR_BGR2GRAY))
    cv2.imwrite(str(folder / "see_through.png"), np.dstack([sheet, np.full(sheet.shape[:2], 90, np.uint8)]))
    (folder / "sheet.webp").write_bytes(webp)


def chess() -> np.ndarray:
    board = np.kron(np.indices((8, 8)).sum(axis=0) % 2 * 200 + 30, np.ones((80, 80)))
    return np.repeat(board[..., None], 3, axis=2).astype(np.uint8)


@dataclass(frozen=True)
class Answer:
    code: int
    lines: dict[str, dict]
    errors: list[str]


@pytest.fixture(scope="module")
def folder(tmp_path_factory, sheet) -> Path:
    made = tmp_path_factory.mktemp("pictures")
    fill(made, sheet)
    return made


@pytest.fixture(scope="module")
def answer(folder) -> Answer:
    """One run over all of them."""
    names = [*UNREADABLE, *SHOWS_NOTHING, *SHOWS_TILES, "chess.png"]
    told = subprocess.run(
        [sys.executable, "-m", "jantaku", "read", "--json", "--threads", "1", *(str(folder / name) for name in names)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    lines = {line["file"]: line for line in map(json.loads, told.stdout.splitlines())}
    return Answer(told.returncode, lines, told.stderr.splitlines())


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_cannot_be_read_is_named_in_one_line(answer, folder, name):
    said = [line for line in answer.errors if line.startswith(f"{folder / name}: ")]
    assert len(said) == 1
    assert UNREADABLE[name] in said[0]
    assert name not in answer.lines


def test_nothing_else_is_said_and_the_rest_is_read(answer):
    assert answer.code == 2
    assert len(answer.errors) == len(UNREADABLE) + 1
    said = f"{len(UNREADABLE)} of {len(UNREADABLE) + len(answer.lines)} photographs could not be read; the others were"
    assert answer.errors[-1] == said
    assert answer.lines.keys() == {*SHOWS_NOTHING, *SHOWS_TILES, "chess.png"}


@pytest.mark.parametrize("name", SHOWS_NOTHING)
def test_a_picture_without_tiles_says_why(answer, name):
    assert SHOWS_NOTHING[name] in answer.lines[name]["note"]
    assert not [t for t in answer.lines[name]["tiles"] if t["code"] != "b"]


@pytest.mark.parametrize("name", SHOWS_TILES)
def test_tiles_are_read_however_the_picture_is_stored(answer, name):
    read = Counter(tile["code"] for tile in answer.lines[name]["tiles"])
    colourless = name == "grey.png"
    assert sum((read & WANTED).values()) >= (7 if colourless else 9)
    assert sum(read.values()) == 9


def test_a_chess_board_is_no_table(answer):
    tiles = answer.lines["chess.png"]["tiles"]
    assert len([t for t in tiles if t["code"] not in ("?", "b") and t["confidence"] > 0.9]) <= 3


def test_a_picture_of_a_stream_that_claims_too_much_is_not_decoded():
    held = BytesIO()
    Image.new("1", (LARGEST_PX // 1000, 1001)).save(held, "PNG")
    with pytest.raises(CameraError, match=r"picture 7: 120000x1001 is too large; set the camera to 4K or less"):
        _ = Frame(0, 7, jpeg=held.getvalue()).image


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(CameraError, match=r"gone\.jpg: cannot be read"):
        load(tmp_path / "gone.jpg")


def test_a_hundred_megapixels_fit_into_little_memory(tmp_path, sheet):
    """Decoded whole they are 324 MB; the nets and the rest take some 150."""
    large = np.full((9_000, 12_000, 3), (70, 100, 40), np.uint8)
    large[2_000:5_600, 3_000:7_800] = cv2.resize(sheet, (4_800, 3_600), interpolation=cv2.INTER_CUBIC)
    path = tmp_path / "large.jpg"
    cv2.imwrite(str(path), large)
    code = (
        "import sys; from pathlib import Path; from vision.photo import PhotoReader\n"
        "found = PhotoReader(threads=1).read(Path(sys.argv[1]))\n"
        "peak = next(line for line in open('/proc/self/status') if line.startswith('VmHWM'))\n"
        "print(found.width, found.height, int(peak.split()[1]) // 1024)\n"
        "print(*(f'{t.code} {t.quad[:, 0].mean():.0f} {t.quad[:, 1].mean():.0f}' for t in found.tiles), sep='\\n')"
    )
    told = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, timeout=200, check=True)
    head, *tiles = told.stdout.splitlines()
    wide, high, peak_mb = map(int, head.split())
    assert (wide, high) == (12_000, 9_000)
    assert peak_mb < 480
    read = {code: (int(x), int(y)) for code, x, y in map(str.split, tiles)}
    assert len(read.keys() & WANTED.keys()) >= 7
    assert all(3_000 < x < 7_800 and 2_000 < y < 5_600 for x, y in read.values())


LIVE = {
    "black": (np.zeros((1080, 1920, 3), np.uint8), "the picture is black"),
    "blown out": (np.full((1080, 1920, 3), 255, np.uint8), "the picture is blown out"),
    "covered": (np.full((1080, 1920, 3), 120, np.uint8), "the camera is covered"),
    "chess": (chess(), "markers 0, 1, 2, 3 are not seen"),
    "hills": (hills(), "markers 0, 1, 2, 3 are not seen"),
    "portrait": (cv2.rotate(hills(), cv2.ROTATE_90_CLOCKWISE), "markers 0, 1, 2, 3 are not seen"),
    "a line": (np.zeros((2, 3000, 3), np.uint8), "the picture is black"),
}


class Outlet:
    def __init__(self) -> None:
        self.said: list[Observation] = []

    def put_all(self, observations) -> None:
        self.said += [word for _, word in observations]


def shown(data: bytes, pictures: int = 4) -> list[Observation]:
    camera, outlet = CameraSettings(id="top", source="none"), Outlet()
    loop = Loop(TableSettings(id="t1", cameras=(camera,)), camera, outlet)
    for n in range(pictures):
        loop.take(Frame(200 * n, n, jpeg=data), 0)
    return outlet.said


@pytest.mark.parametrize("name", LIVE)
def test_a_camera_that_shows_no_table_says_so_once(name):
    image, says = LIVE[name]
    (health,) = shown(cv2.imencode(".jpg", image)[1].tobytes())
    assert (health.type, health.state) == ("health", "degraded")
    assert says in health.degraded[0]


@pytest.mark.parametrize("data", [b"", b"nothing", cv2.imencode(".jpg", hills())[1].tobytes()[:4_000]])
def test_a_camera_whose_pictures_are_none_says_so(data):
    said = shown(data)
    assert {word.state for word in said} == {"degraded"}
    assert all("no picture; check the camera's format" in word.degraded[0] for word in said)


def test_a_camera_that_shows_the_table_on_its_side_is_calibrated():
    camera = Camera.overhead(1920, 1080, Layout().half, tilt_deg=3)
    picture = cv2.rotate(Renderer(camera, Layout()).frame(TableSnapshot(0, ())), cv2.ROTATE_90_CLOCKWISE)
    said = shown(cv2.imencode(".jpg", picture)[1].tobytes())
    zones = [word for word in said if isinstance(word, ZoneSeen)]
    assert len(zones) == 13
    assert not any(word.tiles for word in zones)
