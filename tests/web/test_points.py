"""What a ruling costs, as the room sees it: on the ledger, the venue's page and the overlay."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hall import Hall
from play import Game, pictures
from playwright.sync_api import expect

from table_engine.account import ledger_view
from table_engine.web.grants import Role
from table_engine.wire.ledger import LedgerView


def test_a_penalty_s_points_are_on_ledger_and_overlay_and_go_with_the_ruling(tmp_path: Path, come: Any) -> None:
    """Taiwan 16: whoever draws before it is the turn pays one tai for the hand."""
    with Hall(tmp_path / "data", ruleset="taiwan16") as hall:
        game = Game(hall, "taiwan16")
        game.begin()
        alert = game.early()
        console, venue = come(hall, "referee"), come(hall, "venue", Role.OPERATOR)
        overlay = come(hall, "overlay/table-1", Role.OVERLAY, width=1920, height=1080)
        pictures(hall, alert)
        scores = overlay.locator(".o-points")
        expect(scores).to_have_count(4)
        before = scores.all_inner_texts()
        fined = [point for point in alert.points if point]
        assert fined

        console.locator(f".item[data-code='{alert.code}']").click()
        expect(console.locator(".twin .still img")).to_have_count(2)
        console.locator("[data-act='confirm']").click()
        expect(overlay.locator(".o-splash.foul")).to_be_visible()
        after = [_plus(text, point) for text, point in zip(before, alert.points, strict=True)]
        assert after != before
        expect(scores).to_have_text(after)
        expect(venue.locator(".place .four b")).to_have_text(after)
        (line,) = _ledger(hall).hands
        assert [booking.points for booking in line.bookings] == [alert.points]

        console.get_by_role("tab", name="Decided").click()
        console.locator(".item").click()
        console.locator("[data-act='overturn']").click()
        console.locator("dialog[open] textarea").fill("it was another hand in the picture")
        console.locator("dialog[open]").get_by_role("button", name="Overturn").click()
        expect(scores).to_have_text(before)
        expect(overlay.locator(".o-splash.foul")).to_have_count(0)
        assert [booking for line in _ledger(hall).hands for booking in line.bookings] == []


def test_a_dismissed_foul_costs_nothing(tmp_path: Path, come: Any) -> None:
    with Hall(tmp_path / "data", ruleset="taiwan16") as hall:
        game = Game(hall, "taiwan16")
        game.begin()
        alert = game.early()
        overlay = come(hall, "overlay/table-1", Role.OVERLAY, width=1920, height=1080)
        scores = overlay.locator(".o-points")
        expect(scores).to_have_count(4)
        before = scores.all_inner_texts()
        assert hall.do("table-1", act="dismiss", alert=alert.id, reason="seen otherwise").ok
        hall.until(lambda: hall.hub.alert("table-1", alert.id)[0].state == "dismissed")
        overlay.wait_for_timeout(400)
        assert scores.all_inner_texts() == before
        expect(overlay.locator(".o-splash")).to_have_count(0)


def _ledger(hall: Hall) -> LedgerView:
    desk = hall.desks["table-1"]
    return ledger_view(desk.engine, desk.rules)


def _plus(text: str, points: int) -> str:
    """A number as the pages write it, so much higher."""
    return f"{int(text.replace(',', '').replace('−', '-')) + points:,}"
