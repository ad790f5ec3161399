"""`make bench`: runs every benchmark of this folder, one after the other, and puts the figures into docs/benchmarks.md."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
DOCUMENT = HERE.parents[1] / "docs" / "benchmarks.md"
BEGIN, END = "<!-- figures: made by `make bench` -->", "<!-- end of figures -->"


def main() -> int:
    """Runs the benchmarks named, or all of them; a figure measured anew takes the place of the old one."""
    failed = 0
    parts = _parts()
    for name in sys.argv[1:] or sorted(p.stem for p in HERE.glob("*.py") if p.stem != "run"):
        print(f"== {name}", flush=True)
        began = time.monotonic()
        run = subprocess.run([sys.executable, HERE / f"{name}.py"], stdout=subprocess.PIPE, text=True, check=False)
        took = time.monotonic() - began
        print(run.stdout, flush=True)
        failed += run.returncode != 0
        state = "" if run.returncode == 0 else f" (ended with {run.returncode})"
        load = os.getloadavg()[0]
        where = (
            f"{time.strftime('%Y-%m-%d')}, {_processor()}, {os.cpu_count()} cores, Python {platform.python_version()}"
        )
        parts[name] = (
            f"### {name}{state}, {took:.0f} s\n\n{where}, load {load:.0f} at the end\n\n```\n{run.stdout.strip()}\n```\n"
        )
        _write(parts)
    return failed


def _parts() -> dict[str, str]:
    """The figures that stand in the document, by benchmark."""
    figures = DOCUMENT.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
    parts = (f"### {part.strip()}\n" for part in figures.split("### ")[1:])
    return {part[4:].replace(",", " ").split()[0]: part for part in parts}


def _write(parts: dict[str, str]) -> None:
    head, _, rest = DOCUMENT.read_text(encoding="utf-8").partition(BEGIN)
    tail = rest.partition(END)[2]
    told = "\n".join(parts[name] for name in sorted(parts))
    DOCUMENT.write_text(f"{head}{BEGIN}\n\n{told}\n{END}{tail}", encoding="utf-8")


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


if __name__ == "__main__":
    sys.exit(main())
