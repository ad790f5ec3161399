from __future__ import annotations

from random import Random

import pytest

from table_engine.fusion.order import Merge, drain, offer, presence
from table_engine.wire.observations import Bay, Envelope, Watermark

BAY = Bay(open=True)


def said(src: str, seq: int, at_ms: int, *, mark: bool = False, boot: int = 1) -> Envelope:
    return Envelope.of(src, boot, seq, at_ms, at_ms, Watermark() if mark else BAY)


def run(envelopes: list[Envelope], merge: Merge | None = None) -> tuple[Merge, list[str], list[str]]:
    merge = merge or Merge()
    out: list[str] = []
    faults: list[str] = []
    for envelope in envelopes:
        merged = offer(merge, envelope)
        merge = merged.merge
        out += [e.id for e in merged.released]
        faults += [f.code for f in merged.faults]
    return merge, out, faults


def test_nothing_is_released_before_every_live_source_has_promised() -> None:
    merge, out, _ = run([said("a", 1, 100), said("a", 2, 200, mark=True)])
    assert out == ["a:1:1", "a:1:2"]
    merge, out, _ = run([said("b", 1, 200, mark=True), said("a", 3, 250), said("a", 4, 300, mark=True)], merge)
    assert out == ["b:1:1"]
    _, out, _ = run([said("b", 2, 220), said("b", 3, 260, mark=True)], merge)
    assert out == ["b:1:2", "a:1:3", "b:1:3"]


def test_a_promise_all_have_reached_goes_ahead_of_what_was_said_of_its_moment() -> None:
    merge, _, _ = run([said("a", 1, 100, mark=True), said("b", 1, 100, mark=True)])
    merge, out, _ = run([said("a", 2, 200), said("b", 2, 200), said("b", 3, 200, mark=True)], merge)
    assert out == []
    merge, out, _ = run([said("a", 3, 200, mark=True)], merge)
    assert out == ["a:1:3", "b:1:3"]
    _, out, _ = run([said("a", 4, 300, mark=True), said("b", 4, 300, mark=True)], merge)
    assert out == ["a:1:2", "b:1:2", "a:1:4", "b:1:4"]


def test_a_moment_is_complete_only_once_it_is_past() -> None:
    _, out, _ = run([said("a", 1, 100), said("a", 2, 100, mark=True)])
    assert out == ["a:1:2"]


def test_what_was_had_before_is_dropped() -> None:
    _, out, _ = run([said("a", 1, 100), said("a", 1, 100), said("a", 2, 200, mark=True), said("a", 2, 200, mark=True)])
    assert out == ["a:1:1", "a:1:2"]


def test_a_missing_number_is_waited_for() -> None:
    merge, out, faults = run([said("a", 1, 100), said("a", 3, 300), said("a", 4, 400, mark=True)])
    assert (out, faults) == ([], [])
    _, out, faults = run([said("a", 2, 200)], merge)
    assert out == ["a:1:1", "a:1:2", "a:1:3", "a:1:4"]
    assert faults == []


def test_a_number_that_never_comes_is_given_up_and_said() -> None:
    merge, out, faults = run([said("a", 1, 100), said("a", 3, 300), said("a", 4, 2_400, mark=True)])
    assert out == ["a:1:1", "a:1:3", "a:1:4"]
    assert faults == ["messages_lost"]
    _, out, _ = run([said("a", 2, 200), said("a", 2, 200)], merge)
    assert out == ["a:1:2"]


def test_a_new_boot_counts_anew_and_an_old_one_is_over() -> None:
    merge, _, _ = run([said("a", 7, 100), said("a", 8, 200, mark=True)])
    _, out, _ = run([said("a", 1, 300, boot=2), said("a", 9, 310), said("a", 2, 400, mark=True, boot=2)], merge)
    assert out == ["a:2:1", "a:2:2"]


def test_a_silent_source_is_not_waited_for_and_speaks_late() -> None:
    merge, _, _ = run([said("a", 1, 100, mark=True), said("b", 1, 100, mark=True)])
    merge, out, _ = run([said("a", 2, 200), said("a", 3, 5_000, mark=True)], merge)
    assert "a:1:2" in out
    assert merge.live == ("a",)
    _, out, _ = run([said("b", 2, 150)], merge)
    assert out == ["b:1:2"]


def test_a_source_that_goes_offline_is_not_waited_for() -> None:
    merge, _, _ = run([said("a", 1, 100, mark=True), said("b", 1, 100, mark=True), said("a", 2, 200)])
    merge, out, _ = run([said("a", 3, 300, mark=True)], merge)
    assert out == []
    late = presence(merge, "b", boot=1, online=False)
    assert [e.id for e in late.released] == ["a:1:2", "a:1:3"]


def test_an_offline_of_an_older_boot_means_nothing() -> None:
    merge, _, _ = run([said("a", 1, 100, mark=True, boot=3)])
    assert presence(merge, "a", boot=2, online=False).merge is merge


def test_the_end_of_a_stream_lets_everything_go() -> None:
    merge, _, _ = run([said("a", 1, 300), said("a", 3, 100)])
    done = drain(merge)
    assert [e.id for e in done.released] == ["a:1:3", "a:1:1"]
    assert drain(done.merge).released == ()


@pytest.mark.parametrize("seed", range(20))
def test_any_order_of_arrival_gives_the_same_stream(seed: int) -> None:
    sent = []
    for src, step in (("a", 70), ("b", 110)):
        sent += [said(src, seq, seq * step, mark=seq % 5 == 4) for seq in range(2, 60)]
    begin = [said("a", 1, 10, mark=True), said("b", 1, 10, mark=True)]
    merge, _, _ = run(begin)
    _, plain, _ = run(sorted(sent, key=lambda e: (e.at_ms, e.src, e.seq)), merge)
    rng = Random(seed)
    shuffled = sorted(sent, key=lambda e: e.at_ms + rng.random() * 1_500)
    twice = [e for e in shuffled for _ in range(1 + (rng.random() < 0.3))]
    _, mixed, faults = run(twice, merge)
    assert mixed == plain
    assert faults == []


def test_a_source_that_starts_anew_with_its_clock_set_back_goes_on_where_the_others_are() -> None:
    hour = 3_600_000
    merge, _, _ = run([said("a", 1, 2 * hour, mark=True), said("b", 1, 2 * hour + 100, mark=True)])
    back = [said("a", 1, hour, boot=2), said("a", 2, hour + 50, boot=2), said("a", 3, hour + 900, mark=True, boot=2)]
    merge, out, faults = run([*back, said("b", 2, 2 * hour + 400), said("b", 3, 2 * hour + 900, mark=True)], merge)
    assert faults == ["clock"]
    assert [one for one in out if one in ("a:2:1", "a:2:2", "b:1:2")] == ["a:2:1", "a:2:2", "b:1:2"]
    assert merge.sources["a"].promised_ms == 2 * hour + 1_000
    merge, _, faults = run([said("b", 1, hour + 901, boot=2), said("b", 2, hour + 951, mark=True, boot=2)], merge)
    assert faults == ["clock"]
    assert merge.sources["b"].promised_ms == 2 * hour + 1_050


def test_what_a_device_says_again_is_no_clock_set_back() -> None:
    merge, _, _ = run([said("a", 1, 100_000, mark=True)])
    merge, _, faults = run([said("a", 1, 60_000, boot=2), said("a", 2, 101_000, mark=True, boot=2)], merge)
    assert faults == []
    assert merge.sources["a"].shift_ms == 0
