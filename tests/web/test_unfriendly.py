"""Whoever means no good, or is merely clumsy: wrong keys, bodies too large, names nobody expected, two windows at once, more
alerts than anybody can rule on."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boards
import pytest
from hall import Hall
from play import Game, serious
from playwright.sync_api import Page, expect
from serving import PASSWORD, Served, site_in

from table_engine.web.grants import Role
from table_engine.web.hub import Hub
from table_engine.web.workers import worked

ODD = ("W" * 79, "👩‍👩‍👧‍👦🀄" * 9, "<img src=x onerror=alert(1)>", "寿限無寿限無五劫の擦り切れ海砂利水魚の水行末")
TABLES = tuple(f"table-{n}" for n in range(1, 101))


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    hub = Hub(("table-1",))
    hub.publish_view("table-1", boards.view())
    hub.publish_alert("table-1", boards.raised())
    one = Served(hub, site_in(tmp_path_factory.mktemp("data")))
    yield one
    one.close()


def asked(served: Served, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, str]:
    """Status and text; a body that is an iterator goes in chunks, without saying how long it is."""
    line = http.client.HTTPConnection("127.0.0.1", served.port, timeout=60)
    chunked = body is not None and not isinstance(body, bytes)
    try:
        line.request(method, path, body, {"Content-Type": "application/json", **headers}, encode_chunked=chunked)
        answer = line.getresponse()
        return answer.status, answer.read().decode(errors="replace")
    finally:
        line.close()


@pytest.mark.parametrize("key", ["", "x", "....", "a%00", "\xe9\xe9", "a" * 5000, "ID", "ID.nope", "ID." + "0" * 43])
def test_a_wrong_key_opens_nothing(served: Served, key: str) -> None:
    ident = served.key(Role.ADMIN).partition(".")[0]
    wrong = key.replace("ID", ident)
    assert asked(served, "GET", "/api/tables", Authorization=f"Bearer {wrong}")[0] in (401, 429)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"x" * 100_000, 413),
        ((b"x" * 4096 for _ in range(40)), 400),
        (b"{", 422),
        (b"[" * 30_000, 400),
        (b"", 422),
        (b"null", 422),
        (b'{"did":{"act":"nothing"}}', 422),
        (b'{"did":{"act":"extra_time","seconds":' + b"9" * 300 + b"}}", 422),
        (b'{"did":{"act":"players","names":["\\ud800","b","c","d"]}}', 422),
        (b'{"did":{"act":"players","names":["' + b"W" * 5000 + b'","b","c","d"]}}', 422),
        (b'{"id":"' + b"x" * 5000 + b'","did":{"act":"pause"}}', 422),
    ],
)
def test_what_cannot_be_meant_is_refused_with_a_sentence(served: Served, body: Any, status: int) -> None:
    key = served.key(Role.ADMIN)
    told = asked(served, "POST", "/api/tables/table-1/acts", body, Authorization=f"Bearer {key}")
    assert told[0] == status
    assert 0 < len(json.loads(told[1])["error"]) <= 2000


@pytest.mark.parametrize(
    "name", ["kitchen", "..", "%2e%2e%2fetc", "%00", "%F0%9F%80%84", "%ff", "a" * 5000, "table-1%0d%0aX:y"]
)
def test_a_table_nobody_has_is_not_found_whatever_it_is_called(served: Served, name: str) -> None:
    key = f"Bearer {served.key(Role.ADMIN)}"
    for path in ("", "/rules", "/equipment", "/alerts/a1/evidence", "/alerts/a1/states", "/record", "/sheet"):
        status, _ = asked(served, "GET", f"/api/tables/{name}{path}", Authorization=key)
        assert status == 404, path
    assert asked(served, "GET", f"/api/push?tables={name}", Authorization=key)[0] == 404
    for path in ("/evidence", "/evidence/cam/1.jpg", "/evidence/cam.webp"):
        assert asked(served, "GET", f"/api/tables/table-1/alerts/{name}{path}", Authorization=key)[0] in (404, 422), (
            path
        )


def test_the_process_for_long_work_is_replaced_when_it_is_killed() -> None:
    async def work() -> tuple[int, int]:
        first = await worked(os.getpid)
        os.kill(first, signal.SIGKILL)
        return first, await worked(os.getpid)

    first, second = asyncio.run(work())
    assert len({first, second, os.getpid()}) == 3


def test_names_nobody_expected_are_words_on_every_page_and_push_nothing_out(hall: Hall, game: Game, come: Any) -> None:
    assert hall.do("table-1", act="players", names=list(ODD)).ok
    alert = game.foul()
    assert hall.do("table-1", act="confirm", alert=alert.id).ok
    for path, role, shows in (
        ("referee#table-1", Role.REFEREE, ".board .name b"),
        ("venue", Role.OPERATOR, ".four i"),
        ("table/table-1", Role.VIEWER, ".board .name b"),
        (f"ruling/table-1/{alert.id}", Role.REFEREE, "#sheet dd"),
    ):
        for width in (1300, 390):
            page = come(hall, path, role, width=width, height=844)
            odd = "👩‍👩‍👧‍👦" if "ruling" in path else "W" * 60
            expect(page.locator(shows).filter(has_text=odd).first).to_be_visible()
            assert page.locator("main img[src='x'], header img[src='x']").count() == 0
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (path, width)


def test_two_windows_of_one_referee_and_a_third_person(hall: Hall, game: Game, come: Any) -> None:
    """Both windows show the same; what is muted in one is muted in the other; what one has decided the other cannot."""
    one = come(hall, "referee")
    other = one.context.new_page()
    other.goto(f"{hall.address}referee")
    alert = game.foul()
    for page in (one, other):
        page.locator(".item").click()
    one.locator("#mutes").click()
    one.locator("dialog[open] input[name='table:table-1']").check()
    one.locator("dialog[open]").get_by_role("button", name="Save").click()
    expect(other.locator("#mutes")).to_contain_text("1")
    other.locator("[data-act='dismiss']").click()  # a dialog is open here …
    one.locator("[data-act='confirm']").click()  # … while it is decided there
    hall.until(lambda: hall.hub.alert("table-1", alert.id)[0].state == "confirmed")
    other.locator("dialog[open] textarea").fill("too late")
    other.locator("dialog[open]").get_by_role("button", name="Dismiss").click()
    expect(other.locator(".notice.bad")).to_be_visible()
    assert hall.hub.alert("table-1", alert.id)[0].state == "confirmed"


@pytest.fixture
def crowd(tmp_path: Path) -> Iterator[tuple[Hub, Served]]:
    """A hundred tables with two open alerts each."""
    hub = Hub(TABLES, table_ms=lambda _: 1_000_000)
    for n, table in enumerate(TABLES):
        hub.publish_view(table, boards.view().model_copy(update={"table": table}))
        for k in range(2):
            severity = "foul" if k else "check"
            hub.publish_alert(
                table, boards.raised(id=f"{table}-{k}", table=table, at_ms=500_000 - n * 1000 - k, severity=severity)
            )
    one = Served(hub, site_in(tmp_path, *TABLES))
    yield hub, one
    one.close()


def test_two_hundred_open_alerts_while_a_hundred_tables_play(browser: Any, crowd: tuple[Hub, Served]) -> None:
    hub, served = crowd
    context = browser.new_context(viewport={"width": 390, "height": 844}, locale="en")
    page: Page = context.new_page()
    page.goto(f"{served.address}enter?next=/referee#{served.key(Role.REFEREE)}")
    items = page.locator(".item")
    expect(items).to_have_count(200)
    assert items.first.get_attribute("data-key") == "table-100/table-100-1"
    assert items.last.get_attribute("data-key") == "table-1/table-1-0"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("tab", name="Tables").click()
    row = page.locator(".item[data-key='table-50']")
    row.evaluate("row => { window.row = row; }")
    for n in range(300):
        table = TABLES[n % 100]
        hub.publish_view(table, boards.view(n + 2, f"move {n}").model_copy(update={"table": table}))
    expect(row).to_contain_text("move 249")
    assert row.evaluate("row => row === window.row")  # it moves under no finger
    row.click()
    expect(page.locator("#case h1")).to_have_text("table-50")
    context.close()


def test_nothing_is_asked_of_anybody_but_this_server(hall: Hall, game: Game, come: Any) -> None:
    """The hall may have no way to the internet."""
    game.foul()
    hall.served.accounts.make_person("Mei", PASSWORD, Role.ADMIN)
    page = come(hall, "referee", Role.ADMIN)
    asked: set[str] = set()
    page.on("request", lambda request: asked.add(request.url))
    for path in (
        "",
        "referee#table-1",
        "venue",
        "setup",
        "access",
        "table/table-1",
        "overlay/table-1",
        "enter?next=/x",
    ):
        page.goto(f"{hall.address}{path}")
        page.wait_for_selector("#link.live" if "overlay" not in path and "enter" not in path else "body")
        page.wait_for_timeout(300)
    assert {url for url in asked if not url.startswith((hall.address, "data:", "blob:"))} == set()
    assert any(url.endswith(".woff2") for url in asked)
    assert serious(page) == []
