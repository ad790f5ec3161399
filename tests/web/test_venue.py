"""The venue's page in a browser: who plays by which rules, when a match begins and ends, and what is taken away of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hall import Hall
from play import Game, serious
from playwright.sync_api import expect

from table_engine.web.grants import Role


def test_a_table_is_given_players_rules_and_a_match_on_the_page(hall: Hall, game: Game, come: Any) -> None:
    assert game.hall is hall
    page, table = come(hall, "venue", Role.OPERATOR), come(hall, "table/table-1", Role.VIEWER)
    place = page.locator(".place[data-table='table-1']")

    place.get_by_role("button", name="Players").click()
    dialog = page.locator("dialog[open]")
    dialog.locator("[name='n2']").fill("Mika")
    dialog.get_by_role("button", name="Save").click()
    expect(place.locator(".four")).to_contain_text("Mika")
    expect(table.locator(".seat[data-seat='2']")).to_contain_text("Mika")

    def choose(ruleset: str) -> None:
        place.get_by_role("button", name="Rules").click()
        page.locator("dialog[open] select").select_option(ruleset)
        assert serious(page) == []
        page.locator("dialog[open]").get_by_role("button", name="Save").click()

    choose("taiwan16")
    expect(page.locator(".notice.bad").last).to_contain_text("a hand is being played")
    assert hall.do("table-1", act="hand_ended", how="ruling").ok
    choose("taiwan16")
    expect(page.locator(".notice.bad").last).to_contain_text("the match is not over")
    place.get_by_role("button", name="End match").click()
    page.locator("dialog[open]").get_by_role("button", name="End match").click()
    expect(place.locator(".tag", has_text="match over")).to_be_visible()
    choose("taiwan16")
    expect(place).to_contain_text("Taiwan 16")
    expect(place.locator(".four")).to_contain_text("Mika")
    expect(place.locator(".tag", has_text="match over")).to_have_count(0)
    place.get_by_role("button", name="Start match").click()
    page.locator("dialog[open]").get_by_role("button", name="Start match").click()
    expect(page.locator(".notice", has_text="Saved").last).to_be_visible()

    Game(hall, "taiwan16").begin()
    hall.until(lambda: hall.desks["table-1"].engine.game.running)
    assert hall.desks["table-1"].rules.id == "taiwan16"
    kept = sorted(p.name for p in (hall.site.data / "journal").glob("table-1*.sqlite3"))
    assert len(kept) == 2


def test_sheets_are_taken_away(hall: Hall, game: Game, come: Any) -> None:
    alert = game.foul()
    assert hall.do("table-1", act="confirm", alert=alert.id).ok
    page = come(hall, "venue", Role.OPERATOR)
    for form, holds in (("results.csv", "Aki"), ("ruling.html", "RI-F7"), ("results.html", "<!doctype html>")):
        page.locator(".place").get_by_role("button", name="Export").click()
        page.locator("dialog[open] select").select_option(form)
        with page.expect_download() as taken:
            page.locator("dialog[open]").get_by_role("button", name="Export").click()
        assert taken.value.suggested_filename == f"table-1.{form}"
        assert holds in Path(taken.value.path()).read_text(encoding="utf-8")
