"""The simulated camera on the network: parts with times, lockstep, readers that die or dawdle, faults, files."""

from __future__ import annotations

import http.client
import re
import socket
import threading
import time
import urllib.error
import urllib.request
from urllib.parse import urlsplit

import cv2
import numpy as np
import pytest

from table_engine.wire.errors import CameraError
from virtual_table.camera import CameraFaults, CameraServer, FrameFolder, VideoFile

WIDTH, HEIGHT = 640, 480


def picture(n: int) -> np.ndarray:
    """Noise, so that the JPEG is large, with a grey square that says which frame it is."""
    frame = np.random.default_rng(n).integers(0, 256, (HEIGHT, WIDTH, 3), dtype=np.uint8)
    frame[:64, :64] = n * 10
    return frame


class Stream:
    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=10)
        self.connection.connect()
        self.connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 32 * 1024)
        self.connection.request("GET", parts.path)
        self.answer = self.connection.getresponse()
        assert self.answer.status == 200
        assert self.answer.getheader("Content-Type", "").startswith("multipart/x-mixed-replace; boundary=")

    def read(self) -> tuple[int, np.ndarray]:
        head = {}
        while (line := self.answer.readline().strip()) or not head:
            name, _, value = line.partition(b":")
            head[name] = value.strip()
        body = self.answer.read(int(head[b"Content-Length"]))
        assert head[b"Content-Type"] == b"image/jpeg"
        return int(head[b"X-Timestamp"]), cv2.imdecode(np.frombuffer(body, np.uint8), cv2.IMREAD_COLOR)

    def close(self) -> None:
        self.answer.close()
        self.connection.close()


def test_parts_carry_picture_and_time():
    with CameraServer(WIDTH, HEIGHT, lockstep=True) as server:
        stream = Stream(server.url)
        assert server.wait_reader(5)
        for n in range(3):
            server.publish(picture(n), 1000 + 40 * n)
            at_ms, seen = stream.read()
            assert at_ms == 1000 + 40 * n
            assert abs(float(seen[16:48, 16:48].mean()) - n * 10) < 4
        stream.close()


def test_lockstep_waits_for_the_reader_and_loses_nothing():
    with CameraServer(WIDTH, HEIGHT, lockstep=True) as server:
        stream = Stream(server.url)
        assert server.wait_reader(5)
        sent: list[int] = []

        def send() -> None:
            for n in range(30):
                server.publish(picture(n % 20), n)
                sent.append(n)

        sender = threading.Thread(target=send, daemon=True)
        sender.start()
        time.sleep(0.5)
        ahead = len(sent)
        assert ahead < 6  # a few fit into socket buffers; not all thirty
        assert [stream.read()[0] for _ in range(30)] == list(range(30))
        sender.join(timeout=5)
        assert not sender.is_alive()
        stream.close()


def test_a_reader_that_dies_does_not_stop_the_table():
    with CameraServer(WIDTH, HEIGHT, lockstep=True) as server:
        stream = Stream(server.url)
        assert server.wait_reader(5)
        server.publish(picture(0), 0)
        stream.read()
        sender = threading.Thread(target=lambda: [server.publish(picture(n), n) for n in range(10)], daemon=True)
        sender.start()
        time.sleep(0.2)
        stream.close()
        sender.join(timeout=10)
        assert not sender.is_alive()
        for n in range(3):
            server.publish(picture(n), n)
        assert server.readers == 0
        again = Stream(server.url)
        assert server.wait_reader(5)
        server.publish(picture(7), 777)
        assert again.read()[0] == 777
        again.close()


def test_a_reader_that_takes_nothing_is_dropped():
    with CameraServer(WIDTH, HEIGHT, lockstep=True, patience_s=0.3) as server:
        stream = Stream(server.url)
        assert server.wait_reader(5)
        for n in range(12):
            server.publish(picture(n), n)
        assert server.readers == 0
        stream.close()


def test_without_lockstep_a_slow_reader_misses_frames_and_gets_the_newest():
    with CameraServer(WIDTH, HEIGHT) as server:
        stream = Stream(server.url)
        assert server.wait_reader(5)
        for n in range(40):
            server.publish(picture(n % 20), n)
        times = [stream.read()[0]]
        while times[-1] < 39:
            times.append(stream.read()[0])
        assert times == sorted(times)
        assert len(times) < 40
        stream.close()


def test_without_a_reader_frames_go_nowhere():
    with CameraServer(WIDTH, HEIGHT, lockstep=True) as server:
        for n in range(50):
            server.publish(picture(n % 20), n)
        assert not server.wait_reader(0.01)
        with urllib.request.urlopen(server.url.replace("stream.mjpg", "still.jpg"), timeout=5) as still:
            assert still.headers["X-Timestamp"] == "49"
            assert cv2.imdecode(np.frombuffer(still.read(), np.uint8), 1).shape == (HEIGHT, WIDTH, 3)
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(server.url.replace("stream.mjpg", "nothing"), timeout=5)


def test_closing_ends_readers_and_a_blocked_publish():
    server = CameraServer(WIDTH, HEIGHT, lockstep=True)
    stream = Stream(server.url)
    assert server.wait_reader(5)
    sender = threading.Thread(target=lambda: [server.publish(picture(n), n) for n in range(20)], daemon=True)
    sender.start()
    time.sleep(0.2)
    server.close()
    server.close()
    sender.join(timeout=5)
    assert not sender.is_alive()
    stream.close()


def test_wrong_size_and_taken_port_are_said():
    with CameraServer(WIDTH, HEIGHT) as server:
        with pytest.raises(ValueError, match="640x480"):
            server.publish(np.zeros((10, 10, 3), np.uint8), 0)
        port = int(re.search(r":(\d+)/", server.url)[1])
        with pytest.raises(CameraError, match="choose a free port"):
            CameraServer(WIDTH, HEIGHT, port=port)


def test_files(tmp_path):
    folder, video = FrameFolder(tmp_path / "a" / "b"), VideoFile(tmp_path / "v.avi", WIDTH, HEIGHT, 15)
    for n in range(3):
        folder.publish(picture(n), 70 * n)
        video.publish(picture(n), 70 * n)
    folder.close()
    video.close()
    assert [p.name for p in sorted((tmp_path / "a" / "b").iterdir())] == [f"frame-{70 * n:012d}.jpg" for n in range(3)]
    capture = cv2.VideoCapture(str(tmp_path / "v.avi"))
    count = 0
    while capture.read()[0]:
        count += 1
    assert count == 3
    (tmp_path / "taken").write_text("")
    with pytest.raises(CameraError, match="taken"):
        FrameFolder(tmp_path / "taken" / "x")
    with pytest.raises(CameraError, match=r"\.avi"):
        VideoFile(tmp_path / "none" / "v.avi", WIDTH, HEIGHT, 15)


def test_faults():
    faults = CameraFaults(seed=2)
    first = faults.through(picture(20))
    assert np.array_equal(first, picture(20))
    faults.frozen = True
    assert np.array_equal(faults.through(picture(3)), picture(20))
    faults.frozen = False
    faults.covered = True
    assert faults.through(picture(20)).max() < 40
    faults.covered = False
    faults.dim = 0.2
    assert faults.through(picture(20)).mean() < 40
    faults.dim, faults.drop = 1.0, 0.5
    kept = sum(faults.through(picture(1)) is not None for _ in range(100))
    assert 30 < kept < 70
