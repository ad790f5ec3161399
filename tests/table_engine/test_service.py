"""The engine's process as a whole: real broker, real outboxes, a journal, a page; the sensors are scripted."""

from __future__ import annotations

import json
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from engine_process import S0, Process, Sensors, Viewer, foul, make_site, picture
from table_script import BRIDGE, CAMERA, Script

from table_engine import journal
from table_engine.replay import replay
from table_engine.service import journal_path, run
from table_engine.web.accounts import Accounts, access_path
from table_engine.web.grants import Role
from table_engine.wire.access import REFEREE_ROLE, door, node_role
from table_engine.wire.acts import RefereeAct
from table_engine.wire.errors import SettingsError
from table_engine.wire.mqtt import Link
from table_engine.wire.settings import Site
from table_engine.wire.topics import Topics


def test_from_outboxes_to_wire_and_page(site: Site, sensors: Sensors, viewer: Viewer) -> None:
    with Process(site):
        sensors.say(foul())
        sensors.flush()
        viewer.until(lambda v: bool(v.of("alerts")) and any(a["alerts"] for a in v.of("alerts")))
        viewer.until(lambda v: v.of("state")[-1]["data"]["turns"] == 3)
        assert [a["action"]["type"] for a in viewer.of("action")][:3] == ["hand_started", "discarded", "drew"]
        seqs = [a["state_seq"] for a in viewer.of("action")]
        assert seqs == sorted(seqs)
        assert [(a["type"], a["after"]["rule"]) for a in viewer.of("alert")] == [("new", "RI-F7")]
        state = viewer.of("state")[-1]["data"]
        assert [seat["concealed"] for seat in state["seats"]] == [13, 14, 13, 13]
        assert state["sensors"] == {CAMERA: "online", BRIDGE: "online"}
        board = picture(site)
        assert board["view"]["turns"] == 3
        assert [alert["rule"] for alert in board["alerts"]] == ["RI-F7"]
        assert "South (seat 2)" in board["alerts"][0]["says"]
        assert board["log"][-1] == "West discards 3z"
        assert picture(site, "t2")["view"]["phase"] == "waiting"
        until = time.monotonic() + 20
        while any(len(node.outbox) for node in sensors.nodes.values()):
            assert time.monotonic() < until, "what is acknowledged is not forgotten"
            time.sleep(0.1)


def test_an_unknown_rule_set_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no rule set 'old-hong-kong'; there are"):
        run(make_site(tmp_path, ruleset="old-hong-kong"), threading.Event())
    with pytest.raises(SettingsError, match=r"calls\.kong_of_nobody"):
        run(make_site(tmp_path / "b", overrides={"calls.kong_of_nobody": True}), threading.Event())


def test_acts_come_over_the_wire_from_referees_only(site: Site, sensors: Sensors, viewer: Viewer) -> None:
    topic = Topics("hall", "t1").command("engine", "act")

    def say(role: str, transaction: str, did: dict[str, object]) -> None:
        link = Link(door(site, role), f"asks-{role}", will=("mj/v1/hall/t1/none/availability", ""), backoff_s=(1, 1))
        link.start()
        until = time.monotonic() + 10
        while not link.connected and time.monotonic() < until:
            time.sleep(0.02)
        link.publish(topic, json.dumps({"transaction": transaction, "data": {"by": "Mei", "did": did}}))
        time.sleep(0.3)
        link.stop()

    with Process(site):
        viewer.until(lambda v: bool(v.of("state")))
        sensors.say(foul())
        sensors.flush()
        viewer.until(lambda v: bool(v.of("alert")))
        say(node_role("t1", CAMERA), "no-1", {"act": "pause"})
        say(REFEREE_ROLE, "yes-1", {"act": "pause", "reason": "a tile fell"})
        say(REFEREE_ROLE, "yes-1", {"act": "pause", "reason": "a tile fell"})
        say(REFEREE_ROLE, "no-2", {"act": "pause"})
        say(REFEREE_ROLE, "no-3", {"act": "fly"})
        say(REFEREE_ROLE, "yes-2", {"act": "confirm", "alert": viewer.of("alert")[-1]["after"]["id"]})
        viewer.until(lambda v: len(v.of("act")) >= 5)
    answers = {(a["transaction"], a["status"]) for a in viewer.of("act")}
    assert answers == {("yes-1", "ok"), ("no-2", "error"), ("no-3", "error"), ("yes-2", "ok")}
    (paused, confirmed) = (e for e in journal.read(journal_path(site, "t1")) if isinstance(e, RefereeAct))
    assert (paused.id, paused.by, confirmed.id) == ("yes-1", "Mei", "yes-2")
    assert replay(journal_path(site, "t1")).engine.match.bookings[0].row == "RI-F7"


def asked(site: Site, key: str, path: str, body: dict[str, object], method: str = "POST") -> dict:
    """What the engine answers over HTTP."""
    address = f"http://127.0.0.1:{site.web.port}/api/tables/t1/{path}"
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    ask = urllib.request.Request(address, json.dumps(body).encode(), headers, method=method)
    with urllib.request.urlopen(ask, timeout=15) as answer:
        return json.load(answer)


def test_a_table_is_played_by_other_rules_from_the_next_match_on(site: Site, sensors: Sensors, viewer: Viewer) -> None:
    """The wire is heard anew under the new rules, what was played before is kept whole, and a start later all is as it was."""
    script = Script(ruleset="riichi")
    script.build(S0)
    script.deal(S0)
    script.discard(S0, "1z")
    script.wait(2_000)
    with Process(site):
        sensors.say(script.stream())
        sensors.flush()
        viewer.until(lambda v: bool(v.of("state")) and v.of("state")[-1]["data"]["phase"] == "playing")
        accounts = Accounts(access_path(site.data))
        key = accounts.make_token("test", Role.ADMIN)
        accounts.close()
        refused = asked(site, key, "ruleset", {"ruleset": "taiwan16"}, "PUT")
        assert not refused["ok"]
        assert "a hand is being played" in refused["error"]
        for did in ({"act": "hand_ended", "how": "ruling"}, {"act": "match_end"}):
            assert asked(site, key, "acts", {"did": did})["ok"]
        assert "no rule set 'bridge'" in asked(site, key, "ruleset", {"ruleset": "bridge"}, "PUT")["error"]
        assert asked(site, key, "ruleset", {"ruleset": "taiwan16"}, "PUT")["ok"]
        other = Script(ruleset="taiwan16", now=script.now + 60_000)
        other.build(S0)
        other.deal(S0)
        other.discard(S0, "2z")
        other.wait(2_000)
        sensors.say(other.stream())
        sensors.flush()
        viewer.until(lambda v: v.of("state")[-1]["data"]["ruleset"] == "taiwan16")
        viewer.until(lambda v: v.of("state")[-1]["data"]["phase"] == "playing")
    with Process(site):
        time.sleep(0.5)
        assert picture(site)["view"]["ruleset"] == "taiwan16"
    assert replay(journal_path(site, "t1")).rules.id == "taiwan16"
    (kept,) = (p for p in journal_path(site, "t1").parent.glob("t1.*.sqlite3") if p.stem != "t1")
    assert replay(kept).rules.id == "riichi"
    assert len(replay(kept).actions) >= 1
