"""The page in a real browser."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

from table_engine.web.hub import Hub
from table_engine.web.server import WebServer

sys.path.insert(0, str(Path(__file__).parent))
import boards

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine; make test installs it as root")
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="module")
def browser() -> Iterator[object]:
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
        yield browser
        browser.close()


@pytest.fixture
def hub() -> Hub:
    hub = Hub(("table-1",))
    hub.publish_view("table-1", boards.view(), "South draws")
    return hub


@pytest.fixture
def page(browser: object, hub: Hub) -> Iterator[object]:
    server = WebServer(hub, "127.0.0.1", 0, "http://127.0.0.1:9/")
    page = browser.new_page(viewport={"width": 1500, "height": 950})
    page.wrong = []
    page.on("pageerror", lambda error: page.wrong.append(str(error)))
    page.goto(server.address)
    page.wait_for_selector("#link.live")
    page.server = server
    yield page
    page.close()
    server.close()


def test_table_is_drawn(page: object) -> None:
    page.wait_for_selector(".seat")
    assert page.locator(".pond .tile").count() == 4 * len(boards.POND)
    assert page.locator(".meld .tile").count() == 12
    assert page.locator(".standing").count() == 40
    assert page.locator(".seat.turn").get_attribute("data-seat") == "1"
    assert page.locator("#centre .wall").inner_text() == "43"
    assert page.wrong == []


def test_every_tile_picture_loads(page: object) -> None:
    page.wait_for_selector(".seat")
    broken = page.evaluate(
        """async () => {
          const urls = [...document.querySelectorAll('.tile')].map(t => t.style.backgroundImage.slice(5, -2));
          const bad = [];
          for (const url of new Set(urls)) { const r = await fetch(url); if (!r.ok) bad.push(url); }
          return bad;
        }"""
    )
    assert broken == []


def test_melds_and_ponds_do_not_overlap_racks(page: object) -> None:
    page.wait_for_selector(".seat")
    boxes = {
        part: page.locator(f".seat[data-seat='0'] .{part}").bounding_box()
        for part in ("pond", "strip", "flowers", "rack")
    }
    table = page.locator("#table").bounding_box()
    for part, box in boxes.items():
        assert box["y"] + box["height"] <= table["y"] + table["height"], part
    assert boxes["pond"]["y"] + boxes["pond"]["height"] < boxes["strip"]["y"]
    assert boxes["strip"]["y"] + boxes["strip"]["height"] < boxes["rack"]["y"]


def test_alert_appears_and_is_withdrawn(page: object, hub: Hub) -> None:
    from table_engine.wire.alerts import AlertEnded

    hub.publish_alert("table-1", boards.raised())
    page.wait_for_selector(".alert[data-rule='RI-F7']:not(.ended)")
    assert "14 tiles" in page.locator(".alert").first.inner_text()
    assert not page.locator("#quiet").is_visible()
    hub.publish_alert(
        "table-1", AlertEnded(before=boards.alert(), after=boards.alert(state="withdrawn"), reason="recounted: 13")
    )
    page.wait_for_selector(".alert.ended")
    assert "recounted: 13" in page.locator(".alert.ended").inner_text()
    assert page.locator("#quiet").is_visible()


def test_page_reconnects_to_a_restarted_server(page: object, hub: Hub) -> None:
    port = int(page.server.address.rsplit(":", 1)[1].strip("/"))
    page.server.close()
    page.wait_for_selector("#link.lost")
    page.server = WebServer(hub, "127.0.0.1", port)
    hub.publish_view("table-1", boards.view(2, "West discards"))
    page.wait_for_selector("#link.live", timeout=15000)
    expect(page.locator("#hand")).to_contain_text("West discards")
    page.server.close()


def test_demo_panel_says_when_nothing_answers(page: object) -> None:
    page.locator("button[data-act='too_many']").click()
    expect(page.locator("#said")).to_contain_text("does not answer")


def test_phone(page: object) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
