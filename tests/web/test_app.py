"""The web application without a browser: answers, push, limits."""

from __future__ import annotations

import http.server
import json
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from table_engine.web.hub import Hub
from table_engine.web.server import WebServer
from table_engine.wire.alerts import AlertEnded
from table_engine.wire.errors import SettingsError

sys.path.insert(0, str(Path(__file__).parent))
import boards


@pytest.fixture
def hub() -> Hub:
    hub = Hub(("table-1",))
    hub.publish_view("table-1", boards.view(), "South draws")
    return hub


@pytest.fixture
def server(hub: Hub) -> Iterator[WebServer]:
    server = WebServer(hub, "127.0.0.1", 0)
    yield server
    server.close()


def ask(address: str, data: bytes | None = None, **headers: str) -> tuple[int, dict[str, object], dict[str, str]]:
    request = urllib.request.Request(address, data=data, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:
            return answer.status, json.loads(answer.read()), dict(answer.headers)
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read()), dict(error.headers)


def events(answer: http.client.HTTPResponse) -> Iterator[dict[str, object]]:
    for raw in answer:
        line = raw.decode()
        if line.startswith("data: "):
            yield json.loads(line[6:])


def test_board_as_json(server: WebServer) -> None:
    status, board, headers = ask(server.address + "api/tables/table-1")
    assert status == 200
    assert board["view"]["wall_left"] == 43
    assert board["log"] == ["South draws"]
    assert "default-src 'self'" in headers["content-security-policy"]


def test_unknown_table_is_named(server: WebServer) -> None:
    status, said, _ = ask(server.address + "api/tables/kitchen")
    assert status == 404
    assert "kitchen" in said["error"]
    assert "table-1" in said["error"]


def test_push_begins_whole_and_follows(server: WebServer, hub: Hub) -> None:
    with urllib.request.urlopen(server.address + "api/tables/table-1/push", timeout=5) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        stream = events(answer)
        assert next(stream)["view"]["last"] == "South draws"
        hub.publish_alert("table-1", boards.raised())
        after = next(stream)
        assert [a["rule"] for a in after["alerts"]] == ["RI-F7"]
        withdrawn = boards.alert(state="withdrawn")
        hub.publish_alert("table-1", AlertEnded(before=boards.alert(), after=withdrawn, reason="recounted: 13"))
        ended = next(stream)
        assert ended["alerts"] == []
        assert ended["ended"][0]["reason"] == "recounted: 13"


def test_slow_reader_gets_the_newest(server: WebServer, hub: Hub) -> None:
    with urllib.request.urlopen(server.address + "api/tables/table-1/push", timeout=5) as answer:
        stream = events(answer)
        next(stream)
        for n in range(200):
            hub.publish_view("table-1", boards.view(n + 2, f"move {n}"))
        heard = [next(stream)["view"]["last"]]
        while heard[-1] != "move 199":
            heard.append(next(stream)["view"]["last"])
        assert len(heard) < 20


def test_port_taken_says_what_to_do(server: WebServer, hub: Hub) -> None:
    port = int(server.address.rsplit(":", 1)[1].strip("/"))
    with pytest.raises(SettingsError, match=rf"127.0.0.1:{port}.*web.port"):
        WebServer(hub, "127.0.0.1", port)


def test_no_demo_without_control(server: WebServer) -> None:
    assert ask(server.address + "api/demo", b"{}")[0] == 404


@pytest.fixture
def control() -> Iterator[tuple[str, list[bytes]]]:
    heard: list[bytes] = []

    class Control(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            heard.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"says": "South takes two tiles on the next turn"}')

        def log_message(self, *_: object) -> None:
            return

    listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Control)
    thread = threading.Thread(target=listener.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listener.server_port}/", heard
    listener.shutdown()
    listener.server_close()


def test_demo_act_is_handed_on(hub: Hub, control: tuple[str, list[bytes]]) -> None:
    address, heard = control
    server = WebServer(hub, "127.0.0.1", 0, address)
    try:
        act = b'{"act": "foul", "foul": "too_many"}'
        status, said, _ = ask(server.address + "api/demo", act)
        assert (status, said["says"], heard) == (200, "South takes two tiles on the next turn", [act])
        assert ask(server.address + "api/demo", act, Origin="http://elsewhere.example")[0] == 403
        assert ask(server.address + "api/demo", b"x" * 5000)[0] == 413
        assert len(heard) == 1
    finally:
        server.close()


def test_demo_control_gone_is_said(hub: Hub) -> None:
    server = WebServer(hub, "127.0.0.1", 0, "http://127.0.0.1:9/")
    try:
        status, said, _ = ask(server.address + "api/demo", b"{}")
        assert status == 502
        assert "control does not answer" in said["error"]
    finally:
        server.close()
