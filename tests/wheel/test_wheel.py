"""What people install is what we tested: the built wheel, away from the work tree, imports whole, brings its data and
puts nothing at the top level that another package could overwrite."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROOMS = {"firmware_bridge", "jantaku", "table_engine", "virtual_table", "vision"}

# Runs in the new environment: every module of every room, every rule set.
IMPORT_ALL = """
import importlib, pkgutil, sys
count = 0
for room in sys.argv[1:]:
    package = importlib.import_module(room)
    assert "site-packages" in package.__file__, package.__file__
    for module in pkgutil.walk_packages(package.__path__, room + "."):
        if module.name.endswith("__main__") or ".train" in module.name or module.name == "virtual_table.art.make":
            continue  # scripts that need the extra `train`
        importlib.import_module(module.name)
        count += 1
print(count)
"""


def _committed(room: str) -> set[str]:
    run = subprocess.run(["git", "ls-files", "-z", room], cwd=ROOT, capture_output=True, check=True, text=True)
    return {name for name in run.stdout.split("\0") if name and (ROOT / name).is_file()}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A wheel and an sdist built from a copy of what is committed, so that stray files cannot help."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    names = {"pyproject.toml", "README.md", "LICENSE"}.union(*map(_committed, ROOMS))
    for name in names:
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, source / name)
    subprocess.run(
        [sys.executable, "-m", "build", "--outdir", folder / "dist", source],
        check=True,
        capture_output=True,
        timeout=250,
    )
    (wheel,) = (folder / "dist").glob("*.whl")
    (sdist,) = (folder / "dist").glob("*.tar.gz")
    return wheel, sdist


@pytest.fixture(scope="module")
def python_elsewhere(built: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of a new environment that holds our wheel; what we depend on is borrowed from this one."""
    folder = tmp_path_factory.mktemp("elsewhere")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    python = folder / "venv" / "bin" / "python"
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", built[0]],
        check=True,
        capture_output=True,
    )
    (site,) = (folder / "venv" / "lib").glob("python*/site-packages")
    # A .pth is read after the wheel's own folder; the editable finder of this work tree must not come along.
    borrowed = folder / "borrowed"
    borrowed.mkdir()
    for entry in Path(sysconfig.get_paths()["purelib"]).iterdir():
        if not entry.name.startswith(("jantaku-", "__editable__")):
            (borrowed / entry.name).symlink_to(entry)
    (site / "borrowed.pth").write_text(f"{borrowed}\n")
    return python


def _run(python: Path, *args: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    return subprocess.run([python, *args], cwd=cwd, env=environment, capture_output=True, text=True, timeout=200)


def test_the_wheel_holds_the_rooms_and_nothing_else_at_the_top(built: tuple[Path, Path]) -> None:
    tops = {PurePosixPath(name).parts[0] for name in zipfile.ZipFile(built[0]).namelist()}
    assert {t for t in tops if not t.endswith(".dist-info")} == ROOMS


@pytest.mark.parametrize("room", sorted(ROOMS))
def test_everything_committed_in_a_room_is_in_the_wheel(built: tuple[Path, Path], room: str) -> None:
    shipped = {name for name in zipfile.ZipFile(built[0]).namelist() if name.startswith(f"{room}/")}
    assert _committed(room) - shipped == set()


def test_the_sdist_can_make_the_same_wheel(built: tuple[Path, Path]) -> None:
    """`build` makes the wheel out of the sdist, so what the wheel has the sdist has; and no tests or sites ride along."""
    with tarfile.open(built[1]) as sdist:
        seconds = {PurePosixPath(n).parts[1] for n in sdist.getnames() if len(PurePosixPath(n).parts) > 1}
    assert seconds >= ROOMS
    assert not {"tests", "config"} & seconds


def test_it_imports_whole_elsewhere(python_elsewhere: Path, tmp_path: Path) -> None:
    run = _run(python_elsewhere, "-c", IMPORT_ALL, *sorted(ROOMS), cwd=tmp_path)
    assert run.returncode == 0, run.stderr[-3000:]
    assert int(run.stdout) > 20


def test_the_command_runs_elsewhere(python_elsewhere: Path, tmp_path: Path) -> None:
    command = python_elsewhere.parent / "jantaku"
    run = subprocess.run([command, "--version"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert run.stdout.split() == ["jantaku", version], run.stderr
