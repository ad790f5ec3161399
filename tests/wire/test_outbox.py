from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from table_engine.wire.errors import WireError
from table_engine.wire.messages import ORIGIN, Position
from table_engine.wire.observations import Dice, Envelope, Observation, Watermark
from table_engine.wire.outbox import DiskFullError, Outbox

ROLL = Dice(dice=(3, 4))


def stored(outbox: Outbox) -> list[Envelope]:
    return [Envelope.model_validate_json(payload) for _, payload in outbox.pending()]


def fill(outbox: Outbox, batch: int) -> tuple[DiskFullError, list[Envelope]]:
    """Puts until the disk is full; returns the complaint and what was stored before it."""
    for _ in range(10_000):
        before = stored(outbox)
        try:
            outbox.put_all((n, ROLL) for n in range(batch))
        except DiskFullError as error:
            return error, before
    raise AssertionError("the disk never became full")


def test_order_is_by_boot_and_seq_and_survives_a_restart(tmp_path: Path) -> None:
    with Outbox(tmp_path / "o", "cam1") as first:
        said = [first.put(5, ROLL), first.put(3, ROLL)]
    with Outbox(tmp_path / "o", "cam1") as second:
        assert second.boot == first.boot + 1
        said.append(second.put(1, ROLL))
        assert [e.seq for e in said] == [1, 2, 1]
        assert stored(second) == said
        assert second.first == Position(first.boot, 1)
        assert second.last == Position(second.boot, 1)


def test_trim_forgets_up_to_and_with_the_position(tmp_path: Path) -> None:
    with Outbox(tmp_path / "o", "cam1") as outbox:
        outbox.put_all((n, ROLL) for n in range(10))
        outbox.trim(Position(outbox.boot, 7))
        assert [e.seq for e in stored(outbox)] == [8, 9, 10]
        outbox.trim(Position(outbox.boot - 1, 99))
        assert len(outbox) == 3
        outbox.trim(outbox.last)
        assert outbox.first == Position(outbox.boot, 11)


def test_a_clock_that_jumps_back_changes_no_order(tmp_path: Path) -> None:
    times = [10_000, 500, -3, 20_000]

    class Jumping:
        def now_ms(self) -> int:
            return times.pop(0)

    with Outbox(tmp_path / "o", "cam1", Jumping()) as outbox:
        for at in (9, 8, 7, 6):
            outbox.put(at, ROLL)
        assert [(e.seq, e.recorded_ms) for e in stored(outbox)] == [(1, 10_000), (2, 500), (3, -3), (4, 20_000)]


def test_an_unsent_watermark_moves_forward_in_place(tmp_path: Path) -> None:
    with Outbox(tmp_path / "o", "cam1") as outbox:
        outbox.put(1, ROLL)
        assert [outbox.put(at, Watermark()).seq for at in (10, 20, 30)] == [2, 2, 2]
        assert [e.at_ms for e in stored(outbox)] == [1, 30]


def test_a_watermark_once_taken_is_never_altered(tmp_path: Path) -> None:
    with Outbox(tmp_path / "o", "cam1") as outbox:
        outbox.put(10, Watermark())
        sent = outbox.take()
        assert outbox.put(20, Watermark()).seq == 2
        outbox.rewind()
        assert outbox.put(30, Watermark()).seq == 2
        assert outbox.take()[:1] == sent


def test_take_moves_on_and_rewinds(tmp_path: Path) -> None:
    with Outbox(tmp_path / "o", "cam1") as outbox:
        outbox.put_all((n, ROLL) for n in range(5))
        assert [p.seq for p, _ in outbox.take(3)] == [1, 2, 3]
        assert [p.seq for p, _ in outbox.take(3)] == [4, 5]
        assert outbox.take(3) == []
        outbox.rewind(Position(outbox.boot, 3))
        assert [p.seq for p, _ in outbox.take(9)] == [4, 5]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["roll", "mark", "take", "rewind", "ack", "restart"]), max_size=40))
def test_what_is_taken_has_no_holes_and_loses_no_roll(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str]
) -> None:
    path = tmp_path_factory.mktemp("outbox") / "o"
    outbox = Outbox(path, "cam1")
    wire: dict[Position, str] = {}
    put: list[int] = []
    acked = ORIGIN

    def take(limit: int) -> None:
        for position, payload in outbox.take(limit):
            assert wire.setdefault(position, payload) == payload, "sent twice with different content"

    for n, step in enumerate(steps):
        match step:
            case "roll":
                outbox.put(n, ROLL)
                put.append(n)
            case "mark":
                outbox.put(n, Watermark())
            case "take":
                take(2)
            case "rewind":
                outbox.rewind(acked)
            case "ack" if wire:
                acked = max(wire)
                outbox.trim(acked)
            case "restart":
                outbox.close()
                outbox = Outbox(path, "cam1")
    outbox.rewind(acked)
    take(1000)
    outbox.close()
    expected: dict[int, int] = {}
    for position in sorted(wire):
        assert position.seq == expected.get(position.boot, 0) + 1, f"hole before {position}"
        expected[position.boot] = position.seq
    sent = [Envelope.model_validate_json(wire[p]) for p in sorted(wire)]
    assert [e.at_ms for e in sent if e.data == ROLL] == put


def test_only_one_process_may_hold_it(tmp_path: Path) -> None:
    with (
        Outbox(tmp_path / "o", "cam1"),
        pytest.raises(WireError, match="held by another process; does cam1 already run"),
    ):
        Outbox(tmp_path / "o", "cam1")


def test_a_damaged_file_is_kept_aside_and_said(tmp_path: Path) -> None:
    path = tmp_path / "o"
    path.write_bytes(b"not a database at all" * 500)
    with Outbox(path, "cam1") as outbox:
        assert "was damaged and is kept as o.damaged-" in outbox.notice
        outbox.put(1, ROLL)
        assert len(outbox) == 1
    assert len(list(tmp_path.glob("o.damaged-*"))) == 1


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(WireError, match=r"file/o.*make the folder writable"):
        Outbox(tmp_path / "file" / "o", "cam1")


def test_other_users_may_not_read_it(tmp_path: Path) -> None:
    with Outbox(tmp_path / "o", "rack1") as outbox:
        outbox.put(1, ROLL)
        assert {p.stat().st_mode & 0o077 for p in tmp_path.iterdir()} == {0}


def test_a_lost_file_numbers_past_what_the_engine_has_seen(tmp_path: Path) -> None:
    with Outbox(tmp_path / "o", "cam1") as outbox:
        outbox.put_all([(1, ROLL), (2, ROLL)])
        assert not outbox.is_foreign(Position(outbox.boot - 1, 10**6))
        assert outbox.is_foreign(Position(outbox.boot, 1)), "acknowledged before it was sent"
        outbox.take(1)
        assert not outbox.is_foreign(Position(outbox.boot, 1))
        alien = Position(outbox.boot + 40, 9)
        assert outbox.is_foreign(alien)
        outbox.rebase(alien)
        assert [(e.boot, e.seq, e.at_ms) for e in stored(outbox)] == [(alien.boot + 1, 1, 1), (alien.boot + 1, 2, 2)]
        assert outbox.put(3, ROLL).id == f"cam1:{alien.boot + 1}:3"
    with Outbox(tmp_path / "o", "cam1") as again:
        assert again.boot == alien.boot + 2


def test_a_full_disk_stores_nothing_and_heals(tmp_path: Path) -> None:
    with Outbox(tmp_path / "o", "cam1") as outbox:
        outbox.put(0, ROLL)
        pages = outbox._db.execute("pragma page_count").fetchone()[0]
        outbox._db.execute(f"pragma max_page_count = {pages + 3}")
        error, before = fill(outbox, 7)
        assert "the disk takes nothing more" in str(error)
        assert stored(outbox) == before, "a refused batch left something behind"
        outbox._db.execute("pragma max_page_count = 100000")
        assert outbox.put(99, ROLL).seq == before[-1].seq + 1


@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("mount") is None, reason="mounting a small file system needs root"
)
def test_a_really_full_file_system(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(disk)], capture_output=True)
    if mounted.returncode:
        pytest.skip(f"no tmpfs here: {mounted.stderr.decode().strip()}")
    try:
        with Outbox(disk / "o", "cam1") as outbox:
            outbox.put(0, ROLL)
            filler = disk / "filler"
            filler.write_bytes(b"x" * 150_000)
            _, kept = fill(outbox, 50)
            assert stored(outbox) == kept
            assert [e.seq for e in kept] == list(range(1, len(kept) + 1))
            filler.unlink()
            outbox.put(1, ROLL)
            assert len(outbox) == len(kept) + 1
        with Outbox(disk / "o", "cam1") as again:
            assert len(again) == len(kept) + 1
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_whatever_put_returned_survives_a_kill(tmp_path: Path) -> None:
    program = textwrap.dedent("""
        import sys
        from pathlib import Path
        from table_engine.wire.observations import Dice
        from table_engine.wire.outbox import Outbox
        outbox = Outbox(Path(sys.argv[1]), "cam1")
        while True:
            print(outbox.put(0, Dice(dice=(1, 2))).id, flush=True)
    """)
    said: list[str] = []
    for _ in range(3):
        child = subprocess.Popen(
            [sys.executable, "-c", program, str(tmp_path / "o")], stdout=subprocess.PIPE, text=True
        )
        assert child.stdout is not None
        said += [child.stdout.readline().strip() for _ in range(50)]
        child.send_signal(signal.SIGKILL)
        said += [line.strip() for line in child.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
        child.wait()
    with Outbox(tmp_path / "o", "cam1") as outbox:
        kept = [e.id for e in stored(outbox)]
    assert set(said) <= set(kept)
    assert len(kept) <= len(said) + 3, "more than the one put in flight at each kill"


def test_every_observation_fits(tmp_path: Path) -> None:
    marks: list[Observation] = [ROLL, Watermark()]
    with Outbox(tmp_path / "o", "cam1") as outbox:
        assert [e.data for e in outbox.put_all(enumerate(marks))] == marks
