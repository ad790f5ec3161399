"""One camera of a site as a process: pictures in, observations onto the wire. Never lags: what it is too slow for is dropped."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

import cv2
import numpy as np

from table_engine.wire.access import door, node_role
from table_engine.wire.clock import clock_of
from table_engine.wire.errors import CameraError, SettingsError
from table_engine.wire.observations import Health, Observation, Watermark
from table_engine.wire.seats import Seat
from table_engine.wire.sensor import SensorNode
from table_engine.wire.settings import CameraSettings, Site, TableSettings
from table_engine.wire.topics import Topics
from vision import markers, quality
from vision.calibrate import Calibration, from_corners
from vision.camera import Lost, Source, frames
from vision.detect import Detector
from vision.evidence import Evidence
from vision.frame import Frame
from vision.http_stream import bare
from vision.labels import BACK_UP
from vision.lesson import Lesson
from vision.look import Looker
from vision.photo import PhotoReader
from vision.preview import Preview, outline
from vision.profile import load_profile
from vision.rack import RackEyes, RackWatcher
from vision.read import Reader
from vision.share import Share
from vision.stance import Stance
from vision.watcher import Said, Watcher

log = logging.getLogger(__name__)
_WIDE = 3000
"""Pictures at least this wide are decoded at half size: a tile then has the pixels it has at 1080p."""
_CHECK_MS, _AWAY_MS = 3_000, 700
"""How often it is looked whether the camera stands, and how often one that was pushed does again."""
_BACKS = 24
"""Backs looked at to tell which of two sets lies on the table."""
_LOOK_S = 0.5
THREADS = 1


class Outlet(Protocol):
    """Where observations go: a `SensorNode`, or a list in tests."""

    def put_all(self, observations: Iterable[tuple[int, Observation]]) -> object: ...


def run(site: Site, table: str, camera: str, stop: threading.Event) -> bool:
    """Watches one camera until `stop` is set; that a film or folder is at its end is said. True when it ended because its
    settings were changed (`cmd/reload`): then begin anew. Raises SettingsError for an unknown table or camera."""
    settings = site.table(table)
    chosen = next((c for c in settings.cameras if c.id == camera), None)
    if chosen is None:
        raise SettingsError(
            f"table {table} has no camera {camera!r}; it has {', '.join(c.id for c in settings.cameras) or 'none'}"
        )
    cv2.setNumThreads(THREADS)
    again, anew = threading.Event(), threading.Event()

    def rebirth(_: object) -> None:
        again.set()

    def reload(_: object) -> None:
        anew.set()

    outbox = site.data / "outbox" / f"{table}-{camera}.sqlite3"
    simulated = site.clock_of(table)
    clock = clock_of(simulated)
    evidence = Evidence(site.data / "evidence" / table, camera, seconds=chosen.evidence_seconds)
    lesson = Lesson(site.data / "preview" / table, site.data / "sets", camera, threads=THREADS)
    node = SensorNode(
        door(site, node_role(table, camera)),
        Topics(site.venue, table),
        camera,
        outbox=outbox,
        kind="camera",
        model=f"{chosen.role} camera",
        capabilities=("faces",) if chosen.role == "rack" else ("zones", "racks", "walls", "hands"),
        commands={"rebirth": rebirth, "evidence": evidence.ask, "reload": reload}
        | ({} if chosen.role == "rack" else {"learn": lesson.ask}),
        secret=chosen.role == "rack",
        clock=clock,
    )
    names = chosen.tile_set.split(",") if chosen.tile_set else ()
    sets = [load_profile(site.data / "sets", name) for name in names]
    with node:
        loop: Loop | RackLoop
        if chosen.seat is not None:  # what a rack camera sees is nobody's evidence: hands are concealed
            eyes = RackEyes(PhotoReader(threads=THREADS, sets=sets))
            loop = RackLoop(chosen, node, RackWatcher(Seat(chosen.seat), eyes), again)
        else:
            preview = Preview(site.data / "preview" / table, camera)
            reader = Reader(threads=THREADS, sets=sets)
            loop = Loop(settings, chosen, node, again, evidence=evidence, preview=preview, reader=reader, lesson=lesson)
        for item in frames(chosen, clock, stop, simulated=simulated is not None, opened=loop.opened):
            loop.take(item, clock.now_ms())
            if anew.is_set():
                break
        if not stop.is_set() and not anew.is_set():
            loop.take(Lost(f"camera {bare(chosen.source)}: is at its end, nothing more comes"), clock.now_ms())
            while not anew.is_set() and not stop.wait(_LOOK_S):  # started anew it would play the same again
                pass
        lesson.close()
        evidence.close()
    return anew.is_set() and not stop.is_set()


def noted(said: Said, source: Source | None) -> Said:
    """What is said, health with what the camera does not do that it was asked for: its pictures are read all the same."""
    notes = source.notes if source is not None else ()
    if not notes:
        return said
    return [
        (at_ms, word.model_copy(update={"state": "degraded", "degraded": notes}))
        if isinstance(word, Health) and word.state == "ok"
        else (at_ms, word)
        for at_ms, word in said
    ]


@dataclass(slots=True)
class RackLoop:
    """What happens with each picture of a camera that sees a standing hand."""

    camera: CameraSettings
    outlet: Outlet
    watcher: RackWatcher
    again: threading.Event = field(default_factory=threading.Event)
    _said: str = ""
    _source: Source | None = None

    def opened(self, source: Source) -> None:
        self._source = source

    def take(self, item: Frame | Lost, now_ms: int) -> None:
        """One picture, or the news that there is none."""
        if self.again.is_set():
            self.again.clear()
            self.watcher.again()
        try:
            if isinstance(item, Lost):
                raise CameraError(item.why)
            said = self.watcher.feed(item)
        except CameraError as error:
            lost = isinstance(item, Lost)
            if str(error) != self._said:
                log.warning("%s: %s", self.camera.id, error)
                health = Health(state="lost" if lost else "degraded", degraded=(str(error),))
                self.outlet.put_all([(now_ms if isinstance(item, Lost) else item.at_ms, health)])
            self._said = str(error)
            return
        self._said = ""
        if said:
            self.outlet.put_all(noted(said, self._source))


@dataclass(slots=True)
class Loop:
    """What happens with each picture: calibrate first, then watch, and look now and then whether the camera still stands."""

    table: TableSettings
    camera: CameraSettings
    outlet: Outlet
    again: threading.Event = field(default_factory=threading.Event)
    watcher: Watcher | None = None
    evidence: Evidence | None = None
    lesson: Lesson | None = None
    preview: Preview | None = None
    reader: Reader = field(default_factory=lambda: Reader(threads=THREADS))
    _stance: Stance | None = None
    _share: Share | None = None
    _halved: bool | None = None
    _source: Source | None = None
    _checked_ms: int = 0
    _away: bool = False
    """The camera does not stand where it was calibrated."""
    _said: str = ""
    _unshown: str | None = ""
    """Why the preview could not be written."""

    def opened(self, source: Source) -> None:
        self._source = source

    def take(self, item: Frame | Lost, now_ms: int) -> None:
        """One picture, or the news that there is none."""
        if isinstance(item, Lost):
            self._trouble(now_ms, "lost", item.why)
            return
        trouble = ""
        try:
            if self.lesson is not None:
                item.halved = bool(self._halved)
                self.lesson.sees(self.watcher.calibration if self.watcher is not None else None)
                self.lesson.keep(item)
                if self.lesson.running.is_set():
                    raise CameraError(
                        "a tile set is being learnt: what lies here is no game; end it on the set-up page"
                    )
            self._watch(item)
        except CameraError as error:
            trouble = str(error)
            self._trouble(item.at_ms, "degraded", trouble)
        self._show(item, trouble)

    def _show(self, frame: Frame, trouble: str) -> None:
        """Keeps the frame as evidence and shows it on the set-up page. A full disk or a broken picture stops neither."""
        calibration = self.watcher.calibration if self.watcher is not None else None
        try:
            if self.evidence is not None:
                self.evidence.sees(calibration)
                self.evidence.keep(frame)
            if self.preview is not None:
                learning = self.lesson is not None and self.lesson.running.is_set()
                zones = self.watcher.sightings.values() if self.watcher is not None and not learning else ()
                seen = [s for zone in zones for s in zone]
                self.preview.show(frame, calibration, seen, time.monotonic(), trouble)
            self._unshown = ""
        except OSError as error:  # the tiles are read all the same, and the outbox tells of a full disk
            if error.strerror != self._unshown:
                self._unshown = error.strerror
                log.warning(
                    "%s: the preview cannot be written (%s); free space on the disk", self.camera.id, error.strerror
                )
        except CameraError as error:
            self._trouble(frame.at_ms, "degraded", str(error))

    def _watch(self, frame: Frame) -> None:
        if self._halved is None:
            self._halved = frame.image.shape[1] >= _WIDE
            frame = Frame(frame.at_ms, frame.number, image=frame.image)
        frame.halved = self._halved
        if self.watcher is not None and not self.watcher.fits(frame):
            log.warning("%s: the size of the picture has changed, calibrating anew", self.camera.id)
            self.watcher = None
        if self.watcher is None:
            if wrong := quality.wrong(frame.small):
                raise CameraError(wrong[0])
            calibration = self._calibrated(frame)
            detector = Detector(threads=THREADS)
            self.watcher = Watcher(calibration, lambda made: Looker(made, detector, self.reader))
            self._stance, self._away = self._stands(calibration, frame), False
            self._checked_ms = frame.at_ms
            log.info(
                "%s: calibrated to %.1f mm, %d px a side", self.camera.id, calibration.error_mm, calibration.side_px
            )
        if self.again.is_set():
            self.again.clear()
            self.watcher.again()
        checked = frame.at_ms - self._checked_ms >= (_AWAY_MS if self._away else _CHECK_MS)
        if checked and self._check(self.watcher, frame):
            self._recognise(self.watcher, frame)
        began = time.perf_counter()
        said = self.watcher.feed(frame)
        if not all(isinstance(word, Health | Watermark) for _, word in said):
            # Nothing is told of a table that may have moved away under the calibration.
            said = said if checked or self._check(self.watcher, frame) else []
        self.watcher.counters["ms"] = round(1000 * (time.perf_counter() - began), 1)
        self.watcher.counters["dropped"] = float(getattr(self._source, "dropped", 0))
        self._said = ""
        if said:
            self.outlet.put_all(noted(self._told(self.watcher, said), self._source))

    def _told(self, watcher: Watcher, said: Said) -> Said:
        """What the watcher says as the engine is told it: of several cameras over a table each says what it sees of it."""
        if sum(c.role == "overhead" for c in self.table.cameras) < 2:
            return said
        if self._share is None or self._share.calibration is not watcher.calibration:
            self._share = Share.of(watcher.calibration)
        words = ((at_ms, self._share.said(word, watcher.sightings)) for at_ms, word in said)
        return [(at_ms, word) for at_ms, word in words if word is not None]

    def _calibrated(self, frame: Frame) -> Calibration:
        image = frame.image
        layout, turned = self.table.layout(136), self.camera.turned
        size = (image.shape[1], image.shape[0])
        share = 0.5 if self._halved else 1.0
        focal = self.camera.focal_px * share if self.camera.focal_px else None
        if self.camera.calibration == "corners" and self.camera.corners_px is not None:
            corners = np.array(self.camera.corners_px, np.float64) * share
            return from_corners(layout, size, corners, turned=turned, focal=focal, distortion=self.camera.lens)
        return markers.calibrate(layout, image, turned=turned, focal=focal, distortion=self.camera.lens)

    def _check(self, watcher: Watcher, frame: Frame) -> bool:
        """Looks whether the camera stands where it was calibrated; one that was pushed says so, reads nothing, and is calibrated
        anew once it stands still again. True when it stands."""
        self._checked_ms = frame.at_ms
        if self._stance is None:
            self._stance = self._stands(watcher.calibration, frame)
        wrong = self._stance.look(frame)
        if wrong and self._stance.steady:
            try:
                again = (
                    self._stance.followed(frame) if self.camera.calibration == "corners" else self._calibrated(frame)
                )
            except CameraError as error:
                again, wrong = None, f"{wrong}; {error}"
            if again is not None:
                watcher.recalibrate(again)
                self._stance, wrong = self._stands(again, frame), ""
                log.info("%s: has moved, calibrated anew to %.1f mm", self.camera.id, again.error_mm)
        if wrong:
            watcher.trouble(wrong)
        elif self._away:
            watcher.trouble()
            watcher.forget()
        self._away = bool(wrong)
        return not wrong

    def _stands(self, calibration: Calibration, frame: Frame) -> Stance:
        return Stance(calibration, frame, by_hand=self.camera.calibration == "corners")

    def _recognise(self, watcher: Watcher, frame: Frame) -> None:
        """Of two enrolled sets that take turns at a table, reads the one whose backs are seen."""
        backs = [s for zone in watcher.sightings.values() for s in zone if s.what == BACK_UP]
        if len(self.reader.sets) < 2 or not backs:
            return
        before = self.reader.profile
        quads = np.stack([outline(watcher.calibration, s) for s in backs[:_BACKS]]).astype(np.float32)
        self.reader.recognise(frame.image, quads)
        if self.reader.profile is not before and self.reader.profile is not None:
            log.info("%s: the tiles are set %s", self.camera.id, self.reader.profile.name)
            watcher.again()

    def _trouble(self, at_ms: int, state: str, why: str) -> None:
        """Says once what is wrong."""
        if why != self._said:
            self._said = why
            log.warning("%s: %s", self.camera.id, why)
            said = Health(state="lost" if state == "lost" else "degraded", degraded=(why,))
            self.outlet.put_all([(at_ms, said)])
