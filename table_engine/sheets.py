"""The result sheet and the ruling sheet of a table, to be printed, signed or read by other programs.

sheet("results", engine, rules, "text")       text, json, csv or html
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from html import escape
from typing import Literal, NamedTuple

from table_engine.account import ledger_view, rulings
from table_engine.engine import Engine
from table_engine.rules import RuleSet
from table_engine.wire.alerts import Alert
from table_engine.wire.ledger import BookingLine, HandLine, LedgerView, Rulings
from table_engine.wire.seats import SEATS, Seat

What = Literal["results", "ruling"]
Form = Literal["text", "json", "csv", "html"]


class Table(NamedTuple):
    """One table of a sheet: a heading, what its columns are, and its rows."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def sheet(what: What, engine: Engine, rules: RuleSet, form: Form = "text") -> str:
    """A sheet of every match of the journal, ending with a newline."""
    matches = range(1, engine.game.match + 1)
    if form == "json":
        return _json(what, engine, rules, matches)
    if what == "ruling":
        tables = ruling_tables(rulings(engine, rules), rules)
        title = f"Ruling sheet · table {engine.docket.table} · {rules.title}"
    else:
        tables = [table for n in matches for table in result_tables(ledger_view(engine, rules, n))]
        title = f"Result sheet · table {engine.docket.table} · {rules.title}"
    match form:
        case "csv":
            return _csv(tables)
        case "html":
            return _html(title, tables)
        case _:
            return _text(title, tables)


def result_tables(view: LedgerView) -> list[Table]:
    """Hands, penalties and standings of one match."""
    names = _names(view)
    hands = tuple(_hand(line) for line in view.hands)
    fines = tuple(_fine(booking, names) for line in view.hands for booking in line.bookings)
    last = sorted(view.standings, key=lambda one: (one.rank, one.seat))
    standings = tuple(
        (
            f"{one.rank}" if one.ranked and not one.disqualified else "–",
            names[one.seat],
            f"{one.points}",
            f"{one.hands:+d}",
            f"{one.penalties:+d}",
            f"{one.foul_points or ''}",
            f"{one.time_outs or ''}",
            f"{one.rank_points:+d}" if one.rank_points else "",
            "" if one.placement is None else f"{one.placement:+.1f}",
            "" if one.table_points is None else f"{one.table_points:g}",
            "disqualified" if one.disqualified else "" if one.ranked else "substitute, without rank",
        )
        for one in last
    )
    ended = f" ({view.ended})" if view.ended else "" if view.over else " (not over)"
    heads = ("hand", "wind", "dealer", "ended", "won by", *(names[seat] for seat in SEATS), "note")
    ranks = (
        "rank",
        "player",
        "points",
        "hands",
        "penalties",
        "foul points",
        "time-outs",
        "rank points",
        "placement",
        "table points",
        "note",
    )
    tables = [Table(f"Match {view.match}{ended}: hands", heads, hands)]
    if fines:
        tables.append(Table(f"Match {view.match}: penalties", _FINES, fines))
    return [*tables, Table(f"Match {view.match}: standings", ranks, standings)]


_FINES = ("hand", "player", "rule", "seat 1", "seat 2", "seat 3", "seat 4", "foul points", "note")


def ruling_tables(sheet: Rulings, rules: RuleSet) -> list[Table]:
    """Every alert with what became of it, what was taken back since, and every act."""
    told = tuple(_alert(alert, rules) for alert in (*sheet.alerts, *sheet.retracted))
    acts = tuple(
        (
            f"{act.at_ms / 1000:.1f}",
            act.by or act.role,
            act.act.replace("_", " "),
            " ".join(f"{k}={v}" for k, v in act.did.items() if k != "act" and v not in (None, "", [], ())),
            "taken back" if act.undone else "",
        )
        for act in sheet.acts
    )
    heads = ("alert", "hand", "turn", "seat", "rule", "what was seen", "state", "by", "reason", "penalty", "points")
    return [
        Table("Alerts and decisions", heads, told),
        Table("Acts", ("at s", "by", "act", "what", "note"), acts),
        Table("Penalties booked", _FINES, tuple(_fine(one, _SEATS) for one in sheet.bookings)),
    ]


_SEATS = {seat: f"seat {seat + 1}" for seat in SEATS}


def _names(view: LedgerView) -> dict[Seat, str]:
    return {one.seat: one.name or f"seat {one.seat + 1}" for one in view.standings}


def _hand(line: HandLine) -> tuple[str, ...]:
    won = ", ".join(
        f"seat {win.seat + 1} {'self-draw' if win.source is None else f'on {win.tile} of seat {win.source + 1}'}"
        for win in line.wins
    )
    points = ("?",) * 4 if line.points is None else tuple(f"{p:+d}" if p else "0" for p in line.points)
    notes = [f"{line.honba} counters"] if line.honba else []
    notes += ["by the referee"] if line.said else []
    notes += [line.note]
    notes += [", ".join(dict.fromkeys(win.says for win in line.wins if win.says))] if line.wins else []
    return (
        f"{line.hand}",
        line.round_wind.value,
        f"seat {line.dealer + 1}",
        line.how.replace("_", " ") or "running",
        won,
        *points,
        "; ".join(note for note in notes if note),
    )


def _fine(one: BookingLine, names: dict[Seat, str]) -> tuple[str, ...]:
    note = "warning" if one.warning else "disqualified" if one.disqualifies else ""
    points = (f"{p:+d}" if p else "0" for p in one.points)
    return (f"{one.hand}", names[one.seat], one.row, *points, f"{one.foul_points or ''}", note)


def _alert(alert: Alert, rules: RuleSet) -> tuple[str, ...]:
    row = rules.row(alert.rule)
    points = " ".join(f"{p:+d}" for p in alert.points) if any(alert.points) else ""
    appeal = f" (appeal {alert.appeal})" if alert.appeal else ""
    return (
        alert.id,
        f"{alert.hand}",
        f"{alert.turn}",
        f"seat {alert.seat + 1}",
        f"{alert.rule} ({row.cite})",
        alert.says,
        f"{alert.state}{appeal}",
        alert.by,
        alert.reason,
        alert.penalty,
        points,
    )


def _json(what: What, engine: Engine, rules: RuleSet, matches: Iterable[int]) -> str:
    if what == "ruling":
        return rulings(engine, rules).model_dump_json(indent=1) + "\n"
    views = [ledger_view(engine, rules, n).model_dump(mode="json") for n in matches]
    return json.dumps({"matches": views}, ensure_ascii=False, indent=1) + "\n"


def _csv(tables: Sequence[Table]) -> str:
    """One table below the other, an empty line between them; the first column of every row names its table."""
    out = io.StringIO()
    writer = csv.writer(out)
    for n, table in enumerate(tables):
        if n:
            writer.writerow(())
        writer.writerow(("table", *table.columns))
        writer.writerows((table.title, *row) for row in table.rows)
    return out.getvalue()


def _text(title: str, tables: Sequence[Table]) -> str:
    lines = [title, "=" * len(title)]
    for table in tables:
        lines += ["", table.title, "-" * len(table.title)]
        rows = [table.columns, *table.rows]
        widths = [max(len(row[n]) for row in rows) for n in range(len(table.columns))]
        lines += [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
        ]
        if not table.rows:
            lines.append("none")
    return "\n".join([*lines, "", "Signed:", *("  ____________________" for _ in range(5))]) + "\n"


def _html(title: str, tables: Sequence[Table]) -> str:
    """A page of its own that prints on A4."""
    body = [f"<h1>{escape(title)}</h1>"]
    for table in tables:
        heads = "".join(f"<th>{escape(column)}</th>" for column in table.columns)
        rows = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in table.rows)
        body.append(
            f"<h2>{escape(table.title)}</h2><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
        )
    signed = "".join("<p>____________________________</p>" for _ in range(5))
    style = (
        "@page{size:A4 landscape;margin:12mm}body{font:11px/1.4 sans-serif;color:#000;background:#fff}"
        "h1{font-size:18px}h2{font-size:14px;margin:1.2em 0 .4em}table{border-collapse:collapse;width:100%}"
        "th,td{border:1px solid #999;padding:2px 5px;text-align:left;vertical-align:top}tr{break-inside:avoid}"
    )
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{style}</style></head><body>{''.join(body)}<h2>Signed</h2>{signed}</body></html>\n"
    )
