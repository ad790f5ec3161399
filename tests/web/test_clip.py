"""The clip of an alert on the console: it really plays, however late its pictures come, and goes on while others rule."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path
from typing import Any

from hall import Hall
from play import Game, clip_shows, pictures, play_clip
from playwright.sync_api import expect

PATIENCE_MS = 60_000


def test_the_clip_plays_on_the_console(hall: Hall, game: Game, come: Any) -> None:
    console = come(hall, "referee")
    alert = game.foul()
    pictures(hall, alert)
    console.locator(f".item[data-code='{alert.code}']").click()
    play_clip(console)
    frames = clip_shows(hall.until, console, 13)
    assert len({frame["sum"] for frame in frames}) == 13  # the ball is somewhere else in every picture
    assert min(frame["contrast"] for frame in frames) > 100
    times = [int(frame["at"].removesuffix(".jpg")) for frame in frames]
    assert all(after - before in (200, -2400) for before, after in itertools.pairwise(times)), times
    console.get_by_role("button", name="Stop").click()
    expect(console.get_by_role("button", name="Play")).to_be_visible(timeout=PATIENCE_MS)


def test_pictures_that_come_late_are_shown_and_played(hall: Hall, game: Game, come: Any) -> None:
    """The case is open before any camera has told; one tells the first half, then the rest, then a second camera its own."""
    console = come(hall, "referee")
    alert = game.foul()
    console.locator(f".item[data-code='{alert.code}']").click()
    expect(console.locator("#case")).to_contain_text("Pictures are being fetched", timeout=PATIENCE_MS)
    pictures(hall, alert)
    folder = hall.site.data / "evidence" / "table-1" / alert.id
    late = _half_away(folder / "cam", alert.at_ms)
    expect(console.locator(".twin .still")).to_have_count(1, timeout=PATIENCE_MS)
    play_clip(console)
    clip_shows(hall.until, console, 7)
    for path, data in late.items():
        path.write_bytes(data)
    clip_shows(hall.until, console, 13)
    expect(console.locator(".twin .still")).to_have_count(2, timeout=PATIENCE_MS)
    expect(console.get_by_role("button", name="Stop")).to_have_count(1)  # it never stopped
    shutil.copytree(folder / "cam", folder / "cam-2")
    expect(console.locator(".player")).to_have_count(2, timeout=PATIENCE_MS)


def test_the_clip_goes_on_while_somebody_else_takes_the_case(hall: Hall, game: Game, come: Any) -> None:
    console = come(hall, "referee")
    alert = game.foul()
    pictures(hall, alert)
    console.locator(f".item[data-code='{alert.code}']").click()
    play_clip(console)
    assert hall.do("table-1", by="Mei", act="acknowledge", alert=alert.id).ok
    expect(console.locator(".verdict")).to_contain_text("Mei", timeout=PATIENCE_MS)
    shown = console.evaluate("frames_.length")
    hall.until(lambda: console.evaluate("frames_.length") > shown + 5, PATIENCE_MS / 1000)
    expect(console.get_by_role("button", name="Stop")).to_have_count(1)


def _half_away(folder: Path, at_ms: int) -> dict[Path, bytes]:
    late = {path: path.read_bytes() for path in folder.glob("*.jpg") if int(path.stem) > at_ms}
    for path in late:
        path.unlink()
    return late
