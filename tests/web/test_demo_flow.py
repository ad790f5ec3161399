"""The whole way in one browser: the demo's virtual table fouls, its camera's pictures stand beside the alert, it is confirmed."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from play import clip_shows, play_clip
from playwright.sync_api import Browser, expect

pytestmark = [pytest.mark.slow, pytest.mark.timeout(420)]
PATIENCE_MS = 180_000


def test_a_foul_at_the_virtual_table_is_ruled_on_with_pictures(browser: Browser, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as one:
        port = one.getsockname()[1]
    log, folder = tmp_path / "demo.log", tmp_path / "demo"
    command = (sys.executable, "-m", "jantaku", "demo", "--port", str(port), "--folder", str(folder), "--speed", "2")
    with log.open("wb") as out:
        demo = subprocess.Popen([*command, "--pace", "brisk"], stdout=out, stderr=out, stdin=subprocess.DEVNULL)
    context = browser.new_context(locale="en", viewport={"width": 1400, "height": 900})
    context.set_default_timeout(PATIENCE_MS)
    wrong: list[str] = []
    context.on("weberror", lambda error: wrong.append(str(error.error)))
    try:
        link = ""
        while not link:
            assert demo.poll() is None, log.read_text()
            link = next(iter(re.findall(r"Open (\S+enter#\S+)", log.read_text())), "")
        table, console, overlay = (context.new_page() for _ in range(3))
        table.goto(link)
        table.wait_for_selector(".doors a")
        overlay.goto(f"http://127.0.0.1:{port}/overlay/table-1")
        overlay.wait_for_selector(".o-seat")
        faces = overlay.locator(".o-rack .tile:not(.back)")  # the demo's racks read tags
        expect(faces.nth(38)).to_be_visible(timeout=PATIENCE_MS)  # all are dealt, whatever was called since
        console.goto(f"http://127.0.0.1:{port}/referee")
        table.goto(f"http://127.0.0.1:{port}/table/table-1")
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
        demo.send_signal(signal.SIGINT)
        assert demo.wait(60) == 0, log.read_text()
        assert wrong == []
    finally:
        context.close()
        if demo.poll() is None:
            demo.kill()
            demo.wait()


def _until(true: Callable[[], Any], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.1)
