"""The stream overlay: what its address switches on and off, themes, 9:16, offset, the debug line, splashes taken back."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import boards
import pytest
from playwright.sync_api import Browser, Page, expect
from serving import Served, site_in

from table_engine.web.grants import Role
from table_engine.web.hub import Hub
from table_engine.wire.alerts import AlertEnded
from table_engine.wire.hands import HandsView, HandView, WaitView
from table_engine.wire.ledger import ClocksView, LedgerView, StandingLine
from table_engine.wire.seats import SEATS, Seat

NOW_MS = 1_790_000_000_000
HAND = HandView(
    tiles=("1m", "2m", "3m", "4p", "5p", "6p", "7s", "8s", "2z", "2z"), waits=(WaitView(tile="9s", left=3),), distance=0
)
ELEMENTS = {
    "match": ".o-match > b",
    "names": "header > b",
    "ponds": ".o-pond",
    "melds": ".o-melds",
    "hands": ".o-rack",
    "waits": ".o-waits",
    "scores": ".o-points",
    "clocks": ".o-clock",
    "dora": ".o-dora",
    "wall": ".o-wall",
}


@pytest.fixture
def hub() -> Hub:
    hub = Hub(("table-1",), table_ms=lambda _: NOW_MS)
    hub.publish_view("table-1", boards.view())
    lines = tuple(
        StandingLine(seat=seat, points=25_000, hands=1, penalties=0, foul_points=0, rank=1, ranked=True)
        for seat in SEATS
    )
    hub.publish("table-1", "ledger", LedgerView(table="table-1", ruleset="riichi", match=1, standings=lines))
    hub.publish("table-1", "clocks", clocks())
    hub.publish_hands("table-1", HandsView(seats=(HAND, HAND, HAND, HAND)))
    return hub


@pytest.fixture
def served(hub: Hub, tmp_path: Path) -> Iterator[Served]:
    own = tmp_path / "themes"
    own.mkdir()
    (own / "club.css").write_text(":root { --o-accent: rgb(1, 2, 3); }", encoding="utf-8")
    one = Served(hub, site_in(tmp_path, themes=own))
    yield one
    one.close()


@pytest.fixture
def overlay(browser: Browser, served: Served) -> Iterator[Callable[..., Page]]:
    wrong: list[str] = []
    contexts = []

    def opened(query: str = "", width: int = 1920, height: int = 1080, table: str = "table-1", **rights: Any) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, locale="en")
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        key = served.key(Role.OVERLAY, **{"hands": True, **rights})
        page.goto(f"{served.address}overlay/{table}?{query}#key={key}")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert wrong == []


def clocks(**changes: Any) -> ClocksView:
    facts = {
        "now_ms": NOW_MS,
        "match_began_ms": NOW_MS - 1,
        "match_ends_ms": NOW_MS + 600_000,
        "turn": Seat.S1,
        "turn_began_ms": NOW_MS,
        "turn_ends_ms": NOW_MS + 15_000,
    }
    return ClocksView.model_validate(facts | changes)


def test_everything_is_shown_when_nothing_is_asked_for(overlay: Any) -> None:
    page = overlay()
    for element in ELEMENTS.values():
        expect(page.locator(element).first).to_be_visible()


@pytest.mark.parametrize("name", ELEMENTS)
def test_every_element_can_be_shown_alone_and_left_out(overlay: Any, name: str) -> None:
    """One by itself shows nothing else, and all the others miss nothing but it."""
    alone = overlay(f"show={name}")
    expect(alone.locator(ELEMENTS[name]).first).to_be_visible()
    rest = overlay(f"show={','.join(other for other in ELEMENTS if other != name)}")
    for other, element in ELEMENTS.items():
        if other == name:
            continue
        expect(rest.locator(element).first).to_be_visible()
        assert alone.locator(element).count() == 0, other
    assert rest.locator(ELEMENTS[name]).count() == 0


def test_splashes_can_be_left_out_and_one_taken_back_goes_at_once(overlay: Any, hub: Hub) -> None:
    page, without = overlay(), overlay("show=names")
    for one in (page, without):
        one.wait_for_selector(".o-seat")
    open_, ruled = boards.alert(), boards.alert(state="confirmed", by="Mei")
    hub.publish_alert("table-1", AlertEnded(before=open_, after=ruled, reason=""))
    expect(page.locator(".o-splash.foul")).to_contain_text("RI-F7")
    hub.publish_alert(
        "table-1", AlertEnded(before=ruled, after=boards.alert(state="overturned"), reason="seen otherwise")
    )
    expect(page.locator(".o-splash")).to_have_count(0)
    assert without.locator(".o-splash").count() == 0


def test_a_splash_is_not_shown_again_when_the_server_begins_anew(overlay: Any, hub: Hub, served: Served) -> None:
    page = overlay()
    page.wait_for_selector(".o-seat")
    ruled = AlertEnded(before=boards.alert(), after=boards.alert(state="confirmed"), reason="")
    hub.publish_alert("table-1", ruled)
    page.wait_for_selector(".o-splash.foul")
    expect(page.locator(".o-splash")).to_have_count(0)  # its seconds are over
    page.evaluate(
        """() => { window.splashes = 0;
          new MutationObserver((all) => all.forEach((one) => { splashes += one.addedNodes.length; }))
            .observe(document.getElementById('splash'), { childList: true }); }"""
    )
    served.server.close()
    fresh = Hub(("table-1",), table_ms=lambda _: NOW_MS)
    fresh.publish_view("table-1", boards.view(77))
    again = Served(
        fresh, served.site.model_copy(update={"web": served.site.web.model_copy(update={"port": served.port})})
    )
    try:
        expect(page.locator(".o-seat")).to_have_count(4)
        _until(lambda: fresh._bells, "the overlay never came back")
        fresh.publish_alert("table-1", ruled)
        fresh.publish_view("table-1", boards.view(78).model_copy(update={"wall_left": 12}))
        expect(page.locator(".o-wall")).to_contain_text("12")
        assert page.evaluate("splashes") == 0
    finally:
        again.close()


def test_a_clock_runs_against_whose_turn_it_is_and_a_count_goes_before(overlay: Any, hub: Hub) -> None:
    page = overlay("show=clocks")
    turn = page.locator(".o-seat[data-seat='1'] .o-clock")
    expect(turn).to_contain_text("0:1")
    expect(page.locator(".o-seat .o-clock")).to_have_count(1)
    hub.publish("table-1", "clocks", clocks(counted=Seat.S1, count_ends_ms=NOW_MS + 5_000))
    expect(page.locator(".o-seat .o-clock.counted.out")).to_have_text("0:00")
    hub.publish("table-1", "clocks", clocks(turn=None, turn_ends_ms=None, paused=True))
    expect(page.locator(".o-seat .o-clock")).to_have_count(0)
    expect(page.locator(".o-match .o-clock")).to_have_text("10:00")


def test_an_upright_source_has_the_layout_of_9_to_16_whenever_it_became_one(overlay: Any) -> None:
    page = overlay("theme=paper", 1080, 1920)
    page.wait_for_selector(".o-seat")
    assert page.evaluate("document.documentElement.dataset.layout") == "tall"
    boxes = [seat.bounding_box() for seat in page.locator(".o-seat").all()]
    assert all(above["y"] + above["height"] <= below["y"] for above, below in itertools.pairwise(boxes))
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= 1080 and box["y"] + box["height"] <= 1920 for box in boxes)
    page.set_viewport_size({"width": 1920, "height": 1080})
    expect(page.locator("html")).to_have_attribute("data-layout", "sides")


def test_a_theme_of_the_venue_s_own_folder(overlay: Any) -> None:
    page = overlay("theme=club")
    page.wait_for_selector(".o-match > b")
    expect(page.locator(".o-match > b")).to_have_css("color", "rgb(1, 2, 3)")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgba(0, 0, 0, 0)"


def test_graphics_come_later_by_the_offset(overlay: Any, hub: Hub) -> None:
    page, at_once = overlay("offset=1500"), overlay()
    for one in (page, at_once):
        one.wait_for_selector(".o-seat")
        one.evaluate(
            """() => new MutationObserver(() => {
              if (!window.shown && document.querySelector('.o-wall')?.textContent.startsWith('7 ')) window.shown = Date.now();
            }).observe(document.body, { childList: true, subtree: true })"""
        )
    hub.publish_view("table-1", boards.view(5).model_copy(update={"wall_left": 7}))
    for one in (page, at_once):
        expect(one.locator(".o-wall")).to_contain_text("7 ")
    assert page.evaluate("shown") - at_once.evaluate("shown") >= 1000  # 1,500 but for how busy the machine is


def test_the_badge_is_the_producer_s_only(overlay: Any, served: Served) -> None:
    page, debug = overlay(), overlay("debug=1&show=names,pond")
    for one in (page, debug):
        one.wait_for_selector(".o-seat")
    expect(debug.locator("#debug")).to_contain_text("live")
    expect(debug.locator("#debug")).to_contain_text("pond?")
    served.server.close()
    expect(debug.locator("#debug.stale")).to_contain_text("trying again")
    assert not page.locator("#debug").is_visible()
    assert page.locator(".o-seat").count() == 4  # the last picture stays


def test_a_wrong_key_and_an_unknown_table_show_nothing_and_say_so_to_the_producer(overlay: Any, served: Served) -> None:
    page = overlay("debug=1", table="kitchen")
    expect(page.locator("#debug.stale")).to_contain_text("no such table")
    page.goto("about:blank")
    page.goto(f"{served.address}overlay/table-1?debug=1#key=00000000.nonsense")
    expect(page.locator("#debug.stale")).to_contain_text("not allowed")
    assert not page.locator("#stage").is_visible()


def test_names_of_any_length_stay_in_their_panel(overlay: Any, hub: Hub) -> None:
    view = boards.view(9)
    names = ("W" * 60, "👩‍👩‍👧‍👦🀄" * 12, "寿限無寿限無五劫の擦り切れ海砂利水魚の水行末雲来末風来末" * 2, "<b>x</b>")
    seats = tuple(seat.model_copy(update={"name": name}) for seat, name in zip(view.seats, names, strict=True))
    hub.publish_view("table-1", view.model_copy(update={"seats": seats}))
    for size in ({"width": 1920, "height": 1080}, {"width": 1080, "height": 1920}):
        page = overlay("", **size)
        expect(page.locator("header > b").last).to_have_text("<b>x</b>")
        for seat in page.locator(".o-seat").all():
            assert seat.evaluate("seat => seat.scrollWidth <= seat.clientWidth")
            assert seat.locator(".o-points").is_visible()


def _until(true: Callable[[], Any], what: str) -> None:
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end, what
        time.sleep(0.05)
