"""The house's shape, checked on the source itself: size, docstrings, names, and what must never be committed."""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("firmware_bridge", "jantaku", "table_engine", "virtual_table", "vision")
MODULES = sorted(path.relative_to(ROOT) for room in ROOMS for path in (ROOT / room).rglob("*.py"))
TESTS = sorted(path.relative_to(ROOT) for path in (ROOT / "tests").rglob("*.py"))
MAX_LINES = 400
NOT_A_NOUN = {"utils", "util", "common", "helpers", "helper", "manager", "misc", "base"}

# Written in two halves so that this file does not find itself.
FORBIDDEN = re.compile(
    "|".join(
        a + b
        for a, b in (
            ("/wo", r"rk/"),
            (r"pypi\.", "org"),
            ("files.python", "hosted"),
            (r"registry\.", "npmjs"),
            ("deb.", r"debian\.org"),
        )
    )
)


def _pyproject() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", [*MODULES, *TESTS], ids=str)
def test_a_module_is_one_noun(path: Path) -> None:
    lines = (ROOT / path).read_text(encoding="utf-8").count("\n")
    assert lines <= MAX_LINES, f"{path} has {lines} lines; a module is one noun, split it"
    assert path.stem not in NOT_A_NOUN, f"{path}: name a module after what it holds"


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_a_module_says_what_it_is(path: Path) -> None:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    assert ast.get_docstring(tree), f"{path} has no docstring"


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_public_functions_that_need_words_have_them(path: Path) -> None:
    """A public function of more than a few lines says what it takes and gives. One or two lines speak for themselves."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    silent = [
        f"{path}:{node.lineno} {node.name}"
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and not node.name.startswith("_")
        and node.name != "main"  # a script's module docstring says it
        and len(node.body) > 3
        and ast.get_docstring(node) is None
    ]
    assert not silent, f"no docstring: {', '.join(silent)}"


def test_every_package_on_disk_is_listed_in_pyproject() -> None:
    on_disk = {".".join(p.parent.parts) for p in MODULES}
    assert sorted(on_disk) == sorted(_pyproject()["tool"]["setuptools"]["packages"])


def test_nothing_committed_names_a_machine_path_or_a_registry() -> None:
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode()
    found = []
    for name in filter(None, names.split("\0")):
        path = ROOT / name
        if not path.is_file() or path.stat().st_size > 2_000_000:
            continue
        text = path.read_bytes()
        if b"\0" in text[:8000]:
            continue
        for number, line in enumerate(text.decode("utf-8", "replace").splitlines(), 1):
            if FORBIDDEN.search(line):
                found.append(f"{name}:{number}")
    assert not found


def test_dependencies_have_a_lower_and_an_upper_bound() -> None:
    project = _pyproject()["project"]
    extras = [d for group in project["optional-dependencies"].values() for d in group]
    loose = [d for d in (*project["dependencies"], *extras) if "==" not in d and not re.search(r">=.+,<", d)]
    assert not loose


def test_an_ignored_lint_says_which() -> None:
    bare = [
        f"{path}:{number}"
        for path in MODULES
        for number, line in enumerate((ROOT / path).read_text(encoding="utf-8").splitlines(), 1)
        if re.search(r"#\s*(noqa|type:\s*ignore)(?![:\[]\s*[A-Za-z])", line)
    ]
    assert not bare
