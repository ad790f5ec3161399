"""What leaves for outside programs: ntfy, JSON hooks, OBS, Home Assistant. The other sides are small servers of our own."""

from __future__ import annotations

import base64
import hashlib
import http.server
import json
import threading
from collections.abc import Iterator

import boards
import pytest
from websockets.sync.server import ServerConnection, serve

from table_engine.web.courier import Courier
from table_engine.web.hooks import due, hook
from table_engine.web.obs import ask, obs, proof
from table_engine.wire.alerts import AlertEnded, AlertUpdated
from table_engine.wire.homeassistant import discovery
from table_engine.wire.settings import HookSettings, ObsSettings


@pytest.fixture
def phone() -> Iterator[tuple[str, list[tuple[str, dict, str]]]]:
    """An ntfy server: what was posted, as (path, JSON, authorization). The first post fails."""
    heard: list[tuple[str, dict, str]] = []
    failed = threading.Event()

    class Server(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if not failed.is_set():
                failed.set()
                self.send_response(503)
            else:
                heard.append((self.path, body, self.headers.get("Authorization", "")))
                self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            return

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", heard
    server.shutdown()
    server.server_close()


def wait_for(heard: list) -> None:
    for _ in range(500):
        if heard:
            return
        threading.Event().wait(0.02)
    raise AssertionError("nothing came")


def test_a_foul_rings_a_phone_even_when_the_first_try_fails(phone: tuple[str, list]) -> None:
    address, heard = phone
    courier, listen = hook(HookSettings(url=f"{address}/jantaku-hall", token="tk"), "http://hall:8137/")
    listen("table-1", boards.raised(severity="check"))
    listen("table-1", boards.raised())
    wait_for(heard)
    courier.close()
    ((path, told, key),) = heard
    assert (path, key) == ("/", "Bearer tk")
    assert (told["topic"], told["priority"]) == ("jantaku-hall", 4)
    assert "RI-F7" in told["title"]
    assert "14 tiles" in told["message"]
    assert told["click"] == "http://hall:8137/referee#table-1/a1"


def test_hooks_hear_of_what_rises_and_not_of_what_ends() -> None:
    check, foul = boards.alert(severity="check"), boards.alert()
    fouls, all_ = HookSettings(url="http://h/t"), HookSettings(url="http://h/t", severity="check")
    assert due(boards.raised(severity="check"), fouls) is None
    assert due(boards.raised(severity="check"), all_) is not None
    assert due(AlertUpdated(before=check, after=foul), fouls) == foul
    assert due(AlertUpdated(before=foul, after=foul), fouls) is None
    assert due(AlertEnded(before=foul, after=foul, reason=""), all_) is None


def test_a_courier_that_is_not_let_through_never_holds_anybody_up() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def deliver(_: int) -> None:
        begun.set()
        go_on.wait(10)

    courier = Courier("test", deliver, ())
    for n in range(2000):
        courier.put(n)
    assert begun.wait(5)
    go_on.set()
    courier.close()


class Obs:
    """An OBS: says hello with a challenge, checks the answer, notes requests."""

    def __init__(self) -> None:
        self.heard: list[dict] = []
        self._server = serve(self._talk, "127.0.0.1", 0)
        self.url = f"ws://127.0.0.1:{self._server.socket.getsockname()[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def _talk(self, line: ServerConnection) -> None:
        secret = {"challenge": "c+1", "salt": "s+2"}
        line.send(json.dumps({"op": 0, "d": {"rpcVersion": 1, "authentication": secret}}))
        identify = json.loads(line.recv())["d"]
        inner = base64.b64encode(hashlib.sha256(b"passs+2").digest())
        if identify["authentication"] != base64.b64encode(hashlib.sha256(inner + b"c+1").digest()).decode():
            line.close(4009, "Authentication failed.")
            return
        line.send(json.dumps({"op": 2, "d": {"negotiatedRpcVersion": 1}}))
        asked = json.loads(line.recv())["d"]
        self.heard.append(asked)
        good = asked["requestType"] != "Fail"
        status = {"result": good, "code": 100 if good else 501, **({} if good else {"comment": "replay buffer is off"})}
        line.send(json.dumps({"op": 7, "d": {"requestId": asked["requestId"], "requestStatus": status}}))

    def close(self) -> None:
        self._server.shutdown()


@pytest.fixture
def studio() -> Iterator[Obs]:
    one = Obs()
    yield one
    one.close()


def test_obs_saves_the_replay_of_a_foul_and_marks_it(studio: Obs) -> None:
    courier, listen = obs(ObsSettings(table="table-1", url=studio.url, password="pass"))
    listen("table-2", boards.raised())
    listen("table-1", boards.raised(severity="check"))
    listen("table-1", boards.raised())
    listen("table-1", AlertUpdated(before=boards.alert(severity="check"), after=boards.alert()))
    listen("table-1", AlertUpdated(before=boards.alert(), after=boards.alert()))
    listen("table-1", AlertEnded(before=boards.alert(), after=boards.alert(state="confirmed"), reason=""))
    for _ in range(500):
        if len(studio.heard) == 4:
            break
        threading.Event().wait(0.02)
    courier.close()
    assert [one["requestType"] for one in studio.heard] == ["SaveReplayBuffer", "CreateRecordChapter"] * 2
    assert studio.heard[1]["requestData"] == {"chapterName": "RI-F7 tile count"}


def test_obs_that_refuses_is_named(studio: Obs) -> None:
    with pytest.raises(OSError, match="does not answer as expected"):
        ask(ObsSettings(table="table-1", url=studio.url, password="wrong"), "SaveReplayBuffer", {})
    with pytest.raises(OSError, match="replay buffer is off"):
        ask(ObsSettings(table="table-1", url=studio.url, password="pass"), "Fail", {})


def test_proof_is_the_protocols_own_example() -> None:
    salt, challenge = "lM1GncleQOaCu9lT1yeUZhFYnqhsLLP1G5lAGo3ixaI=", "+IxH4CnCiqpX1rM9scsNynZzbOe4KhDeYcTNS3PDaeY="
    assert proof("supersecretpassword", salt, challenge) == "1Ct943GAT+6YQUUX47Ia/ncufilbe6+oD6lY+5kaCu4="


def test_home_assistant_is_told_where_everything_stands() -> None:
    topic, payload = discovery("hall", "table-1")
    told = json.loads(payload)
    assert topic == "homeassistant/device/jantaku_hall_table_1/config"
    assert told["availability"][0]["topic"] == "mj/v1/hall/table-1/engine/availability"
    assert {c["state_topic"] for c in told["components"].values()} == {
        "mj/v1/hall/table-1/engine/state",
        "mj/v1/hall/table-1/engine/alerts",
    }
    assert len({c["unique_id"] for c in told["components"].values()}) == len(told["components"])
