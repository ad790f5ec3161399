"""What every room's tests share: the data folder beside the clone, and the rule that CI lets no test skip."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent

os.environ.setdefault("OMP_NUM_THREADS", "1")

settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("search", derandomize=False, deadline=None, print_blob=True)
settings.load_profile("same")
"""A run of the tests says the same twice; `make search` looks for examples nobody has seen yet."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--fail-on-skip", action="store_true", help="a skipped test makes the run fail (CI has everything)"
    )


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    if exitstatus == pytest.ExitCode.OK and session.config.getoption("--fail-on-skip") and _skipped(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    skipped = _skipped(config)
    if skipped and config.getoption("--fail-on-skip"):
        terminalreporter.line(f"--fail-on-skip: {skipped} tests skipped, so this run fails", red=True)


def _skipped(config: pytest.Config) -> int:
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    return len(reporter.stats.get("skipped", ())) if reporter else 0


@pytest.fixture(scope="session")
def repo() -> Path:
    """The root of the work tree."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared data (game records, photos, tile art): `JANTAKU_SHARED`, else `../shared` beside the clone."""
    path = Path(os.environ.get("JANTAKU_SHARED") or ROOT.parent / "shared")
    if not path.is_dir():
        pytest.skip(f"no shared data at {path}; set JANTAKU_SHARED to the folder that holds it")
    return path
