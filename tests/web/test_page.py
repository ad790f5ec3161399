"""The live page of a table in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import boards
import pytest
from playwright.sync_api import Browser, Page, expect
from serving import Served, site_in

from table_engine.web.grants import Role
from table_engine.web.hub import Hub
from table_engine.wire.alerts import AlertEnded


@pytest.fixture
def hub() -> Hub:
    hub = Hub(("table-1",))
    hub.publish_view("table-1", boards.view(), "South draws")
    return hub


@pytest.fixture
def served(hub: Hub, tmp_path: Path) -> Iterator[Served]:
    one = Served(hub, site_in(tmp_path, demo="http://127.0.0.1:9/"))
    yield one
    one.close()


@pytest.fixture
def page(browser: Browser, served: Served) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1500, "height": 950}, locale="en")
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(f"{served.address}enter?next=/table/table-1#{served.key(Role.ADMIN)}")
    page.wait_for_selector("#link.live")
    page.wait_for_selector(".seat")
    yield page
    context.close()
    assert wrong == []


def test_table_is_drawn(page: Page) -> None:
    assert page.locator(".pond .tile").count() == 4 * len(boards.POND)
    assert page.locator(".meld .tile").count() == 12
    assert page.locator(".standing").count() == 40
    assert page.locator(".seat.turn").get_attribute("data-seat") == "1"
    assert page.locator(".centre .wall").inner_text() == "43"


def test_every_tile_picture_loads(page: Page) -> None:
    broken = page.evaluate(
        """async () => {
          const faces = [...document.querySelectorAll('.tile')].filter(t => t.style.backgroundImage);
          const bad = [];
          for (const url of new Set(faces.map(t => t.style.backgroundImage.slice(5, -2)))) {
            if (!(await fetch(url)).ok) bad.push(url);
          }
          return [faces.length, bad];
        }"""
    )
    assert broken[0] > 40
    assert broken[1] == []


def test_our_fonts_are_used(page: Page) -> None:
    assert page.evaluate("document.fonts.ready.then(() => document.fonts.check('16px Jantaku'))")
    assert page.evaluate("getComputedStyle(document.body).fontFamily").startswith("Jantaku")


def test_melds_and_ponds_do_not_overlap_racks(page: Page) -> None:
    boxes = {
        part: page.locator(f".seat[data-seat='0'] .{part}").bounding_box()
        for part in ("pond", "strip", "flowers", "rack")
    }
    table = page.locator("#table").bounding_box()
    for part, box in boxes.items():
        assert box["y"] + box["height"] <= table["y"] + table["height"], part
    assert boxes["pond"]["y"] + boxes["pond"]["height"] < boxes["strip"]["y"]
    assert boxes["strip"]["y"] + boxes["strip"]["height"] < boxes["rack"]["y"]


def test_alert_appears_and_is_withdrawn(page: Page, hub: Hub) -> None:
    hub.publish_alert("table-1", boards.raised())
    expect(page.locator(".alert[data-rule='RI-F7']:not(.ended)")).to_contain_text("14 tiles")
    assert not page.locator("#quiet").is_visible()
    withdrawn = boards.alert(state="withdrawn")
    hub.publish_alert("table-1", AlertEnded(before=boards.alert(), after=withdrawn, reason="recounted: 13"))
    expect(page.locator(".alert.ended")).to_contain_text("recounted: 13")
    assert page.locator("#quiet").is_visible()


def test_guests_are_asked_in_first(browser: Browser, served: Served) -> None:
    context = browser.new_context(locale="en")
    page = context.new_page()
    page.goto(f"{served.address}table/table-1")
    expect(page.get_by_role("heading", name="Log in")).to_be_visible()
    assert page.url.endswith("/enter?next=%2Ftable%2Ftable-1")
    context.close()


def test_demo_panel_says_when_nothing_answers(page: Page) -> None:
    page.locator("button[data-act='too_many']").click()
    expect(page.locator("#said")).to_contain_text("does not answer")


def test_phone(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
