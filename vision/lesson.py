"""A tile set being learnt before a table's own camera, step by step as somebody at the set-up page asks.

`begin` says that a set is about to be laid there; `look` reads what lies there now; `add` keeps that look as one of the
pictures to learn from; `name` says what a doubtful tile is; `save` makes the profile. What is known is told in
`<camera>.lesson.json` beside the camera's preview, pictures in `<camera>.lesson-<n>.jpg`; the look that is not kept yet has
number 0.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from table_engine.wire.answers import Answer
from table_engine.wire.errors import CameraError
from table_engine.wire.settings import explain
from table_engine.wire.tiles import Tile
from vision.calibrate import Calibration
from vision.detect import USUAL_PX, Detector
from vision.enrol import Example, Guess, full_set, guessed, learnt, look
from vision.frame import Frame
from vision.labels import BLANK
from vision.profile import profile_path
from vision.read import Reader

_QUALITY = 88
_PICTURES = 12
_PATIENCE_S = 20.0
_FINER = 1.5


class Task(BaseModel):
    """Data of `cmd/learn`. The set is told by how many `flowers` and `reds` (red fives) it has."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    do: Literal["begin", "look", "add", "drop", "name", "save", "end"]
    flowers: Literal[0, 4, 8] = 0
    reds: Literal[0, 3, 4] = 0
    picture: int = Field(default=0, ge=0)
    tile: int = Field(default=0, ge=0)
    code: str = ""
    """Of `name`: what the tile is; empty: no tile."""
    name: str = ""
    """Of `save`: the set's name."""


@dataclass(slots=True)
class Picture:
    """One look at tiles laid out, and what people said of some of them."""

    number: int
    image: NDArray[np.uint8]
    examples: list[Example]
    backs: NDArray[np.uint8]
    said: dict[int, Tile | None] = field(default_factory=dict)


class Lesson:
    """Learns from one camera. `keep` is called with every frame, `ask` from any thread; work is done in a thread of its own."""

    def __init__(self, folder: Path, sets: Path, camera: str, *, threads: int = 1) -> None:
        """`folder`: where the pictures are told; `sets`: where profiles are kept."""
        self._folder, self._sets, self._camera = folder, sets, camera
        self._threads = threads
        self._nets: tuple[Detector, Reader] | None = None
        self._frame: Frame | None = None
        self._sees: Calibration | None = None
        self._wants = threading.Event()
        self._came = threading.Event()
        self._live: Picture | None = None
        self._kept: list[Picture] = []
        self._count = 0
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="lesson")
        self.running = threading.Event()
        """A set lies before the camera and no game: nothing of it is an observation."""

    def sees(self, calibration: Calibration | None) -> None:
        """Where the table lies in the pictures: it tells how large tiles look."""
        self._sees = calibration

    def keep(self, frame: Frame) -> None:
        """Takes the frame if one is asked for."""
        if self._wants.is_set():
            self._frame = Frame(frame.at_ms, frame.number, image=frame.image)
            self._wants.clear()
            self._came.set()

    def ask(self, data: Mapping[str, JsonValue]) -> Future[Answer]:
        """A `Task` → `{"tiles": n}` once it is done and told. Raises ValueError when the data is wrong."""
        try:
            task = Task.model_validate(data)
        except ValidationError as error:
            raise ValueError(explain(error)) from error
        if task.do != "end":
            self.running.set()
        return self._worker.submit(self._do, task)

    def close(self) -> None:
        self._worker.shutdown(wait=True, cancel_futures=True)

    def _do(self, task: Task) -> Answer:
        try:
            match task.do:
                case "begin":
                    return {"tiles": 0}
                case "look":
                    self._look()
                case "add":
                    self._add()
                case "drop":
                    self._kept = [p for p in self._kept if p.number != task.picture]
                case "name":
                    self._name(task)
                case "save":
                    return self._save(task)
                case "end":
                    self._forget()
                    return {"tiles": 0}
            return self._tell(task)
        except OSError as error:
            raise CameraError(
                f"{self._folder}: cannot be written ({error.strerror}); free space on the disk"
            ) from error

    def _look(self) -> None:
        self._came.clear()
        self._wants.set()
        if not self._came.wait(_PATIENCE_S) or self._frame is None:
            raise CameraError(f"camera {self._camera}: gives no picture; check that it is plugged in and streaming")
        if self._nets is None:
            self._nets = Detector(threads=self._threads), Reader(threads=self._threads)
        image = self._frame.image
        examples, backs = look(*self._nets, (image,), _sizes(self._sees, image))
        self._live = Picture(0, image, examples, backs)
        self._picture(self._live)

    def _add(self) -> None:
        if len(self._kept) >= _PICTURES:
            raise CameraError(f"a set is learnt from at most {_PICTURES} pictures; drop one")
        if self._live is None:
            self._look()
        if self._live is not None:
            self._count += 1
            self._live.number = self._count
            self._kept.append(self._live)
            self._picture(self._live)
            self._live = None

    def _name(self, task: Task) -> None:
        picture = next((p for p in self._kept if p.number == task.picture), None)
        if picture is None or task.tile >= len(picture.examples):
            raise CameraError(f"no tile {task.tile} of picture {task.picture}; look again")
        if task.code and task.code not in full_set(flowers=task.flowers, reds=task.reds):
            raise CameraError(f"{task.code}: the set has no such tile; choose one of its own")
        picture.said[task.tile] = Tile(task.code) if task.code else None

    def _save(self, task: Task) -> Answer:
        profile_path(self._sets, task.name)
        holds = full_set(flowers=task.flowers, reds=task.reds)
        named = [said for _, _, _, said in self._judged(self._kept, holds)]
        examples = [e for p in self._kept for e in p.examples]
        layouts = max(1, round(len(examples) / sum(holds.values())))
        # A white dragon without a frame looks like a back: as few backs as there are dragons unseen are none.
        unseen = layouts * holds.get(BLANK, 0) - named.count(BLANK)
        backs = np.concatenate([p.backs for p in self._kept])
        made = learnt(task.name, examples, named, backs if len(backs) > unseen else backs[:0], holds)
        made.profile.save(self._sets)
        faces = int(sum(made.profile.examples))
        self._forget()
        return {"name": task.name, "tiles": faces, "missing": list(made.missing), "back": made.profile.back is not None}

    def _judged(
        self, pictures: list[Picture], holds: Mapping[Tile, int]
    ) -> list[tuple[Picture, int, Guess, Tile | None]]:
        """Every tile of the pictures: what is guessed, and what it is in the end."""
        examples = [(p, n) for p in pictures for n in range(len(p.examples))]
        guesses = guessed([p.examples[n] for p, n in examples], holds)
        return [(p, n, g, p.said.get(n, g.code)) for (p, n), g in zip(examples, guesses, strict=True)]

    def _tell(self, task: Task) -> Answer:
        """Writes what is known of the kept pictures and of the look under way."""
        holds = full_set(flowers=task.flowers, reds=task.reds)
        pictures = [*self._kept, *([self._live] if self._live is not None else [])]
        trouble, tiles, count = "", [], Counter[str]()
        try:
            for p, n, guess, code in self._judged(pictures, holds):
                count[code or ""] += 1
                open_ = guess.doubtful and n not in p.said
                quad = np.roll(p.examples[n].quad, -p.examples[n].turn, axis=0)
                tiles.append(
                    {
                        "picture": p.number,
                        "tile": n,
                        "code": code or "",
                        "doubtful": open_,
                        "said": n in p.said,
                        "likely": list(guess.likely),
                        "quad_px": [[round(float(x), 1), round(float(y), 1)] for x, y in quad],
                    }
                )
        except CameraError as error:
            trouble = str(error)
        said = {
            "pictures": [{"number": p.number, "width": p.image.shape[1], "height": p.image.shape[0]} for p in pictures],
            "kept": len(self._kept),
            "layouts": max(1, round(len(tiles) / sum(holds.values()))),
            "tiles": tiles,
            "kinds": [{"code": c, "seen": count[c], "holds": many} for c, many in holds.items() if many],
            "backs": sum(len(p.backs) for p in pictures),
            "trouble": trouble,
        }
        self._put(f"{self._camera}.lesson.json", json.dumps(said).encode())
        return {"tiles": len(tiles)}

    def _picture(self, picture: Picture) -> None:
        done, data = cv2.imencode(".jpg", picture.image, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
        if not done:
            raise CameraError(f"camera {self._camera}: its picture cannot be stored; choose another format")
        self._put(f"{self._camera}.lesson-{picture.number}.jpg", data.tobytes())

    def _put(self, name: str, data: bytes) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        part = self._folder / f"{name}.part"
        part.write_bytes(data)
        part.replace(self._folder / name)

    def _forget(self) -> None:
        self._live, self._kept, self._count = None, [], 0
        for path in self._folder.glob(f"{self._camera}.lesson*"):
            path.unlink(missing_ok=True)
        self.running.clear()


def _sizes(calibration: Calibration | None, image: NDArray[np.uint8]) -> tuple[int, ...]:
    """Long sides at which a picture is looked at, px: the one at which the table's tiles are as long as the detector likes,
    and one finer step. None where that is not known."""
    if calibration is None or calibration.size != (image.shape[1], image.shape[0]):
        return ()
    half = calibration.layout.tile.length / 2
    ends = calibration.project(np.array([[0.0, -half, 0.0], [0.0, half, 0.0]]))
    whole = USUAL_PX * max(image.shape[:2]) / max(float(np.linalg.norm(ends[0] - ends[1])), 1.0)
    return round(whole), round(_FINER * whole)
