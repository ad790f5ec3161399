"""The words of the four languages, and the fonts that draw them."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from make_fonts import FACES, STATIC, characters

LANGUAGES = ("en", "zh-Hans", "zh-Hant", "ja")
SOURCES = sorted(p for p in STATIC.rglob("*") if p.suffix in (".js", ".html"))


def words(lang: str) -> dict[str, str]:
    return json.loads((STATIC / "words" / f"{lang}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("lang", LANGUAGES[1:])
def test_every_language_has_every_word_with_its_blanks(lang: str) -> None:
    english, other = words("en"), words(lang)
    assert english.keys() == other.keys()
    for key, text in english.items():
        assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", other[key])), key
        assert other[key].strip(), key


def test_every_word_a_page_asks_for_is_there() -> None:
    asked: dict[str, str] = {}
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        keys = re.findall(r"""\bt\("([^"]+)"[,)]""", text) + re.findall(r'data-t(?:-label)?="([^"]+)"', text)
        asked |= dict.fromkeys(keys, path.name)
    assert len(asked) > 100
    missing = {key: page for key, page in asked.items() if key not in words("en")}
    assert missing == {}


@pytest.mark.parametrize("face", sorted(FACES))
@pytest.mark.parametrize("weight", [400, 700])
def test_fonts_hold_every_character_of_our_words(face: str, weight: int) -> None:
    fonts = pytest.importorskip("fontTools.ttLib", reason="fonttools is not installed")
    pytest.importorskip("brotli", reason="brotli is not installed")
    held = fonts.TTFont(STATIC / "fonts" / f"{face}-{weight}.woff2").getBestCmap()
    latin = fonts.TTFont(STATIC / "fonts" / f"latin-{weight}.woff2").getBestCmap()
    missing = {c for c in characters(FACES[face][1]) if ord(c) not in held and ord(c) not in latin}
    assert missing == set()


def test_pages_need_no_internet() -> None:
    """Nothing is loaded from anywhere but this server; addresses in comments and examples are of 192.0.2.0/24."""
    for path in (*SOURCES, *STATIC.rglob("*.css")):
        for address in re.findall(r"https?://[^\s\"'`<)]+", path.read_text(encoding="utf-8")):
            assert re.match(r"https?://(192\.0\.2\.|www\.w3\.org/2000/svg)", address), f"{path.name}: {address}"
