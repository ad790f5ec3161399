"""Concealed hands reach nobody whose key lacks the right: every route, every part, every role, and the delay on the server."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import boards
import pytest
from hall import Hall
from serving import Served, events, serving, site_in
from table_script import Script

from table_engine.web.app import PAGES
from table_engine.web.grants import PARTS, Grant, Role
from table_engine.web.hub import Hub
from table_engine.wire.hands import HandsView, HandView
from table_engine.wire.ledger import HandLine, LedgerView, WinLine
from table_engine.wire.observations import Envelope, HandFaces
from table_engine.wire.phrases import Phrase
from table_engine.wire.seats import Seat, Wind

SECRET = ("1p", "2p", "3p", "4p", "5p", "6p", "7p", "8p", "9p", "1p", "2p", "3p", "4p")
"""No tile of it lies open anywhere on the board below."""


@pytest.fixture
def hub() -> Hub:
    hub = Hub(("table-1",))
    plain = boards.view()
    seats = tuple(s.model_copy(update={"pond": (), "melds": ()}) for s in plain.seats)
    hub.publish_view("table-1", plain.model_copy(update={"seats": seats, "dora": ()}), "South draws")
    hub.publish_alert("table-1", boards.raised())
    hub.publish_hands("table-1", HandsView(seats=(HandView(tiles=SECRET), HandView(), HandView(), HandView())))
    return hub


@pytest.fixture
def served(hub: Hub, tmp_path: Path) -> Iterator[Served]:
    with serving(hub, site_in(tmp_path)) as one:
        yield one


def leaks(text: str) -> bool:
    return any(f'"{code}"' in text for code in SECRET)


def paths(served: Served) -> list[tuple[str, str]]:
    """Every operation of the API and every page, with its blanks filled in."""
    admin = served.key(Role.ADMIN)
    document = served.ask("api/openapi.json", admin)[1]
    fill = {
        "{table}": "table-1",
        "{alert}": "a1",
        "{camera}": "cam",
        "{at_ms}": "1",
        "{row}": "RI-F7",
        "{name}": "felt",
        "{ident}": "none",
        "{number}": "1",
        "{bridge}": "bridge",
    }
    made = [(method.upper(), path) for path, of in document["paths"].items() for method in of]
    made += [("GET", path) for path in PAGES]
    filled = []
    for method, path in made:
        whole = path
        for blank, value in fill.items():
            whole = whole.replace(blank, value)
        filled.append((method, whole.lstrip("/")))
    return filled


def read(served: Served, method: str, path: str, key: str | None) -> tuple[int, str]:
    if path == "api/push":
        try:
            with served.open(path, key) as answer:
                return answer.status, json.dumps(next(events(answer)))
        except Exception as error:  # noqa: BLE001 - whatever is refused shows nothing
            return getattr(error, "code", 599), ""
    status, told, _ = served.ask(path, key, {} if method == "POST" else None, method)
    return status, json.dumps(told)


@pytest.mark.parametrize("role", [None, *Role])
def test_no_route_tells_hands_to_a_key_without_the_right(served: Served, role: Role | None) -> None:
    key = served.key(role) if role else None
    asked = [(m, p) for m, p in paths(served) if not p.startswith(("api/leave", "api/login", "api/enter"))]
    assert len(asked) > 25
    for method, path in asked:
        status, text = read(served, method, path, key)
        assert status < 500 or path == "api/push", (method, path, text)
        assert not leaks(text), (method, path)
    assert served.accounts.looks() == ()


def test_the_walk_would_notice(served: Served) -> None:
    key = served.key(Role.OVERLAY, hands=True)
    assert leaks(read(served, "GET", "api/push", key)[1])
    assert leaks(read(served, "GET", "api/tables/table-1", key)[1])
    assert len(served.accounts.looks()) == 2


def test_hands_are_not_shown_when_no_note_of_it_can_be_taken(served: Served) -> None:
    key = served.key(Role.ADMIN, hands=True)
    served.accounts._db.execute("pragma query_only = on")  # as a full disk answers
    for path in ("api/push", "api/tables/table-1"):
        status, text = read(served, "GET", path, key)
        assert status == 200
        assert '"view"' in text
        assert not leaks(text), path
    served.accounts._db.execute("pragma query_only = off")
    assert leaks(read(served, "GET", "api/push", key)[1])
    assert len(served.accounts.looks()) == 1


def test_without_a_key_nothing_of_a_table_is_told(served: Served) -> None:
    for method, path in paths(served):
        if path.startswith("api/") and path not in (
            "api/site",
            "api/openapi.json",
            "api/leave",
            "api/login",
            "api/enter",
        ):
            assert read(served, method, path, None)[0] in (401, 403), path


def test_guests_see_the_public_picture_and_no_alert(hub: Hub, tmp_path: Path) -> None:
    with serving(hub, site_in(tmp_path / "open", guests="viewer")) as served:
        board = served.ask("api/tables/table-1")[1]
        assert set(board) == {"table", "seq", "now_ms", "view", "log"}
        assert served.ask("api/precision")[0] == 403


def test_a_part_nobody_named_is_told_nobody() -> None:
    everything = Grant("x", Role.ADMIN, hands=True)
    assert not everything.told("something_new")
    assert [part for part in PARTS if not everything.told(part)] == []
    assert [part for part in PARTS if Grant("x", Role.ADMIN).told(part) != (part != "hands")] == []


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OVERLAY])
def test_suspicions_are_for_referees(served: Served, role: Role) -> None:
    for path in ("api/tables/table-1", "api/push"):
        assert "holds 14" not in read(served, "GET", path, served.key(role))[1]
    assert "holds 14" in read(served, "GET", "api/push", served.key(Role.REFEREE))[1]


def test_a_key_of_one_table_knows_of_no_other(tmp_path: Path) -> None:
    hub = Hub(("table-1", "table-2"))
    for table in hub.tables:
        hub.publish_view(table, boards.view().model_copy(update={"table": table}))
    with serving(hub, site_in(tmp_path, "table-1", "table-2")) as served:
        key = served.key(Role.REFEREE, tables=frozenset({"table-1"}))
        assert served.ask("api/tables/table-2", key)[0] == 404
        assert served.ask("api/push?tables=table-2", key)[0] == 404
        assert [t["id"] for t in served.ask("api/tables", key)[1]["tables"]] == ["table-1"]
        with served.open("api/push", key) as answer:
            assert next(events(answer))["table"] == "table-1"
        did = {"did": {"act": "confirm", "alert": "a1"}}
        assert served.ask("api/tables/table-2/acts", key, did)[0] == 404


def test_a_delayed_key_sees_the_past_and_never_the_present(hub: Hub, tmp_path: Path) -> None:
    delay_s = 1.5
    with serving(hub, site_in(tmp_path)) as served:
        key = served.key(Role.OVERLAY, hands=True, delay_s=delay_s)
        told: dict[str, float] = {}
        published: dict[str, float] = {}
        with served.open("api/push", key) as answer:
            stream = events(answer)
            assert "view" in next(stream), "the board as it stood when the key was made"
            for n in range(4):
                published[f"move {n}"] = time.monotonic()
                hub.publish_view("table-1", boards.view(n + 9, f"move {n}"))
                assert f"move {n}" not in served.ask("api/tables/table-1", key)[1].get("view", {}).get("last", "")
                time.sleep(0.25)
            for event in stream:
                if "view" in event:
                    told[event["view"]["last"]] = time.monotonic()
                if "move 3" in told:
                    break
    late = {move: told[move] - published[move] for move in told if move in published}
    assert late
    assert all(delay_s <= by for by in late.values()), late


def test_after_a_restart_a_delayed_key_waits_again(hub: Hub, tmp_path: Path) -> None:
    with serving(hub, site_in(tmp_path)) as served:
        key = served.key(Role.OVERLAY, hands=True, delay_s=900)
    fresh = Hub(("table-1",))
    fresh.publish_hands("table-1", HandsView(seats=(HandView(tiles=SECRET), HandView(), HandView(), HandView())))
    with serving(fresh, site_in(tmp_path)) as served:
        fresh.publish_view("table-1", boards.view())
        assert set(served.ask("api/tables/table-1", key)[1]) == {"table", "seq", "now_ms"}


def test_a_delayed_key_made_by_the_command_line_works_after_its_delay(served: Served) -> None:
    key = served.accounts.make_token("outside", Role.VIEWER, delay_s=0.3)
    assert "view" not in served.ask("api/tables/table-1", key)[1]
    with served.open("api/push", key) as answer:
        assert "view" in next(events(answer))


def test_hands_never_leave_by_the_wire(tmp_path: Path) -> None:
    """What the engine publishes while it knows a hand: not one face of it, and a sensor that tells it openly is named."""
    with Hall(tmp_path / "data") as hall:
        script = Script(ruleset="riichi")
        script.build(Seat.S0)
        script.deal(Seat.S0)
        script.discard(Seat.S0, "1z")
        script.wait(2_000)
        hall.say("table-1", script.stream())
        faces = HandFaces(seat=Seat.S2, tiles=SECRET)
        hall.say("table-1", [Envelope.of("racks", 1, 1, script.now, script.now, faces)], secret=True)
        hall.until(lambda: "hands" in (parts := hall.hub.parts("table-1")) and leaks(parts["hands"].text))
        for name, values in hall.node.said:
            assert not leaks(repr(values).replace("'", '"')), name
        parts = hall.hub.parts("table-1")
        assert [name for name, part in parts.items() if leaks(part.text)] == ["hands"]
        assert "faults" not in parts or "concealed" not in parts["faults"].text
        hall.say("table-1", [Envelope.of("racks", 1, 2, script.now, script.now, faces)])
        hall.until(lambda: "concealed hands" in hall.hub.parts("table-1")["faults"].text)


def test_the_access_file_holds_no_secret(served: Served, tmp_path: Path) -> None:
    key = served.key(Role.ADMIN)
    served.accounts.make_person("Mei", "a long password", Role.REFEREE)
    session = served.accounts.log_in("Mei", "a long password")
    raw = b"".join(path.read_bytes() for path in tmp_path.glob("access.sqlite3*"))
    for secret in (key.partition(".")[2], "a long password", str(session)):
        assert secret.encode() not in raw
    assert b"$argon2id$" in raw
    assert (tmp_path / "access.sqlite3").stat().st_mode & 0o077 == 0


def test_every_blank_of_every_route_is_filled(served: Served) -> None:
    assert [path for _, path in paths(served) if "{" in path] == []


def test_what_the_engine_thinks_of_a_win_waits_for_the_referee(served: Served, hub: Hub) -> None:
    hand = HandLine(
        hand=1,
        number=1,
        dealer=Seat.S0,
        round_wind=Wind.EAST,
        winds=(None, None, None, None),
        wins=(
            WinLine(seat=Seat.S1, says="no yaku", phrase=Phrase("no yaku"), points=(0, 0, 0, 0)),
            WinLine(seat=Seat.S2, says="3 han", confirmed=True),
        ),
    )
    hub.publish("table-1", "ledger", LedgerView(table="table-1", ruleset="riichi", match=1, hands=(hand,)))
    told = served.ask("api/tables/table-1", served.key(Role.VIEWER))[1]
    wins = told["ledger"]["hands"][0]["wins"]
    assert [(win["says"], win["phrase"], win["points"]) for win in wins] == [("", None, None), ("3 han", None, None)]
    assert "result" not in told
