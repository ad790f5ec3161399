"""Routes of the rules: the catalogue a referee searches, and what each foul is called by."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, HTTPException
from fastapi import Path as InPath
from pydantic import BaseModel

from table_engine.rules import RULESETS, RuleSet, load_ruleset
from table_engine.web.screens import InScreens, InTable, Viewing

router = APIRouter(prefix="/api", tags=["rules"])


class RulingLine(BaseModel):
    """What one kind of a foul leads to."""

    code: str
    kind: str
    penalty: str


class RowLine(BaseModel):
    """One row of the catalogue. `how`: who notices it (`auto`: the engine, `call`: with a call heard, `ref`: people)."""

    id: str
    text: str
    cite: str
    how: list[str]
    follows: str
    rulings: list[RulingLine]


class Rulebook(BaseModel):
    id: str
    title: str
    tiles: int
    rows: list[RowLine]


class RulesetLine(BaseModel):
    id: str
    title: str


def rules_of(screens: InScreens, table: str) -> RuleSet:
    """The rule set a table is played by."""
    settings = screens.settings(table)
    return load_ruleset(settings.ruleset, settings.overrides)


@router.get("/rulesets")
async def rulesets(_: Viewing) -> list[RulesetLine]:
    """The rule sets a table can be played by."""
    return [RulesetLine(id=name, title=load_ruleset(name).title) for name in RULESETS]


@router.get("/tables/{table}/rules")
async def rules(table: InTable, screens: InScreens, _: Viewing) -> Rulebook:
    """The rules a table is played by, with the rulings its fouls lead to."""
    return _book(rules_of(screens, table))


@router.get("/tables/{table}/rules/{row}")
async def row(table: InTable, screens: InScreens, _: Viewing, row: Annotated[str, InPath(max_length=20)]) -> RowLine:
    """One row of the catalogue."""
    found = next((line for line in _book(rules_of(screens, table)).rows if line.id == row), None)
    if found is None:
        raise HTTPException(404, f"no row {row!r} in the rules of {table}")
    return found


def _book(rules: RuleSet) -> Rulebook:
    by_row: dict[str, list[RulingLine]] = {}
    for code, kinds in rules.fouls.items():
        for kind, ruling in kinds.items():
            by_row.setdefault(ruling.row, []).append(RulingLine(code=code, kind=kind, penalty=ruling.penalty))
    rows = [
        RowLine(id=r.id, text=r.text, cite=r.cite, how=list(r.how), follows=r.follows, rulings=by_row.get(r.id, []))
        for r in rules.rows
    ]
    return Rulebook(id=rules.id, title=rules.title, tiles=rules.set.tiles, rows=rows)
