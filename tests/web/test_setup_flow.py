"""A new table from nothing to a ruling in one browser: put up, added, calibrated, its tile set learnt, tried, and a foul ruled on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from demonstration import PATIENCE_MS, Demo, demonstrated, visited
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect
from playwright.sync_api import TimeoutError as Late

from table_engine.wire.kept import load_kept

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
TABLE, CAMERA = "table-2", "overhead"


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[Demo]:
    with demonstrated(tmp_path, "--fps", "8", ends_s=90) as one:
        yield one


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    with visited(browser) as one:
        yield one


def test_a_second_table_is_set_up_and_a_foul_at_it_is_ruled_on(demo: Demo, context: BrowserContext) -> None:
    page = context.new_page()
    page.goto(demo.link.replace("enter#", "enter?next=/setup#"))
    _added(page)
    _found_and_previewed(page)
    _calibrated(page, demo)
    _learnt(page, demo)
    _tried(page)
    _ruled_on(context, demo)


def _added(page: Page) -> None:
    page.get_by_role("button", name="Add a table").click()
    page.locator("[data-act='table']").click()
    camera = page.locator("#newtable").get_by_label("Camera")
    expect(camera).to_have_value(re.compile(r"^http://127\.0\.0\.1:\d+/stream\.mjpg$"), timeout=PATIENCE_MS)
    expect(page.locator("#newtable").get_by_label("Port")).to_have_value(re.compile("serial$"), timeout=PATIENCE_MS)
    page.locator("[data-do='add-table']").click()
    expect(page.locator("#which")).to_have_value(TABLE, timeout=PATIENCE_MS)


def _found_and_previewed(page: Page) -> None:
    picture = page.get_by_alt_text(f"Picture of camera {CAMERA}")
    expect(picture).to_be_visible(timeout=PATIENCE_MS)
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 300
    expect(page.locator(f"[data-health='{CAMERA}']")).to_have_text("online", timeout=PATIENCE_MS)
    page.goto(page.url.replace("#cameras", "#ports"))
    expect(page.locator("[data-health='controller']")).to_have_text("online", timeout=PATIENCE_MS)
    expect(page.locator("[data-counters='controller'] span").first).to_be_visible(timeout=PATIENCE_MS)


def _calibrated(page: Page, demo: Demo) -> None:
    """By its markers at once, then by corners that are pushed aside and back, the seats turned, the walls' zone moved."""
    page.get_by_role("button", name="Calibration").click()
    check = page.locator("[data-check='fits']")
    expect(check).to_contain_text("fits to", timeout=PATIENCE_MS)
    ponds = page.locator("svg .z-pond")
    expect(ponds).to_have_count(4, timeout=PATIENCE_MS)
    page.locator("[data-do='corners']").click()
    handle = page.locator(".handle").first
    handle.focus()
    handle.press("ArrowRight")
    page.locator(".handle").first.press("ArrowLeft")
    page.locator("[data-do='keep-corners']").click()
    _saved(page)
    expect(page.get_by_text("by four corners")).to_be_visible(timeout=PATIENCE_MS)
    expect(check).to_be_visible(timeout=PATIENCE_MS)
    expect(ponds).to_have_count(4, timeout=PATIENCE_MS)
    kept = load_kept(demo.folder / "data").tables[TABLE].cameras[CAMERA]
    assert (kept.calibration, len(kept.corners_px or ())) == ("corners", 4)

    page.get_by_text("Move the zones").click()
    page.locator("[data-zone='wall_mm']").press("ArrowRight")
    before = page.locator("svg .z-wall").first.get_attribute("points")
    page.locator("[data-do='keep-zones']").click()
    _saved(page)
    expect(check).to_be_visible(timeout=PATIENCE_MS)
    expect(page.locator("svg .z-wall").first).to_have_attribute("points", before or "", timeout=PATIENCE_MS)
    assert (load_kept(demo.folder / "data").tables[TABLE].zones or {})["wall_mm"] == 1


def _saved(page: Page) -> None:
    """The camera has begun anew with what was set."""
    expect(page.locator("#step:not([aria-busy])")).to_be_attached(timeout=PATIENCE_MS)


def _learnt(page: Page, demo: Demo) -> None:
    page.get_by_role("button", name="Tile set").click()
    page.locator("[data-act='lay']").click()
    look = page.locator("[data-do='look']")
    for number, way in ((1, None), (2, "turn")):
        if way:
            page.locator(f"[data-act='{way}']").click()
        look.click()
        expect(page.locator(".learnt[data-picture='0']")).to_be_visible(timeout=PATIENCE_MS)
        seen = page.get_by_role("status").filter(has_text=re.compile(rf"\b{number}\d\d faces seen"))
        expect(seen).to_be_visible(timeout=PATIENCE_MS)  # the set has 136
        if way:
            page.route("**/learn", _unheard)
        _kept(page, number)
    page.unroute("**/learn")
    while (doubtful := page.locator(".doubtful")).count():
        left = doubtful.count()
        doubtful.locator(".tile").first.click()
        expect(doubtful).to_have_count(left - 1, timeout=PATIENCE_MS)
    page.get_by_label("Name of the set").fill("chinese-green")
    page.locator("[data-do='save']").click()
    expect(page.locator(".sets li")).to_contain_text("chinese-green", timeout=PATIENCE_MS)
    assert load_kept(demo.folder / "data").tables[TABLE].cameras[CAMERA].tile_set == "chinese-green"


def _kept(page: Page, number: int) -> None:
    """The look that is shown is kept. A press that a busy browser lost is made again, as people do."""
    kept = page.locator(f".learnt[data-picture='{number}']")
    for _ in range(3):
        page.locator("[data-do='add']").click()
        with suppress(Late):
            kept.wait_for(timeout=PATIENCE_MS / 3)
            break
    expect(kept).to_be_visible()
    expect(page.locator(".learnt:not([data-picture='0'])")).to_have_count(number)


def _unheard(route: Route) -> None:
    """Is done, and the answer never comes."""
    route.fetch()
    route.abort()


def _tried(page: Page) -> None:
    page.get_by_role("button", name="Test hand").click()
    for step in ("sensors", "deal", "draw", "discard"):
        expect(page.locator(f"[data-trial='{step}']")).to_have_class(re.compile("good"), timeout=PATIENCE_MS)


def _ruled_on(context: BrowserContext, demo: Demo) -> None:
    table, console = context.new_page(), context.new_page()
    table.goto(f"{demo.address}/table/{TABLE}")
    console.goto(f"{demo.address}/referee")
    table.locator("[data-act='too_many']").click()
    expect(table.locator("#said")).to_contain_text("as soon as it can", timeout=PATIENCE_MS)
    console.locator(".item.foul[data-code='tile_count']", has_text=TABLE).first.click()
    still = console.locator(".twin .still img").first
    expect(still).to_be_visible(timeout=PATIENCE_MS)
    console.locator("[data-act='confirm']").click()
    console.get_by_role("tab", name="Decided").click()
    decided = console.locator(".item[data-state='confirmed']", has_text=TABLE)
    expect(decided).to_contain_text("confirmed · demo", timeout=PATIENCE_MS)
