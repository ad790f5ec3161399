"""Whom the engine does not wait for."""

from __future__ import annotations

from table_engine.fusion.order import Source
from table_engine.vigil import Vigil
from table_engine.wire.messages import NodeInfo, Position


def source(promised_ms: int, *, online: bool = True, spoken: bool = True) -> Source:
    return Source(1, 5, promised_ms, online, spoken)


def test_a_source_that_says_nothing_is_gone_after_three_seconds() -> None:
    vigil = Vigil()
    vigil.hear("cam", 0.0)
    vigil.hear("bridge", 0.0)
    sources = {"cam": source(100), "bridge": source(100)}
    vigil.hear("bridge", 2.9)
    assert list(vigil.gone(sources, 2.9)) == []
    assert [name for name, _ in vigil.gone(sources, 3.1)] == ["cam"]
    assert list(vigil.gone({"cam": source(100, online=False), "bridge": source(200)}, 3.2)) == []


def test_a_source_known_from_the_journal_gets_its_time() -> None:
    vigil = Vigil()
    assert list(vigil.gone({"cam": source(100)}, 50.0)) == []
    assert [name for name, _ in vigil.gone({"cam": source(100)}, 54.0)] == ["cam"]


def test_a_source_that_only_came_must_speak() -> None:
    vigil = Vigil()
    vigil.hear("other", 0.0)
    sources = {"other": source(-(2**62), spoken=False), "cam": source(10_000)}
    vigil.hear("cam", 3.1)
    assert [why for _, why in vigil.gone(sources, 3.2)] == ["says nothing"]


def test_nobody_is_blamed_for_our_own_silence() -> None:
    vigil = Vigil()
    vigil.hear("cam", 0.0)
    vigil.forgive(60.0)
    assert list(vigil.gone({"cam": source(100)}, 61.0)) == []


def test_who_could_not_be_heard_is_waited_for_whatever_its_last_will_says() -> None:
    vigil = Vigil()
    sources = {"cam": source(100), "bridge": source(100)}
    vigil.forgive(0.0, sources)
    vigil.hear("bridge", 0.1)
    vigil.hear("cam", 0.1, spoke=False)
    assert vigil.awaits("cam")
    assert not vigil.awaits("bridge")
    for second in range(1, 15):
        vigil.hear("bridge", second)
        assert list(vigil.gone({"cam": source(100), "bridge": source(60_000 * second)}, second)) == []
    vigil.hear("bridge", 15.2)
    assert list(vigil.gone(sources, 15.2)) == [("cam", "says nothing")]
    assert not vigil.awaits("cam")


def test_one_that_spoke_again_is_waited_for_as_ever() -> None:
    vigil = Vigil()
    vigil.forgive(0.0, ["cam", "bridge"])
    vigil.hear("cam", 1.0)
    assert not vigil.awaits("cam")
    vigil.hear("bridge", 4.0)
    assert list(vigil.gone({"cam": source(100), "bridge": source(100)}, 4.1)) == [("cam", "says nothing")]


def test_a_broker_that_stood_still_is_nobodys_silence() -> None:
    vigil = Vigil()
    sources = {"cam": source(100), "bridge": source(100)}
    vigil.hear("cam", 0.0)
    vigil.hear("bridge", 0.0)
    assert list(vigil.gone(sources, 8.0)) == []
    vigil.hear("cam", 8.1, spoke=False)  # its last will: it was killed meanwhile
    assert vigil.awaits("cam")
    vigil.hear("bridge", 8.2)
    assert list(vigil.gone(sources, 12.0)) == []
    assert len(list(vigil.gone(sources, 30.0))) == 2, "nor is it waited for without end"


def test_one_born_anew_is_waited_for_until_all_from_before_is_told() -> None:
    vigil = Vigil()
    cam, bridge = Source(17, 500, 100), source(90_000)
    vigil.hear("cam", 0.0)
    vigil.born(NodeInfo(node="cam", kind="camera", boot=18, first=Position(17, 501)))
    for second in range(15):
        vigil.hear("bridge", second)
        assert list(vigil.gone({"cam": cam, "bridge": bridge}, second)) == []
    vigil.hear("cam", 14.5)
    vigil.hear("bridge", 17.0)
    assert list(vigil.gone({"cam": Source(18, 1, 90_000), "bridge": bridge}, 17.4)) == []
    assert list(vigil.gone({"cam": Source(18, 1, 90_000), "bridge": bridge}, 17.6)) == [("cam", "says nothing")]


def run_behind(lags_ms: list[int]) -> list[str]:
    """One look a second; the bridge is ahead of the camera by so much."""
    vigil, whys = Vigil(), []
    for second, lag in enumerate(lags_ms):
        for name in ("cam", "bridge"):
            vigil.hear(name, second)
        whys += [why for _, why in vigil.gone({"cam": source(100_000), "bridge": source(100_000 + lag)}, second)]
    return whys


def test_a_source_that_catches_up_is_waited_for() -> None:
    assert run_behind([60_000 - 4_000 * n for n in range(16)]) == []


def test_a_source_whose_clock_is_wrong_is_not() -> None:
    (why,) = run_behind([40_000] * 14)
    assert why == "is 40 s behind the others and does not catch up; check its clock"
