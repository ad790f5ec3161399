"""The web application without a browser: answers, push, limits, who may what."""

from __future__ import annotations

import http.server
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from table_engine.web.grants import Role
from table_engine.web.guard import TRIES
from table_engine.web.hub import Hub
from table_engine.wire.acts import Answer
from table_engine.wire.alerts import AlertEnded
from table_engine.wire.errors import SettingsError

sys.path.insert(0, str(Path(__file__).parent))
import boards
from serving import PASSWORD, Served, events, serving, site_in


@pytest.fixture
def hub() -> Hub:
    hub = Hub(("table-1",))
    hub.publish_view("table-1", boards.view(), "South draws")
    return hub


@pytest.fixture
def served(hub: Hub, tmp_path: Path) -> Iterator[Served]:
    with serving(hub, site_in(tmp_path)) as one:
        yield one


def test_board_as_json(served: Served) -> None:
    status, board, headers = served.ask("api/tables/table-1", served.key(Role.VIEWER))
    assert status == 200
    assert board["view"]["wall_left"] == 43
    assert board["log"] == ["South draws"]
    assert "default-src 'self'" in headers["content-security-policy"]
    assert headers["referrer-policy"] == "no-referrer"


def test_unknown_table_is_named(served: Served) -> None:
    status, said, _ = served.ask("api/tables/kitchen", served.key(Role.VIEWER))
    assert status == 404
    assert "kitchen" in said["error"]
    assert "table-1" in said["error"]


def test_push_begins_whole_and_follows(served: Served, hub: Hub) -> None:
    with served.open("api/push", served.key(Role.REFEREE)) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        stream = events(answer)
        first = next(stream)
        assert (first["whole"], first["table"], first["view"]["last"]) == (True, "table-1", "South draws")
        hub.publish_alert("table-1", boards.raised())
        after = next(stream)
        assert "view" not in after
        assert [a["rule"] for a in after["alerts"]] == ["RI-F7"]
        withdrawn = boards.alert(state="withdrawn")
        hub.publish_alert("table-1", AlertEnded(before=boards.alert(), after=withdrawn, reason="recounted: 13"))
        ended = next(stream)
        assert ended["alerts"] == []
        assert ended["ended"][0]["reason"] == "recounted: 13"


def test_push_goes_on_where_it_was_left(served: Served, hub: Hub) -> None:
    key = served.key(Role.REFEREE)
    with served.open("api/push", key) as answer:
        last = next(events(answer))["id"]
    hub.publish_alert("table-1", boards.raised())
    with served.open("api/push", key, **{"Last-Event-ID": last}) as answer:
        missed = next(events(answer))
    assert (missed["whole"], set(missed)) == (False, {"id", "table", "seq", "now_ms", "whole", "alerts", "ended"})
    with served.open("api/push", key, **{"Last-Event-ID": "another-run.7"}) as answer:
        assert next(events(answer))["whole"] is True


def test_slow_reader_gets_the_newest(served: Served, hub: Hub) -> None:
    with served.open("api/push?parts=view", served.key(Role.VIEWER)) as answer:
        stream = events(answer)
        next(stream)
        for n in range(200):
            hub.publish_view("table-1", boards.view(n + 2, f"move {n}"))
        heard = [next(stream)["view"]["last"]]
        while heard[-1] != "move 199":
            heard.append(next(stream)["view"]["last"])
        assert len(heard) < 20


def test_port_taken_says_what_to_do(served: Served, hub: Hub, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=rf"127.0.0.1:{served.port}.*web.port"):
        Served(hub, site_in(tmp_path / "other", port=served.port))


def test_an_act_is_asked_of_the_engine_in_the_name_of_the_key(served: Served, hub: Hub) -> None:
    def engine() -> None:
        while not (asked := hub.wishes()):
            time.sleep(0.01)
        (one,) = asked
        heard.append(one.wish)
        one.answer.set_result(Answer(ok=True, id="act-1"))

    heard: list[object] = []
    thread = threading.Thread(target=engine)
    thread.start()
    did = {"act": "dismiss", "alert": "a1", "reason": "seen on the clip"}
    status, said, _ = served.ask("api/tables/table-1/acts", served.key(Role.REFEREE), {"did": did})
    thread.join()
    assert (status, said["ok"], said["id"]) == (200, True, "act-1")
    assert (heard[0].by, heard[0].role, heard[0].did.reason) == ("referee", "referee", "seen on the clip")


def test_who_may_not_rule_is_told(served: Served) -> None:
    did = {"did": {"act": "confirm", "alert": "a1"}}
    for role in (Role.VIEWER, Role.OVERLAY, Role.OPERATOR):
        status, said, _ = served.ask("api/tables/table-1/acts", served.key(role), did)
        assert status == 403, role
        assert "may not" in said["error"]


def test_log_in_and_out(served: Served) -> None:
    served.accounts.make_person("Mei", PASSWORD, Role.REFEREE)
    home = {"Origin": served.address.rstrip("/")}
    wrong = served.ask("api/login", data={"name": "Mei", "password": "no"}, **home)
    assert wrong[0] == 401
    status, you, headers = served.ask("api/login", data={"name": "Mei", "password": PASSWORD}, **home)
    assert (status, you["role"], you["hands"]) == (200, "referee", False)
    cookie = headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    session = {"Cookie": cookie.split(";")[0]}
    assert served.ask("api/tables", **session)[0] == 200
    assert served.ask("api/leave", data={}, **session, **home)[0] == 204
    assert served.ask("api/tables", **session)[0] == 401


def test_other_sites_cannot_act_with_our_cookie(served: Served) -> None:
    served.accounts.make_person("Mei", PASSWORD, Role.ADMIN)
    home = {"Origin": served.address.rstrip("/")}
    headers = served.ask("api/login", data={"name": "Mei", "password": PASSWORD}, **home)[2]
    session = {"Cookie": headers["set-cookie"].split(";")[0]}
    key = {"label": "x", "role": "viewer"}
    assert served.ask("api/keys", data=key, **session)[0] == 403, "no origin"
    assert served.ask("api/keys", data=key, **session, Origin="http://elsewhere.example")[0] == 403
    assert served.ask("api/keys", data=key, **session, **home, **{"Sec-Fetch-Site": "cross-site"})[0] == 403
    assert served.ask("api/keys", data=key, **session, **home)[0] == 201


def test_a_foreign_name_for_this_address_is_refused(served: Served) -> None:
    assert served.ask("api/site", Host="rebound.example")[0] == 421
    assert served.ask("api/site", Host=f"localhost:{served.port}")[0] == 200


def test_guessing_is_slowed_down(served: Served) -> None:
    answers = [served.ask("api/tables", f"deadbeef.{n}")[0] for n in range(TRIES.amount + 2)]
    assert answers[:2] == [401, 401]
    assert answers[-1] == 429
    assert served.ask("api/tables", served.key(Role.VIEWER))[0] == 200, "a good key still opens"


def test_a_key_taken_back_ends_its_stream(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("table_engine.web.feed.CHECK_S", 0.1)
    key = served.key(Role.VIEWER)
    with served.open("api/push", key) as answer:
        stream = events(answer)
        next(stream)
        served.accounts.remove_token(key.partition(".")[0])
        assert list(stream) == []


def test_first_secret_is_given_once_and_works_once(tmp_path: Path, hub: Hub) -> None:
    with serving(hub, site_in(tmp_path)) as served:
        secret = served.accounts.first_secret()
        assert secret
        assert served.accounts.first_secret() is None
        home = {"Origin": served.address.rstrip("/")}
        assert served.ask("api/site")[1]["first"] is True
        assert served.ask("api/enter", data={"key": secret}, **home)[1]["role"] == "admin"
        assert served.ask("api/enter", data={"key": secret}, **home)[0] == 401


def test_admin_makes_people_and_keys(served: Served) -> None:
    admin = served.key(Role.ADMIN)
    mei = {"name": "Mei", "password": PASSWORD, "role": "referee", "tables": ["table-1"]}
    assert served.ask("api/people", admin, mei)[0] == 204
    assert served.ask("api/people", admin, {**mei, "password": "short"})[0] == 422
    assert served.ask("api/people", admin, {**mei, "tables": ["kitchen"]})[0] == 422
    assert [p["name"] for p in served.ask("api/people", admin)[1]] == ["Mei"]
    made = served.ask("api/keys", admin, {"label": "obs", "role": "overlay", "delay_s": 300, "hands": True})
    assert made[0] == 201
    assert made[1]["line"]["delay_s"] == 300
    listed = served.ask("api/keys", admin)[1]
    assert made[1]["key"].split(".")[1] not in str(listed), "a secret is shown once"
    assert served.ask(f"api/keys/{made[1]['line']['id']}", admin, method="DELETE")[0] == 204
    assert served.ask("api/tables", made[1]["key"])[0] == 401
    assert served.ask("api/people/Mei", admin, method="DELETE")[0] == 204


def test_too_long_is_refused(served: Served) -> None:
    key = served.key(Role.ADMIN)
    assert served.ask("api/demo", key, b'{"act": "' + b"x" * 70000 + b'"}')[0] == 413


def test_no_demo_without_control(served: Served) -> None:
    assert served.ask("api/demo", served.key(Role.ADMIN), {"act": "foul"})[0] == 404


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


def test_demo_act_is_handed_on(hub: Hub, control: tuple[str, list[bytes]], tmp_path: Path) -> None:
    address, heard = control
    with serving(hub, site_in(tmp_path, demo=address)) as served:
        act = {"act": "foul", "foul": "too_many"}
        status, said, _ = served.ask("api/demo", served.key(Role.ADMIN), act)
        assert (status, said["says"], heard) == (
            200,
            "South takes two tiles on the next turn",
            [b'{"act": "foul", "foul": "too_many"}'],
        )
        assert served.ask("api/demo", served.key(Role.VIEWER), act)[0] == 403
        assert len(heard) == 1


def test_demo_control_gone_is_said(hub: Hub, tmp_path: Path) -> None:
    with serving(hub, site_in(tmp_path, demo="http://127.0.0.1:9/")) as served:
        status, said, _ = served.ask("api/demo", served.key(Role.ADMIN), {"act": "foul"})
        assert status == 503
        assert "control does not answer" in said["error"]


def test_a_server_that_ends_lets_its_readers_go_without_a_word(
    hub: Hub, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    with serving(hub, site_in(tmp_path)) as served:
        readers = [served.open("api/push", served.key(Role.VIEWER)) for _ in range(20)]
        streams = [events(reader) for reader in readers]
        assert all(next(stream)["whole"] for stream in streams)
    assert all(list(stream) == [] for stream in streams)  # ended, not broken off
    for reader in readers:
        reader.close()
    assert "Traceback" not in capfd.readouterr().err
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []
