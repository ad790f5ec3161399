import ctypes.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "firmware_bridge")]


@pytest.fixture(scope="session")
def firmware(repo, tmp_path_factory) -> Path:
    """The reference firmware, compiled for every processor by its own Makefile: a folder with `<mcu>/controller.elf`."""
    if shutil.which("avr-gcc") is None or not Path("/usr/lib/avr/include/avr/io.h").is_file():
        pytest.skip("no avr-gcc with avr-libc; install gcc-avr, avr-libc and binutils-avr")
    folder = tmp_path_factory.mktemp("firmware")
    subprocess.run(["make", "-C", repo / "firmware", f"BUILD={folder}"], check=True, capture_output=True)
    return folder


@pytest.fixture(scope="session")
def build(repo, firmware):
    """The firmware and the emulator for each processor, a `board.Build`."""
    from board import Build

    missing = [name for name in ("simavr", "elf") if ctypes.util.find_library(name) is None]
    if missing or shutil.which("gcc") is None or not Path("/usr/include/simavr/sim_avr.h").is_file():
        pytest.skip("no simavr to build the emulator with; install gcc, libsimavr-dev and libelf-dev")
    return Build.make(repo, firmware)


@pytest.fixture(params=("atmega328p", "atmega2560"))
def mcu(request) -> str:
    return request.param


@pytest.fixture
def board(build, mcu, tmp_path):
    """A running board, not yet plugged in anywhere."""
    from board import Board

    with Board(build, mcu, tmp_path / "eeprom") as board:
        yield board
