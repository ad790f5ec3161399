"""The screen of `jantaku bridge monitor`: the device, the table as its sensors see it, counters, and what came last."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Mapping

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from firmware_bridge.device import Done, Introduced, Report, Said, Trouble
from firmware_bridge.port import Lost, Opened
from jantaku.serial_words import words
from table_engine.wire.observations import (
    Bay,
    Button,
    Dealer,
    Dice,
    DiscardZone,
    HandZone,
    Honba,
    Observation,
    ReadyStick,
    ScoreTray,
    SetComplete,
    WallCount,
    Watermark,
)
from table_engine.wire.seats import SEATS

_SHOWN = 40
_LEAST = 4
"""News that are kept, and that are shown on the smallest screen."""
_GOOD = {
    "frames",
    "lines",
    "polls",
    "births",
    "opened",
    "recovered",
    "drift_ppm",
    "clock_uncertainty_ms",
    "round_trip_ms",
}
"""Counters that say nothing bad when they are not zero."""
_COUNTED = 3
"""Counters side by side."""
_UNITS = ("ms", "ppm")


class Screen:
    """What is known; `rich` draws it."""

    def __init__(self, port: str, baud: int) -> None:
        self._port = f"{port} · {baud} baud"
        self._introduced: Introduced | None = None
        self._lost = "not opened yet"
        self._troubles: dict[str, str] = {}
        self._seat: dict[tuple[str, int], str] = {}
        self._machine: dict[str, str] = {}
        self._last: deque[Text] = deque(maxlen=_SHOWN)
        self.counters: Mapping[str, float] = {}
        self.told_ms: int | None = None
        """Up to which moment everything has been said."""

    def take(self, happened: Iterable[Opened | Lost | Report]) -> list[Text]:
        """Takes news; returns them as lines."""
        lines = [line for one in happened if (line := self._line(one)) is not None]
        self._last.extend(lines)
        return lines

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        above, below = Group(self._head(), self._table()), self._counted()
        taken = sum(len(console.render_lines(part, options.update(height=None))) for part in (above, below))
        room = max((options.height or console.height) - taken - 2, _LEAST)
        yield above
        yield Panel(Group(*list(self._last)[-room:]), title="came last")
        yield below

    def _line(self, one: Opened | Lost | Report) -> Text | None:
        match one:
            case Said(at_ms, Watermark()):
                self.told_ms = at_ms
                return None
            case Said(at_ms, observation):
                self._remember(observation)
                return _stamped(at_ms, words(observation), "")
            case Trouble(what, says, at_ms):
                self._troubles[what] = says
                return _stamped(at_ms, says or f"in order again: {what}", "yellow" if says else "green")
            case Introduced():
                self._introduced = one
                return Text(f"{'':12} {one.model} {one.firmware} says who it is", style="cyan")
            case Opened(at_ms):
                self._lost = ""
                return _stamped(at_ms, "port open", "green")
            case Lost(error, at_ms):
                self._lost = str(error)
                return _stamped(at_ms, str(error), "red")
            case Done(_, name, result):
                return Text(f"{'':12} {name}: {result}", style="cyan")

    def _remember(self, observation: Observation) -> None:
        match observation:
            case WallCount(side=side, count=count):
                self._seat["wall", side] = str(count)
            case HandZone(side=side, present=present):
                self._seat["hand at wall", side] = "✋" if present else "·"
            case DiscardZone(seat=seat, count=count, touched=touched):
                self._seat["discards", seat] = f"{count}{' ✋' if touched else ''}"
            case ReadyStick(seat=seat, present=present):
                self._seat["riichi stick", seat] = "―●―" if present else "·"
            case ScoreTray(seat=seat, points=points):
                self._seat["tray", seat] = f"{points:,}"
            case Button(seat=seat, call=call):
                self._seat["last call", seat] = call
            case Dealer() | Dice() | Bay() | Honba() | SetComplete():
                self._machine[observation.type] = words(observation)
            case _:
                pass

    def _head(self) -> RenderableType:
        who = self._introduced
        title = Text(f"{who.model} {who.firmware} · protocol {who.protocol}" if who else "no device yet", style="bold")
        wrong = [text for text in (self._lost, *self._troubles.values()) if text]
        state = Text("\n".join(f"● {text}" for text in wrong) or "● ok", style="yellow" if wrong else "green")
        able = Text(", ".join(who.capabilities) if who else "", style="dim")
        told = "" if self.told_ms is None else f" · told up to {_clock(self.told_ms)}"
        return Panel(Group(title, state, able), title=self._port + told)

    def _table(self) -> RenderableType:
        kinds = ("wall", "hand at wall", "discards", "riichi stick", "tray", "last call")
        grid = Table(box=None, pad_edge=False, padding=(0, 2))
        grid.add_column("")
        for seat in SEATS:
            grid.add_column(f"seat {int(seat)}", justify="center")
        for kind in kinds:
            cells = [self._seat.get((kind, seat), "") for seat in SEATS]
            if any(cells):
                grid.add_row(Text(kind, style="dim"), *cells)
        return Panel(Group(grid, Text(" · ".join(self._machine.values()), style="dim")), title="table")

    def _counted(self) -> RenderableType:
        grid = Table.grid(padding=(0, 1), expand=True)
        for _ in range(_COUNTED):
            grid.add_column(justify="right", ratio=5)
            grid.add_column(ratio=3, no_wrap=True)
        cells: list[Text] = []
        for name, value in self.counters.items():
            label, unit = next(((name.removesuffix(f"_{u}"), u) for u in _UNITS if name.endswith(f"_{u}")), (name, ""))
            style = "yellow" if value and name not in _GOOD else ""
            cells += Text(label.replace("_", " "), style="dim"), Text(f"{value:g} {unit}".strip(), style=style)
        for n in range(0, len(cells), 2 * _COUNTED):
            grid.add_row(*cells[n : n + 2 * _COUNTED])
        return Panel(grid, title="counters")


def _stamped(at_ms: int, text: str, style: str) -> Text:
    return Text.assemble((f"{_clock(at_ms)} ", "dim"), (text, style), no_wrap=True, overflow="ellipsis")


def _clock(at_ms: int) -> str:
    return f"{time.strftime('%H:%M:%S', time.localtime(at_ms / 1000))}.{at_ms % 1000:03}"
