"""The pages in a real browser over the real service, desk and journal; the sensors are scripted.

A foul happens and is ruled on; corrected, retracted, overturned; two referees at once; the server killed under open pages.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hall import Hall
from play import Game, pictures, serious
from playwright.sync_api import Browser, expect
from serving import PASSWORD

from table_engine.web.grants import Role
from table_engine.wire.observations import Envelope, HandFaces, Watermark
from table_engine.wire.seats import Seat

S0, S1, S2, S3 = Seat
FACES = ("1m", "2m", "3m", "4p", "5p", "6p", "7s", "8s", "2z", "2z", "2z", "3z", "3z")


def test_a_foul_is_shown_with_picture_and_clip_confirmed_and_stands_everywhere(
    hall: Hall, game: Game, come: Any
) -> None:
    console, overlay = come(hall, "referee"), come(hall, "overlay/table-1", Role.OVERLAY)
    overlay.wait_for_selector(".o-seat")
    alert = game.foul()
    assert [(node, name, data["key"]) for _, node, name, data in hall.node.asked] == [("cam", "evidence", alert.id)]
    pictures(hall, alert)
    console.locator(f".item[data-code='{alert.code}']").click()
    case = console.locator("#case")
    expect(case.locator(".verdict")).to_contain_text("14 standing tiles")
    expect(case).to_contain_text("RI-F7")
    expect(case).to_contain_text("No win and no call for the rest of the hand")
    expect(case.locator(".twin .still img")).to_have_count(2)
    for still in case.locator(".twin .still img").all():
        assert still.evaluate("image => image.decode().then(() => image.naturalWidth)") == 480
    case.get_by_role("button", name="One picture on").click()
    expect(case.locator(".player figcaption")).to_have_text("+0.2 s")
    expect(overlay.locator(".o-splash")).to_have_count(0)

    case.get_by_role("button", name="I take it").click()
    expect(console.locator(".item .tag", has_text="taken")).to_be_visible()
    case.get_by_role("button", name="Confirm").click()
    expect(overlay.locator(".o-splash.foul")).to_contain_text("RI-F7")
    expect(overlay.locator(".o-seat[data-seat='1'] .o-effect")).to_have_text("no win, no call")
    console.get_by_role("tab", name="Decided").click()
    expect(console.locator(".item")).to_contain_text("confirmed")
    assert serious(console) == []


def test_dismissed_with_a_reason_and_overturned(hall: Hall, game: Game, come: Any) -> None:
    console, overlay = come(hall, "referee"), come(hall, "overlay/table-1", Role.OVERLAY)
    overlay.wait_for_selector(".o-seat")
    alert = game.foul()
    console.locator(".item").click()
    console.locator("[data-act='dismiss']").click()
    dialog = console.locator("dialog[open]")
    dialog.get_by_role("button", name="Dismiss").click()
    expect(dialog).to_be_visible()  # a reason is asked for
    assert hall.hub.alert("table-1", alert.id)[0].state == "open"
    dialog.get_by_role("button", name="Seen otherwise at the table").click()
    dialog.get_by_role("button", name="Dismiss").click()
    expect(console.locator("#none")).to_be_visible()
    console.get_by_role("tab", name="Decided").click()
    console.locator(".item", has_text="dismissed").click()
    console.locator("[data-act='overturn']").click()
    console.locator("dialog[open] textarea").fill("the clip shows two tiles")
    console.locator("dialog[open]").get_by_role("button", name="Overturn").click()
    hall.until(lambda: hall.hub.alert("table-1", alert.id)[0].reason == "the clip shows two tiles")
    expect(overlay.locator(".o-seat[data-seat='1'] .o-effect")).to_have_text("no win, no call")


def test_a_corrected_count_takes_the_foul_back_everywhere(hall: Hall, game: Game, come: Any) -> None:
    console, overlay = come(hall, "referee"), come(hall, "overlay/table-1", Role.OVERLAY)
    overlay.wait_for_selector(".o-seat")
    alert = game.foul()
    console.locator(".item").click()
    console.locator("[data-act='confirm']").click()
    expect(overlay.locator(".o-splash.foul")).to_be_visible()
    drawn = [move.move for move in _moves(hall) if move.says == "South draws"]
    assert len(drawn) == 2
    assert hall.do("table-1", act="remove_move", move=drawn[1]).ok
    hall.until(lambda: hall.hub.alert("table-1", alert.id)[0].state != "confirmed")
    expect(overlay.locator(".o-splash.foul")).to_have_count(0)
    expect(overlay.locator(".o-effect")).to_have_count(0)


def test_a_tile_is_corrected_in_one_tap(hall: Hall, game: Game, come: Any) -> None:
    game.foul()
    console, table = come(hall, "referee#table-1"), come(hall, "table/table-1", Role.VIEWER)
    expect(table.locator(".seat[data-seat='0'] .pond .tile")).to_have_attribute("data-code", "1z")
    console.locator(".seat[data-seat='0'] .pond button.tile").click()
    dialog = console.locator("dialog[open]")
    assert dialog.locator(".likely .tile").first.get_attribute("data-code") == "3z"
    assert serious(console) == []
    dialog.locator(".likely .tile").first.click()
    expect(table.locator(".seat[data-seat='0'] .pond .tile")).to_have_attribute("data-code", "3z")


def test_two_referees_rule_once(hall: Hall, game: Game, come: Any) -> None:
    one, other = come(hall, "referee"), come(hall, "referee")
    alert = game.foul()
    for page in (one, other):
        page.locator(".item").click()
    one.get_by_role("button", name="I take it: table-1").click()
    expect(other.locator(".item")).to_contain_text("taken · referee")
    assert hall.do("table-1", act="confirm", alert=alert.id).ok
    again = hall.do("table-1", by="Mei", act="dismiss", alert=alert.id, reason="too late")
    assert not again.ok
    assert "Kai" in again.error
    for page in (one, other):
        expect(page.locator("#none")).to_be_visible()


def test_the_server_is_killed_and_restarted_under_open_pages(tmp_path: Path, come: Any) -> None:
    hall = Hall(tmp_path / "data")
    game = Game(hall)
    game.begin()
    alert = game.foul()
    console, overlay = come(hall, "referee"), come(hall, "overlay/table-1", Role.OVERLAY)
    console.locator(".item").click()
    overlay.wait_for_selector(".o-seat")
    port = hall.served.port
    hall.close()
    expect(console.locator("#link.lost")).to_be_visible()
    console.locator("[data-act='confirm']").click()
    expect(console.locator(".notice", has_text="is kept and sent")).to_be_visible()
    with Hall(tmp_path / "data", port=port) as again:
        expect(console.locator("#link.live")).to_be_visible(timeout=60_000)
        again.until(lambda: again.hub.alert("table-1", alert.id)[0].state == "confirmed", 60)
        expect(overlay.locator(".o-effect")).to_be_visible(timeout=60_000)


def test_obs_started_before_the_server(tmp_path: Path, browser: Browser) -> None:
    """The loader, saved on the streaming machine, waits for the server and goes on to the overlay."""
    first = Hall(tmp_path / "data")
    port, key = first.served.port, first.served.key(Role.OVERLAY)
    game = Game(first)
    game.begin()
    first.close()
    loader = Path(__file__).parents[2] / "table_engine/web/static/loader.html"
    context = browser.new_context(viewport={"width": 1920, "height": 1080})
    page = context.new_page()
    page.goto(f"{loader.as_uri()}?to=http://127.0.0.1:{port}/overlay/table-1%23key={key}")
    page.wait_for_timeout(500)
    assert "loader.html" in page.url
    with Hall(tmp_path / "data", port=port):
        page.wait_for_selector(".o-seat", timeout=60_000)
    context.close()


def test_hands_are_shown_sorted_with_waits_where_the_key_allows(hall: Hall, game: Game, come: Any) -> None:
    faces = HandFaces(seat=S2, tiles=tuple(reversed(FACES)))
    at_ms = game.script.now
    hall.say("table-1", [Envelope.of("racks", 1, 1, at_ms, at_ms, faces)], secret=True)
    hall.say("table-1", [Envelope.of("racks", 1, 2, at_ms + 600_000, at_ms, Watermark())], secret=True)
    allowed = come(hall, "overlay/table-1", Role.OVERLAY, hands=True, width=1920, height=1080)
    shown = allowed.locator(".o-seat[data-seat='2'] .o-rack .tile:not(.back)")
    expect(shown).to_have_count(len(FACES))
    assert [tile.get_attribute("data-code") for tile in shown.all()] == list(FACES)
    waits = allowed.locator(".o-seat[data-seat='2'] .wait .tile")
    assert [tile.get_attribute("data-code") for tile in waits.all()] == ["6s", "9s"]
    without = come(hall, "overlay/table-1", Role.OVERLAY, width=1920, height=1080)
    without.wait_for_selector(".o-seat")
    assert without.locator(".o-rack .tile:not(.back)").count() == 0
    assert without.evaluate("document.documentElement.scrollWidth <= innerWidth")
    looks = hall.served.accounts.looks()
    assert [(look.who, look.what) for look in looks] == [("overlay", "table-1")]


def test_phone(hall: Hall, game: Game, come: Any) -> None:
    page = come(hall, "referee", width=390, height=844, has_touch=True, is_mobile=True)
    game.foul()
    page.locator(".item").tap()
    expect(page.locator("[data-act='confirm']")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert serious(page) == []
    page.locator("[data-act='confirm']").tap()
    page.get_by_role("button", name="Back").tap()
    expect(page.locator("#none")).to_be_visible()


def test_keyboard_only(hall: Hall, game: Game, come: Any) -> None:
    page = come(hall, "referee")
    alert = game.foul()
    page.wait_for_selector(".item")
    page.keyboard.press("j")
    expect(page.locator("#case .verdict")).to_be_visible()
    page.keyboard.press("a")
    hall.until(lambda: hall.hub.alert("table-1", alert.id)[0].state == "acknowledged")
    page.wait_for_selector(".item[data-state='acknowledged']")
    page.keyboard.press("d")
    page.wait_for_selector("dialog[open]")
    page.keyboard.press("Tab")
    page.locator("dialog[open] textarea").focus()
    page.keyboard.type("recounted by hand")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    hall.until(lambda: hall.hub.alert("table-1", alert.id)[0].state == "dismissed")


def test_a_foul_nobody_saw_is_recorded_from_the_catalogue(hall: Hall, game: Game, come: Any) -> None:
    page = come(hall, "referee#table-1")
    page.locator("[data-tool='manual.foul']").click()
    dialog = page.locator("dialog[open]")
    dialog.get_by_role("searchbox").fill("looking at another")
    dialog.locator("[data-row='RI-F6']").click()
    dialog.locator("label", has_text="Chie").first.click()
    dialog.get_by_role("button", name="Record").click()
    expect(page.locator(".notice", has_text="recorded")).to_be_visible()
    hall.until(lambda: [a for a in hall.alerts() if a.rule == "RI-F6" and a.seat == S2])
    assert game.hall is hall


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_pages_have_no_serious_accessibility_findings(hall: Hall, game: Game, come: Any, scheme: str) -> None:
    game.foul()
    hall.served.accounts.make_person("Mei", PASSWORD, Role.ADMIN)
    page = come(hall, "venue", Role.ADMIN, color_scheme=scheme)
    for path in ("", "venue", "setup", "setup?#ports", "access", "table/table-1", "referee#table-1"):
        page.goto(hall.address + path)
        page.wait_for_selector("#link.live")
        page.wait_for_timeout(300)
        assert serious(page) == [], path


def test_pages_speak_the_language_asked_for(hall: Hall, game: Game, come: Any) -> None:
    game.foul()
    page = come(hall, "referee")
    for lang, word in (("zh-Hans", "多牌或少牌"), ("zh-Hant", "多牌或少牌"), ("ja", "多牌・少牌")):
        page.goto(f"{hall.address}referee?lang={lang}")
        expect(page.locator(".item")).to_contain_text(word)
        assert page.evaluate("document.documentElement.lang") == lang
        page.get_by_role("tab").nth(2).click()
        expect(page.locator(".item")).to_contain_text("Chie 打 西")


def _moves(hall: Hall) -> Any:
    from table_engine.account import moves_view

    desk = hall.desks["table-1"]
    return moves_view(desk.engine, desk.rules).moves


def test_a_count_is_corrected_in_one_tap(hall: Hall, game: Game, come: Any) -> None:
    """The foul was no foul: the rack is touched, then what stands there, and the alert goes."""
    alert = game.foul()
    console = come(hall, "referee#table-1")
    rack = console.locator(".seat[data-seat='1'] button.rack")
    expect(rack).to_have_attribute("title", "Correct a count: Ben, 14 in hand")
    rack.click()
    likely = console.locator("dialog[open] .numbers").first.get_by_role("button")
    assert likely.all_inner_texts() == ["13", "14"]
    assert serious(console) == []
    likely.first.click()
    hall.until(lambda: hall.hub.alert("table-1", alert.id)[0].state == "withdrawn")
    expect(rack).to_have_attribute("title", "Correct a count: Ben, 13 in hand")


def test_clocks_stop_run_on_and_get_more_time(tmp_path: Path, come: Any) -> None:
    """Taiwan 16: the match has a clock; a pause stands still for everybody, extra time is added."""
    with Hall(tmp_path / "data", ruleset="taiwan16") as hall:
        Game(hall, "taiwan16").begin()
        console, venue = come(hall, "referee#table-1"), come(hall, "venue", Role.OPERATOR)
        overlay = come(hall, "overlay/table-1?show=clocks", Role.OVERLAY)
        clock = overlay.locator(".o-match .o-clock")
        running = clock.inner_text()
        expect(clock).not_to_have_text(running)
        console.locator("[data-tool='pause']").click()
        expect(console.locator("[data-part='clocks'] .tag", has_text="paused")).to_be_visible()
        expect(venue.locator(".place .tag", has_text="paused")).to_be_visible()
        standing = clock.inner_text()
        overlay.wait_for_timeout(2_500)
        assert clock.inner_text() == standing
        console.locator("[data-tool='extra']").click()
        console.locator("dialog[open] [name='minutes']").fill("10")
        console.locator("dialog[open]").get_by_role("button", name="Extra time").click()
        expect(clock).to_have_text(f"{int(standing.split(':')[0]) + 10}:{standing.split(':')[1]}")
        console.locator("[data-tool='resume']").click()
        expect(console.locator("[data-part='clocks'] .tag", has_text="paused")).to_have_count(0)
        tag = console.locator("[data-part='clocks'] .tag b").first
        told = tag.inner_text()
        expect(tag).not_to_have_text(told)  # nobody moves, it runs


def test_five_seconds_are_counted_for_everybody_to_see(hall: Hall, game: Game, come: Any) -> None:
    assert game.hall is hall
    console, overlay = come(hall, "referee#table-1"), come(hall, "overlay/table-1", Role.OVERLAY)
    console.locator("[data-tool='five']").click()
    console.locator("dialog[open] label", has_text="Ben").click()
    console.locator("dialog[open]").get_by_role("button", name="Start").click()
    expect(console.locator("dialog[open] .five.over")).to_have_text("Over")
    expect(overlay.locator(".o-seat[data-seat='1'] .o-clock.counted.out")).to_have_text("0:00")
    console.locator("dialog[open]").get_by_role("button", name="Close").click()
    expect(console.locator("[data-part='acts']")).to_contain_text("counted five seconds")


def test_a_ruling_sheet_is_printed(hall: Hall, game: Game, come: Any) -> None:
    alert = game.foul()
    pictures(hall, alert)
    assert hall.do("table-1", by="Mei", act="confirm", alert=alert.id).ok
    page = come(hall, f"ruling/table-1/{alert.id}")
    sheet = page.locator("#sheet")
    for told in ("hall", "Ben", "RI-F7", "14 standing tiles", "confirmed · Mei", "Head referee"):
        expect(sheet).to_contain_text(told)
    for image in sheet.locator("img").all():
        assert image.evaluate("image => image.decode().then(() => image.naturalWidth)") == 480
    assert serious(page) == []
    paper = page.pdf(format="A4")
    assert paper.startswith(b"%PDF")
    assert len(paper) > 20_000  # with both pictures
    page.goto(f"{hall.address}ruling/table-1/nothing")
    expect(sheet).to_contain_text("no longer known")
    page.goto(f"{hall.address}ruling/kitchen/nothing")
    expect(sheet).to_contain_text("no such table")
