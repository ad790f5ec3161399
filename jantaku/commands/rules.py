"""`jantaku rules`: the rule catalogue with what is implemented and what is not."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jantaku.catalogue import Line


def rules(
    ruleset: Annotated[str | None, typer.Option("--rules", help="Only this rule set.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="A JSON list as the last line.")] = False,
    as_document: Annotated[bool, typer.Option("--document", help="The page docs/rules.md.")] = False,
) -> None:
    """List every rule of the rule sets, who notices it, and what implements and tests it."""
    from jantaku.catalogue import catalogue
    from table_engine.rules import RULESETS

    lines = list(catalogue([ruleset] if ruleset else RULESETS))
    if as_json:
        typer.echo(json.dumps([line.plain() for line in lines], ensure_ascii=False))
        return
    if as_document:
        typer.echo(document(lines), nl=False)
        return
    table = Table("rule", "how", "what it says", "implemented by", "cases", "tests", box=None, pad_edge=False)
    for line in lines:
        by = [one.removeprefix("table_engine/") for one in line.implemented_by]
        by += [f"[yellow]not yet: {need}[/]" for need in line.missing]
        by += [f"[dim]{line.open}[/]"] if line.open else []
        raised, quiet = line.cases
        cases = f"{raised}+{quiet}" if raised or quiet else ""
        table.add_row(line.id, "/".join(line.how), line.text, "\n".join(by), cases, str(len(line.tests) or ""))
    console = Console()
    console.print(table)
    for words in summary(lines):
        console.print(words, highlight=False)


def summary(lines: Iterable[Line]) -> list[str]:
    """One sentence for each rule set."""
    states: dict[str, Counter[str]] = {}
    for line in lines:
        states.setdefault(line.ruleset, Counter())[line.status] += 1
    return [
        f"{name}: {count['done']} of {count.total()} rules implemented"
        + (f", {count['partly']} in part" if count["partly"] else "")
        + (f", {count['missing']} not" if count["missing"] else "")
        for name, count in states.items()
    ]


def document(lines: list[Line]) -> str:
    """The catalogue as a page of Markdown."""
    from table_engine.rules import load_ruleset

    out = [
        "# Rules",
        "",
        "Made by `jantaku rules --document` from the rule sets and the code; do not edit. *How* says who notices a rule:",
        "`auto` the engine by itself, `call` the engine once the call is known, `ref` a person with one act. *Cases* are the",
        "case sheets of `tests/fouls` that must raise it and that must stay quiet.",
        "",
        *(f"- {words}." for words in summary(lines)),
    ]
    current = ""
    for line in lines:
        rules = load_ruleset(line.ruleset)
        if line.ruleset != current:
            current = line.ruleset
            out += ["", f"## {current}: {rules.title}", ""]
            out += ["| id | how | rule | what follows | implemented by | cases |", "|---|---|---|---|---|---|"]
        row = rules.row(line.id)
        by = [f"`{one.removeprefix('table_engine/')}`" for one in line.implemented_by]
        by += [f"**not yet: `{need}`**" for need in line.missing]
        by += [f"*{line.open}*"] if line.open else []
        cases = "{} + {}".format(*line.cases) if any(line.cases) else ""
        cells = (line.id, "/".join(line.how), f"{row.text} ({row.cite})", row.follows, "<br>".join(by), cases)
        out.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    for name in dict.fromkeys(line.ruleset for line in lines):
        rules = load_ruleset(name)
        if rules.contradictions:
            out += ["", f"### Where the text of {name} contradicts itself", ""]
            out += ["| setting | one passage | the other | chosen |", "|---|---|---|---|"]
            out += [f"| `{c.setting}` | {c.one} | {c.other} | {c.chosen} |" for c in rules.contradictions]
    return "\n".join(out) + "\n"
