"""The report of `jantaku bridge conformance`, as it goes on."""

from __future__ import annotations

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from firmware_bridge.conformance import Check, Finding

_MARKS = {"passed": ("✓", "green"), "failed": ("✗", "bold red"), "untested": ("–", "yellow")}


class Report:
    """Prints each finding as it is found, and the sum."""

    def __init__(self, console: Console, port: str) -> None:
        self._console = console
        self._counts = dict.fromkeys(_MARKS, 0)
        self._port = port
        self._section = ""

    @property
    def failed(self) -> bool:
        return self._counts["failed"] > 0

    def begins(self, check: Check) -> None:
        """A check that needs somebody's hands is about to begin."""
        if check.name == "reset":
            self._console.print("\n  Press the controller's reset button now, and do not unplug it.", style="bold cyan")

    def count(self, finding: Finding) -> None:
        self._counts[finding.state] += 1

    def add(self, finding: Finding) -> None:
        """One check: what is promised, and what was found."""
        if finding.check.section != self._section:
            self._section = finding.check.section
            self._console.print(f"\n{self._section}", style="bold")
        mark, style = _MARKS[finding.state]
        line = Table.grid(padding=(0, 1))
        line.add_column(width=3, justify="right", style=style)
        line.add_column(width=11, style=style)
        line.add_column()
        says = Text(finding.says, style=style if finding.state == "failed" else "dim")
        line.add_row(mark, finding.check.name, Group(Text(finding.check.promise), says))
        self._console.print(line)

    def end(self, damaged: int) -> None:
        """How it went on the whole; `damaged` frames came from the device, which may be the cable's fault."""
        failed, untested = self._counts["failed"], self._counts["untested"]
        self._console.print()
        if damaged:
            says = f"{damaged} frames came damaged: test again with a better cable before you believe a failure"
            self._console.print(says, style="yellow")
        if failed:
            says = f"{self._port} does not keep {failed} of {sum(self._counts.values())} promises of docs/protocol.md"
            self._console.print(says, style="bold red")
        else:
            rest = f"; {untested} could not be tested" if untested else ""
            self._console.print(f"{self._port} does what docs/protocol.md says{rest}", style="bold green")
