"""What the engine tells, in the language of the page: nothing of a case is left in English."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hall import PLAYERS, Hall
from play import Game
from playwright.sync_api import Page, expect

from table_engine.web.grants import Role

SAID = {
    "ja": (
        "南家（2 番席）の立っている牌が 14 枚ある。正しくは 13 枚である。",
        "この局は和了も鳴きもできない。",
        "和了・副露禁止",
    ),
    "zh-Hant": ("南家（2 號位）立牌 14 張，應為 13 張。", "本局不得和牌與鳴牌。", "不得和牌與鳴牌"),
    "zh-Hans": ("南家（2 号位）立牌 14 张，应为 13 张。", "本局不得和牌与鸣牌。", "不得和牌与鸣牌"),
}
NAMES = {*PLAYERS, "table", "RI", "hall", "referee", "cam"}


def foreign(page: Page, where: str) -> list[str]:
    """English words in a part of a page, beside names and numbers of rules."""
    return [word for word in re.findall(r"[A-Za-z]{2,}", page.locator(where).inner_text()) if word not in NAMES]


@pytest.mark.parametrize("lang", SAID)
def test_a_foul_is_told_wholly_in_the_language_of_the_page(hall: Hall, game: Game, come: Any, lang: str) -> None:
    says, penalty, effect = SAID[lang]
    alert = game.foul()
    console = come(hall, f"referee?lang={lang}")
    console.locator(".item").click()
    case = console.locator("#case")
    expect(case.locator(".verdict p")).to_have_text(says)
    for text in (penalty, effect):
        expect(case.locator(".law")).to_contain_text(text)
    assert foreign(console, "#case .verdict") == foreign(console, "#case .law") == []
    assert foreign(console, ".item") == []
    console.locator("[data-act='confirm']").click()
    hall.until(lambda: hall.hub.alert("table-1", alert.id)[0].state == "confirmed")
    sheet = come(hall, f"ruling/table-1/{alert.id}?lang={lang}")
    expect(sheet.locator("#sheet dl")).to_contain_text(says)
    assert foreign(sheet, "#sheet") == []


def test_a_foul_taken_back_says_why(hall: Hall, game: Game, come: Any) -> None:
    alert = game.foul()
    console, table = come(hall, "referee?lang=ja"), come(hall, "table/table-1?lang=ja", Role.REFEREE)
    expect(table.locator("#open .alert strong")).to_have_text(SAID["ja"][0])
    assert foreign(table, "#open") == []
    hall.do("table-1", act="correct_count", seat=1, concealed=13)
    hall.until(lambda: hall.hub.alert("table-1", alert.id)[0].state == "withdrawn")
    expect(table.locator("#open .alert.ended .penalty")).to_have_text("取り下げ: 手牌を数え直し、そろっていた")
    console.get_by_role("tab", name="裁定済み").click()
    console.locator(".item").click()
    expect(console.locator("#case .law")).to_contain_text("手牌を数え直し、そろっていた")


def test_a_check_says_what_is_missing(hall: Hall, game: Game, come: Any) -> None:
    game.script.camera = False
    game.script.wait(4_000)
    assert game.foul().severity == "check"
    console = come(hall, "referee?lang=ja")
    console.locator(".item").click()
    missing = console.locator("#case .law li")
    expect(missing.first).to_have_text("cam から何も届かない。復帰まで牌は読まれず、手番は卓のカウンターで追う")
    assert foreign(console, "#case .verdict") == foreign(console, "#case .law") == []
