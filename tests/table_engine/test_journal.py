"""The journal: exactly once, on disk before it counts, read back as it was, and plain words when the disk fails."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from contextlib import closing
from pathlib import Path

import pytest

from table_engine import journal
from table_engine.events import Event, SourcePresence
from table_engine.journal import Journal, JournalFullError
from table_engine.wire.acts import Dismiss, RefereeAct
from table_engine.wire.errors import RecordError, SettingsError
from table_engine.wire.messages import Position
from table_engine.wire.observations import DiscardZone, Envelope, Watermark
from table_engine.wire.seats import Seat


def envelope(seq: int, src: str = "cam1", boot: int = 1) -> Envelope:
    data = DiscardZone(seat=Seat.S1, count=seq) if seq % 2 else Watermark()
    return Envelope.of(src, boot, seq, seq * 10, seq * 10 + 3, data)


def opened(path: Path) -> Journal:
    return Journal(path / "t1.sqlite3", "t1", "riichi", {"judging.settle_ms": 900})


def test_what_was_appended_is_read_back_in_order(tmp_path: Path) -> None:
    events: list[Event] = [
        envelope(1),
        SourcePresence(src="cam1", boot=1, online=False, at_ms=12),
        envelope(2),
        RefereeAct(id="r1", did=Dismiss(alert="a", reason="seen otherwise"), at_ms=40),
    ]
    with opened(tmp_path) as book:
        assert book.append(events[:2]) == events[:2]
        assert book.append(events[2:]) == events[2:]
    with opened(tmp_path) as book:
        assert list(book.events()) == events
        assert len(book) == 4
    assert list(journal.read(tmp_path / "t1.sqlite3")) == events


def test_an_envelope_counts_once(tmp_path: Path) -> None:
    with opened(tmp_path) as book:
        book.append([envelope(1), envelope(2)])
        assert book.append([envelope(2), envelope(3), envelope(3), envelope(1, boot=2)]) == [
            envelope(3),
            envelope(1, boot=2),
        ]
        assert book.append([envelope(1), envelope(2)]) == []
        assert len(book) == 4


def test_positions_are_the_last_of_the_newest_boot(tmp_path: Path) -> None:
    with opened(tmp_path) as book:
        assert book.positions() == {}
        book.append([envelope(n) for n in range(1, 9)] + [envelope(1, boot=2), envelope(5, "bridge", 7)])
        assert book.positions() == {"cam1": Position(2, 1), "bridge": Position(7, 5)}


def test_every_opening_is_a_boot(tmp_path: Path) -> None:
    boots = []
    for _ in range(3):
        with opened(tmp_path) as book:
            boots.append(book.boot)
    assert boots == sorted(set(boots))


def test_a_second_engine_is_refused(tmp_path: Path) -> None:
    with opened(tmp_path), pytest.raises(RecordError, match="held by another engine"):
        opened(tmp_path)


def test_other_rules_need_another_journal(tmp_path: Path) -> None:
    opened(tmp_path).close()
    with pytest.raises(SettingsError, match="begun with ruleset riichi"):
        Journal(tmp_path / "t1.sqlite3", "t1", "taiwan16")
    with pytest.raises(SettingsError, match="begun with overrides"):
        Journal(tmp_path / "t1.sqlite3", "t1", "riichi")
    assert journal.about(tmp_path / "t1.sqlite3").rules().judging.settle_ms == 900


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as book:
        book.append([envelope(1)])
        (pages,) = book._db.execute("pragma page_count").fetchone()
        book._db.execute(f"pragma max_page_count = {pages}")
        batch = [envelope(n) for n in range(2, 2000)]
        with pytest.raises(JournalFullError, match="takes nothing more"):
            book.append(batch)
        assert len(book) == 1
        book._db.execute("pragma max_page_count = 1000000")
        assert book.append(batch) == batch


def test_a_damaged_file_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "t1.sqlite3"
    with opened(tmp_path) as book:
        book.append([envelope(n) for n in range(1, 3000)])
    raw = bytearray(path.read_bytes())
    raw[4096 * 5 : 4096 * 12] = os.urandom(4096 * 7)
    path.write_bytes(raw)
    with pytest.raises(RecordError, match=r"damaged.*move it away"):
        opened(tmp_path)
    path.write_bytes(b"not a database at all, but long enough to be taken for one" * 40)
    with pytest.raises(RecordError, match=r"damaged.*move it away"):
        opened(tmp_path)
    with pytest.raises(RecordError, match="damaged"):
        list(journal.read(path))


def test_files_that_are_no_journals(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    with pytest.raises(RecordError, match="empty is no journal; the journals of a site are"):
        journal.about(tmp_path / "empty")
    with pytest.raises(RecordError, match="no journal at"):
        list(journal.read(tmp_path / "absent"))
    with closing(sqlite3.connect(tmp_path / "other")) as db:
        db.execute("create table about (key text, value text)")
        db.commit()
    with pytest.raises(RecordError, match="no journal of version 1"):
        list(journal.read(tmp_path / "other"))


def test_an_entry_that_is_not_understood_is_named(tmp_path: Path) -> None:
    with opened(tmp_path) as book:
        book.append([envelope(1), envelope(2)])
        book._db.execute("""update event set body = '{"v": 9}' where n = 2""")
        with pytest.raises(RecordError, match="entry 2 is not understood"):
            list(book.events())


def test_a_kill_between_two_commits_loses_only_what_was_not_told(tmp_path: Path) -> None:
    """A child appends batches of ten and prints how far it is; it is killed in the middle of its work."""
    script = textwrap.dedent("""
        import sys
        from pathlib import Path
        from table_engine.journal import Journal
        from table_engine.wire.observations import Envelope, Watermark
        with Journal(Path(sys.argv[1]), "t1", "riichi", {"judging.settle_ms": 900}) as book:
            for n in range(1, 100_000, 10):
                book.append([Envelope.of("cam1", 1, k, k, k, Watermark()) for k in range(n, n + 10)])
                print(n + 9, flush=True)
    """)
    path = tmp_path / "t1.sqlite3"
    child = subprocess.Popen([sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    told = [int(child.stdout.readline()) for _ in range(25)][-1]
    child.send_signal(signal.SIGKILL)
    told = max([told, *(int(line) for line in child.stdout.read().split())])
    child.wait()
    with opened(tmp_path) as book:
        seqs = [event.seq for event in book.events() if isinstance(event, Envelope)]
        assert seqs == list(range(1, len(seqs) + 1))
        assert len(seqs) >= told
        assert len(seqs) % 10 == 0
