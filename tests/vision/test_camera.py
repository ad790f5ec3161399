"""Sources: order, times, back-pressure, dropping, reconnecting, and what they say when nothing comes."""

from __future__ import annotations

import itertools
import socket
import threading
import time

import cv2
import numpy as np
import pytest

from table_engine.wire.clock import SystemClock
from table_engine.wire.errors import CameraError
from table_engine.wire.settings import CameraSettings
from vision.camera import Lost, Newest, frames, open_source
from vision.frame import Frame


def picture(n: int) -> np.ndarray:
    """A picture whose grey says its number."""
    return np.full((48, 64, 3), 20 + 10 * n, np.uint8)


def number(frame: Frame) -> int:
    return round((float(frame.image.mean()) - 20) / 10)


def settings(source: str, **more) -> CameraSettings:
    return CameraSettings(id="cam", source=source, **more)


class Streamer:
    """A camera on loopback that sends given parts to each reader, then closes or waits."""

    def __init__(self, parts: list[bytes], *, hold: bool = False, head: bytes | None = None) -> None:
        self.parts, self.hold, self.sent = parts, hold, 0
        self.head = head or (b"HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=frame\r\n\r\n")
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}/stream.mjpg"
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def _serve(self) -> None:
        while not self.stop.is_set():
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            with connection:
                connection.recv(4096)
                try:
                    connection.sendall(self.head)
                    for part in self.parts:
                        connection.sendall(part)
                        self.sent += 1
                    if self.hold:
                        self.stop.wait(20)
                except OSError:
                    continue

    def close(self) -> None:
        self.stop.set()
        self.socket.close()


def part(n: int, stamp: str | None, *, pad: int = 0) -> bytes:
    body = cv2.imencode(".jpg", picture(n))[1].tobytes() + b"\0" * pad
    said = f"X-Timestamp: {stamp}\r\n" if stamp is not None else ""
    head = f"--frame\r\nContent-Type: image/jpeg\r\n{said}Content-Length: {len(body)}\r\n\r\n"
    return head.encode() + body + b"\r\n"


@pytest.fixture
def serve():
    made: list[Streamer] = []

    def start(*args, **kwargs) -> Streamer:
        made.append(Streamer(*args, **kwargs))
        return made[-1]

    yield start
    for one in made:
        one.close()


def test_a_stream_with_stamps_is_read_one_by_one_and_loses_nothing(serve):
    stream = serve([part(n, str(1000 + 40 * n)) for n in range(9)])
    source = open_source(settings(stream.url), SystemClock(), simulated=True)
    got = []
    for _ in range(9):
        got.append(source.read())
        time.sleep(0.01)
    assert [number(f) for f in got] == list(range(9))
    assert [f.at_ms for f in got] == [1000 + 40 * n for n in range(9)]
    with pytest.raises(CameraError, match="has ended"):
        source.read()
    source.close()


def test_a_camera_that_waits_for_its_reader_is_not_outrun(serve):
    stream = serve([part(n % 9, str(n), pad=400_000) for n in range(40)])
    source = open_source(settings(stream.url), SystemClock(), simulated=True)
    source.read()
    time.sleep(0.3)
    assert stream.sent < 20
    source.close()


def test_stamps_far_from_the_clock_are_a_cameras_uptime(serve):
    stream = serve([part(0, "17.25")], hold=True)
    clock = SystemClock()
    source = open_source(settings(stream.url), clock)
    assert abs(source.read().at_ms - clock.now_ms()) < 5_000
    source.close()


def test_a_stream_without_stamps_keeps_only_the_newest(serve):
    stream = serve([part(n, None) for n in range(9)], hold=True)
    source = open_source(settings(stream.url), SystemClock())
    assert isinstance(source, Newest)
    deadline = time.monotonic() + 5
    while stream.sent < 9 and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.3)
    assert number(source.read()) == 8
    assert source.dropped >= 7
    source.close()


def test_a_camera_that_comes_back_is_read_again(serve):
    stream = serve([part(n, str(n)) for n in range(3)])
    stop, got, lost = threading.Event(), [], 0
    for item in frames(settings(stream.url), SystemClock(), stop, simulated=True):
        if isinstance(item, Lost):
            lost += 1
        else:
            got.append(number(item))
        if len(got) == 6:
            stop.set()
    assert got == [0, 1, 2, 0, 1, 2]
    assert lost == 1


def test_no_route_says_what_to_do():
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(CameraError, match=r"no answer .*check address, network and power"):
        open_source(settings(f"http://user:secret@127.0.0.1:{port}/x"), SystemClock())


def test_a_refusal_is_named_and_the_login_is_not(serve):
    stream = serve([], head=b"HTTP/1.0 401 Unauthorized\r\n\r\n")
    with pytest.raises(CameraError, match="401 Unauthorized") as caught:
        open_source(settings(stream.url.replace("//", "//user:secret@")), SystemClock())
    assert "secret" not in str(caught.value)


def test_bytes_that_are_no_picture_are_named(serve):
    bad = b"--frame\r\nX-Timestamp: 5\r\nContent-Length: 4\r\n\r\nnope\r\n"
    source = open_source(settings(serve([bad], hold=True).url), SystemClock(), simulated=True)
    frame = source.read()
    with pytest.raises(CameraError, match="no picture"):
        _ = frame.small
    source.close()


def test_a_device_that_is_not_there():
    with pytest.raises(CameraError, match="cannot be opened"):
        open_source(settings("/dev/video987"), SystemClock())


def test_a_folder_is_read_in_order_to_its_end(tmp_path):
    for n in range(4):
        cv2.imwrite(str(tmp_path / f"{n}.png"), picture(n))
    (tmp_path / "notes.txt").write_text("no picture")
    stop = threading.Event()
    got = list(frames(settings(str(tmp_path), fps=10), SystemClock(), stop))
    assert [number(f) for f in got if isinstance(f, Frame)] == [0, 1, 2, 3]
    times = [f.at_ms for f in got if isinstance(f, Frame)]
    assert [b - a for a, b in itertools.pairwise(times)] == [100, 100, 100]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"a text", "is no picture; give a JPEG, PNG, WebP or BMP file"),
        (b"", "is empty; copy it again"),
        (cv2.imencode(".png", picture(1))[1].tobytes()[:60], "is damaged or cut short; copy it again"),
    ],
)
def test_a_file_that_is_no_picture_is_named_and_passed_over(tmp_path, content, says):
    for n in range(3):
        cv2.imwrite(str(tmp_path / f"{n}.png"), picture(n))
    (tmp_path / "1.png").write_bytes(content)
    got = list(frames(settings(str(tmp_path), fps=10), SystemClock(), threading.Event()))
    assert [number(one) if isinstance(one, Frame) else one.why for one in got] == [
        0,
        f"camera {tmp_path}/1.png: {says}",
        2,
    ]


def test_pictures_of_a_folder_may_be_stored_in_any_depth(tmp_path):
    cv2.imwrite(str(tmp_path / "0.png"), picture(3).astype(np.uint16) * 257)
    cv2.imwrite(str(tmp_path / "1.png"), picture(4)[..., 0])
    cv2.imwrite(str(tmp_path / "2.png"), np.dstack([picture(5), np.full((48, 64), 7, np.uint8)]))
    got = list(frames(settings(str(tmp_path)), SystemClock(), threading.Event()))
    assert [(number(one), one.image.shape) for one in got] == [(n, (48, 64, 3)) for n in (3, 4, 5)]


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("http://127.0.0.1:99999/x", "is no address"),
        ("http://user:secret@127.0.0.1:port/x", "is no address"),
        ("http://127.0.0.1:1/a b", "no answer"),
        ("http://127.0.0.1:1/\u96c0", "no answer"),
        ("rtsp://user:secret@127.0.0.1:1/x?password=secret", "cannot be opened"),
    ],
)
def test_an_address_that_is_none_is_told_without_its_login(source, says):
    with pytest.raises(CameraError, match=says) as caught:
        open_source(settings(source), SystemClock())
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "data"), [("empty.mp4", b""), ("text.avi", b"no film"), ("cut.avi", b"RIFF\0\0\0\0AVI ")]
)
def test_a_film_that_is_none_is_named(tmp_path, name, data):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(CameraError, match=rf"{name}: cannot be opened; the file is no film"):
        open_source(settings(str(tmp_path / name)), SystemClock())


def test_a_folder_without_pictures_says_so(tmp_path):
    with pytest.raises(CameraError, match="holds no pictures"):
        open_source(settings(str(tmp_path)), SystemClock())


def test_a_video_file_gives_every_frame_with_its_time(tmp_path):
    path = tmp_path / "film.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 20, (64, 48))
    for n in range(6):
        writer.write(picture(n))
    writer.release()
    got = [f for f in frames(settings(str(path)), SystemClock(), threading.Event()) if isinstance(f, Frame)]
    assert [number(f) for f in got] == list(range(6))
    assert abs(got[-1].at_ms - got[0].at_ms - 250) <= 60


def test_the_small_picture_of_a_jpeg_and_of_an_image_are_alike():
    image = np.asarray(cv2.GaussianBlur(np.random.default_rng(0).integers(0, 255, (240, 320, 3), np.uint8), (0, 0), 5))
    data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 98])[1].tobytes()
    one, two = Frame(0, 1, jpeg=data).small, Frame(0, 1, image=image).small
    assert one.shape == two.shape == (60, 80)
    assert np.abs(one.astype(int) - two.astype(int)).mean() < 2
