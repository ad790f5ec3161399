"""Makes the pages' fonts: the characters of our words out of Noto Sans CJK (Debian: fonts-noto-cjk; needs fonttools, brotli).

    python tests/web/make_fonts.py [/usr/share/fonts/opentype/noto]

Names of players may hold other characters; browsers take those from the system's fonts.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from table_engine.rules import RULESETS, load_ruleset

STATIC = Path(__file__).parents[2] / "table_engine" / "web" / "static"
NOTO = Path("/usr/share/fonts/opentype/noto")
LATIN = "U+0020-007E,U+00A0-017F,U+2010-2027,U+2030-203A,U+2190-2193,U+2212,U+25A0-25FF,U+2713"
KANA = "".join(map(chr, (*range(0x3041, 0x3097), *range(0x30A1, 0x30FF))))
WINDS = "东南西北東發发中白春夏秋冬梅兰蘭菊竹一二三四五六七八九万萬筒条條索"
FOLDERS = ("words", "sentences")
FACES = {"sc": (2, "zh-Hans"), "tc": (3, "zh-Hant"), "jp": (0, "ja")}
WEIGHTS = {400: "Regular", 700: "Bold"}


def characters(lang: str) -> str:
    """Every character beyond ASCII that the words and sentences of a language, the places in the rules' texts and the names of
    languages use."""
    said = [json.loads((STATIC / folder / f"{lang}.json").read_text(encoding="utf-8")) for folder in FOLDERS]
    text = (
        "".join(text for texts in said for text in texts.values())
        + "".join(row.cite for ruleset in RULESETS for row in load_ruleset(ruleset).rows)
        + WINDS
        + "雀卓简体繁體中文日本語、。「」（）：；！？…·，"
        + (KANA if lang == "ja" else "")
    )
    return "".join(sorted({c for c in text if ord(c) > 0x7F}))


def main(folder: Path) -> None:
    for weight, name in WEIGHTS.items():
        source = folder / f"NotoSansCJK-{name}.ttc"
        _subset(source, 0, f"latin-{weight}", f"--unicodes={LATIN}")
        for face, (number, lang) in FACES.items():
            _subset(source, number, f"{face}-{weight}", f"--text={characters(lang)}")


def _subset(source: Path, number: int, name: str, what: str) -> None:
    out = STATIC / "fonts" / f"{name}.woff2"
    options = ("--flavor=woff2", "--layout-features=kern,tnum,palt", "--desubroutinize", "--no-hinting")
    command = (sys.executable, "-m", "fontTools.subset", str(source), f"--font-number={number}", what, *options)
    subprocess.run((*command, f"--output-file={out}"), check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else NOTO)
