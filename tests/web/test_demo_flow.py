"""The whole way in one browser: the demo's virtual table fouls, its camera's pictures stand beside the alert, it is confirmed."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from demonstration import PATIENCE_MS, demonstrated, visited
from play import clip_shows, play_clip
from playwright.sync_api import Browser, expect

pytestmark = [pytest.mark.slow, pytest.mark.timeout(420)]


def test_a_foul_at_the_virtual_table_is_ruled_on_with_pictures(browser: Browser, tmp_path: Path) -> None:
    with visited(browser) as context, demonstrated(tmp_path, "--speed", "2", ends_s=60) as demo:
        table, console, overlay = (context.new_page() for _ in range(3))
        table.goto(demo.link)
        table.wait_for_selector(".doors a")
        overlay.goto(f"{demo.address}/overlay/table-1")
        overlay.wait_for_selector(".o-seat")
        faces = overlay.locator(".o-rack .tile:not(.back)")  # the demo's racks read tags
        expect(faces.nth(38)).to_be_visible(timeout=PATIENCE_MS)  # all are dealt, whatever was called since
        console.goto(f"{demo.address}/referee")
        table.goto(f"{demo.address}/table/table-1")
        table.locator("[data-act='too_many']").click()
        expect(table.locator("#said")).to_contain_text("as soon as it can", timeout=PATIENCE_MS)

        console.locator(".item[data-code='tile_count']").click()
        stills = console.locator(".twin .still img")
        expect(stills.first).to_be_visible(timeout=PATIENCE_MS)
        assert stills.first.evaluate("image => image.decode().then(() => image.naturalWidth)") > 300
        play_clip(console)
        frames = clip_shows(_until, console, 8)
        assert len({frame["sum"] for frame in frames}) >= 2  # somebody moved
        assert min(frame["contrast"] for frame in frames) > 100
        console.get_by_role("button", name="Stop").click()
        console.locator("[data-act='confirm']").click()
        expect(overlay.locator(".o-splash.foul")).to_contain_text("RI-F7", timeout=PATIENCE_MS)
        expect(overlay.locator(".o-effect")).to_have_text("no win, no call", timeout=PATIENCE_MS)
        console.get_by_role("tab", name="Decided").click()
        expect(console.locator(".item")).to_contain_text("confirmed · demo")


def _until(true: Callable[[], Any], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.1)
