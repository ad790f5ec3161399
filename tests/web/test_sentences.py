"""The sentences the engine writes, in the other languages: every one there is, with the blanks of the English one.

The English sentence is the name of the others. Whoever changes one finds here which translations to look at again.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import boards
import pytest

import table_engine
from table_engine.rules import RULESETS, load_ruleset
from table_engine.wire.alerts import Alert, Phrases
from table_engine.wire.phrases import Phrase, phrase

SOURCE = Path(table_engine.__file__).parent
SENTENCES = SOURCE / "web" / "static" / "sentences"
LANGUAGES = ("zh-Hans", "zh-Hant", "ja")


def sentences(lang: str) -> dict[str, str]:
    return json.loads((SENTENCES / f"{lang}.json").read_text(encoding="utf-8"))


def blanks(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


def phrases() -> Iterator[tuple[ast.Call, Path]]:
    """Every call that writes a sentence."""
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "phrase":
                yield node, path


def reasons() -> Iterator[str]:
    """Why fouls are taken back: what `lifts` returns, by itself or under a name."""
    for path in sorted((SOURCE / "fouls").glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for made in tree.body:
            if isinstance(made, ast.Assign) and isinstance(made.value, ast.Constant) and " " in str(made.value.value):
                yield made.value.value
        lifts = (one for one in tree.body if isinstance(one, ast.FunctionDef) and one.name == "lifts")
        for back in (node for one in lifts for node in ast.walk(one) if isinstance(node, ast.Return) and node.value):
            for node in ast.walk(back.value):
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
                    yield node.value


def laws() -> Iterator[str]:
    """The texts of the rule sets."""
    for rules in map(load_ruleset, RULESETS):
        for row in rules.rows:
            yield from filter(None, (row.text, row.follows))
        for kinds in (*rules.fouls.values(), *rules.acts.values()):
            for ruling in kinds.values():
                yield from filter(None, (ruling.penalty, ruling.asks))


EVERY = {call.args[0].value for call, _ in phrases() if isinstance(call.args[0], ast.Constant)} | {*reasons(), *laws()}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_language_has_every_sentence_with_its_blanks(lang: str) -> None:
    other = sentences(lang)
    assert len(EVERY) > 400
    assert other.keys() == EVERY
    for text, said in other.items():
        assert blanks(said) == blanks(text), text
        assert said.strip(), text
        assert not re.search(r"[A-Za-z]{2,}", re.sub(r"\{\w+\}", "", said)), text


def test_every_sentence_is_written_out_with_what_fills_its_blanks() -> None:
    """So that it can be found, and nothing is put into it that the other languages do not know."""
    for call, path in phrases():
        where = f"{path.name}:{call.lineno}"
        text = call.args[0]
        assert isinstance(text, ast.Constant), where
        given = {word.arg for word in call.keywords if word.arg}
        if any(word.arg is None for word in call.keywords):
            assert given < blanks(text.value), where
        else:
            assert given == blanks(text.value), where


def test_a_phrase_says_the_english_sentence() -> None:
    seat = phrase("{wind} (seat {n})", wind=phrase("East"), n=1)
    said = phrase("{seat} pungs {tile} {spent} s after {tiles}", seat=seat, tile="5m", spent=3.0, tiles=("1m", "2m"))
    assert str(said) == "East (seat 1) pungs 5m 3 s after 1m 2m"
    assert str(Phrase("a person wrote {this}")) == "a person wrote {this}"


def test_alerts_come_back_from_the_wire_with_their_phrases_and_old_ones_without() -> None:
    old = boards.alert()
    assert Alert.model_validate_json(old.model_dump_json(exclude={"phrases"})) == old
    said = phrase("{seat} discards {tile}", seat=phrase("Seat {n}", n=4), tile="5m")
    new = old.model_copy(update={"says": str(said), "phrases": Phrases(says=said, effects=(phrase("no win"),))})
    assert Alert.model_validate_json(new.model_dump_json()) == new
