"""What the tests of the pages share: a browser, and the helpers of neighbouring rooms by name."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "fusion"))

if TYPE_CHECKING:
    from hall import Hall
    from play import Game
    from playwright.sync_api import Browser, Page

    from table_engine.web.grants import Role

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
PATIENCE_MS = 60_000
"""How long a page may take on a busy machine; playwright's own 5 s are a timing nobody asked for."""
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
    """The system's Chromium, headless."""
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine; make test installs it as root")
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
        yield browser
        browser.close()


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    from hall import Hall

    one = Hall(tmp_path / "data")
    yield one
    one.close()


@pytest.fixture
def game(hall: Hall) -> Game:
    from play import Game

    one = Game(hall)
    one.begin()
    return one


@pytest.fixture
def come(browser: Browser) -> Iterator[Any]:
    """Opens a page with a key: `come(hall, "referee", Role.REFEREE, width=…)`. No page may have thrown anything."""
    from table_engine.web.grants import Role

    contexts, wrong = [], []

    def opened(hall: Hall, path: str, role: Role | None = None, **look: Any) -> Page:
        size = {"width": look.pop("width", 1300), "height": look.pop("height", 900)}
        rights = {name: look.pop(name) for name in ("hands", "delay_s") if name in look}
        context = browser.new_context(viewport=size, locale="en", **look)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.set_default_timeout(PATIENCE_MS)
        key = hall.served.key(role or Role.REFEREE, **rights)
        if path.startswith("overlay"):
            page.goto(f"{hall.address}{path}#key={key}")
        else:
            page.goto(f"{hall.address}enter?next=/{path.replace('#', '%23')}#{key}")
            page.wait_for_url(lambda url: "/enter" not in url)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert wrong == []
