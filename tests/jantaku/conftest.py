"""Games at hand for the command's tests."""

from __future__ import annotations

from pathlib import Path

import pytest

RIICHI = "game_records/mjx_tenhou_mjlog/2010081709gm-00a9-0000-fe3371ad.mjlog"


@pytest.fixture
def riichi_game(shared: Path) -> Path:
    return shared / "data" / RIICHI


@pytest.fixture
def records(shared: Path) -> Path:
    return shared / "data" / "game_records"
