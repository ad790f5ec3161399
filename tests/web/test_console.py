"""The referee's console by itself: in which order alerts wait, what rings, what is muted, how old everything is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import boards
import pytest
from playwright.sync_api import Browser, Page, expect
from serving import Served, site_in

from table_engine.web.grants import Role
from table_engine.web.hub import Hub
from table_engine.wire.alerts import AlertEnded, AlertUpdated
from table_engine.wire.ledger import HandLine, LedgerView
from table_engine.wire.seats import WINDS, Seat

NOW_MS = 1_790_000_000_000
MINUTE_MS = 60_000
TABLES = ("table-1", "table-2")

RINGS = """
  window.rings = []; window.buzzes = [];
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (...at) { window.rings.push(this.frequency.value); return start.apply(this, at); };
  navigator.vibrate = (pattern) => window.buzzes.push(pattern);
"""


@pytest.fixture
def hub() -> Hub:
    hub = Hub(TABLES, table_ms=lambda _: NOW_MS)
    for table in TABLES:
        hub.publish_view(table, boards.view().model_copy(update={"table": table, "at_ms": NOW_MS - 30 * MINUTE_MS}))
    return hub


@pytest.fixture
def served(hub: Hub, tmp_path: Path) -> Iterator[Served]:
    one = Served(hub, site_in(tmp_path, *TABLES))
    yield one
    one.close()


@pytest.fixture
def console(browser: Browser, served: Served) -> Iterator[Callable[[], Page]]:
    context = browser.new_context(viewport={"width": 1300, "height": 900}, locale="en")
    context.add_init_script(RINGS)
    wrong: list[str] = []

    def opened() -> Page:
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(f"{served.address}enter?next=/referee#{served.key(Role.REFEREE)}")
        page.wait_for_selector("#link.live")
        page.wait_for_selector("#tabs button")
        return page

    yield opened
    context.close()
    assert wrong == []


def raise_(hub: Hub, ident: str, table: str = "table-1", age_ms: int = 0, **facts: object) -> None:
    hub.publish_alert(table, boards.raised(id=ident, table=table, at_ms=NOW_MS - age_ms, **facts))


def test_fouls_come_before_checks_and_the_old_before_the_new_over_all_tables(hub: Hub, console: Any) -> None:
    raise_(hub, "check-old", age_ms=9 * MINUTE_MS, severity="check")
    raise_(hub, "foul-new", age_ms=1000)
    raise_(hub, "foul-old", "table-2", age_ms=5 * MINUTE_MS)
    raise_(hub, "foul-older", age_ms=7 * MINUTE_MS, incident="foul-older")
    raise_(hub, "its-check", age_ms=2000, severity="check", incident="foul-older")
    page = console()
    expect(page.locator(".item")).to_have_count(5)
    assert _queue(page) == ["foul-older", "its-check", "foul-old", "foul-new", "check-old"]
    assert page.locator("li.follows .item").get_attribute("data-key") == "table-1/its-check"


def test_ages_are_the_table_s_whenever_the_page_was_opened(hub: Hub, console: Any) -> None:
    """The last move is half an hour old, this device's clock is wrong: an alert of seven minutes ago is seven minutes old."""
    raise_(hub, "a1", age_ms=7 * MINUTE_MS)
    for _ in range(2):
        page = console()
        expect(page.locator(".item .age")).to_have_text(re.compile(r"^7:\d\d$"))


def test_what_rings_and_what_is_muted(hub: Hub, console: Any) -> None:
    raise_(hub, "there-before")
    page = console()
    page.locator("#sound").click()  # a gesture wakes the sound up, and switches it off
    page.locator("#sound").click()
    page.evaluate("rings.length = buzzes.length = 0")

    raise_(hub, "c1", severity="check")
    expect(page.locator(".item")).to_have_count(2)
    assert (page.evaluate("rings"), page.evaluate("buzzes")) == ([587], [[120]])
    raise_(hub, "f1", "table-2")
    expect(page.locator(".item")).to_have_count(3)
    assert (len(page.evaluate("rings")), page.evaluate("buzzes.at(-1)")) == (4, [180, 80, 180])
    check, foul = boards.alert(id="c1", severity="check"), boards.alert(id="c1", at_ms=NOW_MS)
    hub.publish_alert("table-1", AlertUpdated(before=check, after=foul))
    expect(page.locator(".item[data-key='table-1/c1'].foul")).to_be_visible()
    assert len(page.evaluate("rings")) == 7  # a check that has become a foul is news

    _mute(page, "table:table-2", "code:dead_hand")
    expect(page.locator("#mutes")).to_contain_text("2")
    raise_(hub, "f2", "table-2")
    raise_(hub, "f3", code="dead_hand")
    expect(page.locator(".item")).to_have_count(5)
    assert len(page.evaluate("rings")) == 7
    raise_(hub, "f4")
    expect(page.locator(".item")).to_have_count(6)
    assert len(page.evaluate("rings")) == 10
    page.reload()  # remembered in this browser
    expect(page.locator("#mutes")).to_contain_text("2")


def test_a_browser_that_remembers_nonsense_still_shows_the_queue(hub: Hub, console: Any) -> None:
    raise_(hub, "a1")
    page = console()
    page.evaluate("localStorage.setItem('jantaku.mutes', '{broken'); localStorage.setItem('jantaku.lang', 'tlh')")
    page.reload()
    expect(page.locator(".item")).to_have_count(1)


def test_appeals_wait_first_and_tell_the_time_that_is_left(hub: Hub, console: Any) -> None:
    for ident, facts in (("plain", {}), ("appealed", {"appeal": "open"}), ("match-before", {"hand": 1})):
        one = boards.alert(id=ident, at_ms=NOW_MS, state="confirmed", by="Mei", **{"hand": 5, **facts})
        hub.publish_alert("table-1", AlertEnded(before=one, after=one, reason=""))
    hub.publish("table-1", "ledger", _over(NOW_MS + 10 * MINUTE_MS))
    page = console()
    expect(page.get_by_role("tab", name="Decided")).to_contain_text("1")  # an appeal to be heard
    page.get_by_role("tab", name="Decided").click()
    rows = page.locator(".item")
    assert rows.first.get_attribute("data-key") == "table-1/appealed"
    left = page.locator("[data-key='table-1/plain'] [data-until]")
    expect(left).to_have_text(re.compile(r"^appeals for (10:00|9:\d\d)$"))
    first = left.inner_text()
    expect(left).not_to_have_text(first)  # it runs
    expect(page.locator("[data-key='table-1/match-before'] [data-until]")).to_have_count(0)
    hub.publish("table-1", "ledger", _over(NOW_MS - 1))
    expect(left).to_have_text("no more appeals")


def _queue(page: Page) -> list[str]:
    keys = (item.get_attribute("data-key") or "" for item in page.locator(".item").all())
    return [key.partition("/")[2] for key in keys]


def _mute(page: Page, *names: str) -> None:
    page.locator("#mutes").click()
    for name in names:
        page.locator(f"dialog[open] input[name='{name}']").check()
    page.locator("dialog[open]").get_by_role("button", name="Save").click()


def _over(until_ms: int) -> LedgerView:
    hand = HandLine(hand=1, number=5, dealer=Seat.S0, round_wind="east", winds=WINDS)
    return LedgerView(
        table="table-1", ruleset="chinese_official", match=2, hands=(hand,), over=True, appeals_until_ms=until_ms
    )
