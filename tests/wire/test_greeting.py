from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator

import pytest

from table_engine.wire.access import Door
from table_engine.wire.greeting import greet

Answering = Callable[[bytes], Door]


@pytest.fixture
def answering() -> Iterator[Answering]:
    """Makes a server that answers one CONNECT with the given bytes and hangs up."""
    servers: list[tuple[socket.socket, threading.Thread]] = []

    def serve(server: socket.socket, answer: bytes) -> None:
        sock, _ = server.accept()
        with sock:
            sock.recv(4096)
            sock.sendall(answer)

    def make(answer: bytes) -> Door:
        server = socket.create_server(("127.0.0.1", 0))
        thread = threading.Thread(target=serve, args=(server, answer))
        thread.start()
        servers.append((server, thread))
        return Door("127.0.0.1", server.getsockname()[1], "me", "x" * 300)

    yield make
    for server, thread in servers:
        thread.join(5)
        server.close()


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (b"\x20\x02\x00\x00", None),
        (b"\x20\x02\x00\x04", "refuses user or password ('me')"),
        (b"\x20\x02\x00\x05", "refuses this user ('me')"),
        (b"\x20\x02\x00\x63", "answers 99 ('me')"),
        (b"", "hangs up on user 'me'"),
        (b"HTTP/1.1 400 Bad Request\r\n", "does not speak MQTT"),
    ],
)
def test_what_a_broker_answers_is_put_in_words(answering: Answering, answer: bytes, says: str | None) -> None:
    door = answering(answer)
    assert greet(door) == (says and f"broker 127.0.0.1:{door.port} {says}")


def test_nobody_there_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert (
        greet(Door("127.0.0.1", port))
        == f"broker 127.0.0.1:{port} is not reachable (Connection refused); check that it runs"
    )


def test_nobody_answering_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert (
            greet(Door("127.0.0.1", port), 0.2)
            == f"broker 127.0.0.1:{port} is not reachable (timed out); check that it runs"
        )
