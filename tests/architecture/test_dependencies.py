"""Whoever installs Jantaku without the tools of its makers gets everything its code imports."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

ROOMS = ("firmware_bridge", "jantaku", "table_engine", "virtual_table", "vision")
EXTRAS = ("chinese", "modbus")
"""Imported only where they are used, with a word on what to install when they are missing."""
PART_OF = {"pydantic-core": "pydantic"}
"""Comes with the other at exactly the version it needs."""
TRAINING = ("vision/train/", "virtual_table/art/make.py")


def test_what_the_code_imports_is_declared(repo: Path) -> None:
    project = tomllib.loads((repo / "pyproject.toml").read_text())["project"]
    optional = project["optional-dependencies"]
    installed = {
        _name(line) for line in (*project["dependencies"], *(one for extra in EXTRAS for one in optional[extra]))
    }
    training = installed | {_name(line) for line in optional["train"]}
    of = packages_distributions()
    missing = [
        f"{path} imports {module}"
        for path, module in _imported(repo)
        if not {_name(one) for one in of.get(module, [module])} & (training if path.startswith(TRAINING) else installed)
    ]
    assert missing == []


def _imported(repo: Path) -> Iterator[tuple[str, str]]:
    """(file, top-level module) of every import of what is neither ours nor Python's."""
    own = {*ROOMS, *sys.stdlib_module_names}
    for room in ROOMS:
        for path in sorted((repo / room).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                match node:
                    case ast.Import(names=names):
                        modules = {alias.name.partition(".")[0] for alias in names}
                    case ast.ImportFrom(module=str(name), level=0):
                        modules = {name.partition(".")[0]}
                    case _:
                        continue
                for module in sorted(modules - own):
                    yield path.relative_to(repo).as_posix(), module


def _name(requirement: str) -> str:
    """A distribution's name as the package index compares them."""
    name = re.split(r"[\[<>=!~; ]", requirement)[0].lower().replace("_", "-")
    return PART_OF.get(name, name)
