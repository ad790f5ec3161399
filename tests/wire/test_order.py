from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from table_engine.wire.messages import Availability, NodeInfo, Position
from table_engine.wire.observations import Dice, Envelope
from table_engine.wire.order import Order
from table_engine.wire.received import Gap, Observed, Presence
from table_engine.wire.source import Source


def test_in_order_is_let_through_at_once() -> None:
    order: Order[str] = Order()
    assert order.offer(Position(3, 1), "a", 0.0) == ["a"]
    assert order.offer(Position(3, 2), "b", 0.0) == ["b"]
    assert order.offer(Position(3, 2), "b again", 0.0) == []
    assert order.offer(Position(4, 1), "c", 0.0) == ["c"]
    assert order.offer(Position(3, 3), "of a boot that is over", 0.0) == []


def test_what_comes_early_waits_for_the_hole() -> None:
    order: Order[str] = Order(Position(1, 4))
    assert order.offer(Position(1, 7), "7", 0.0) == []
    assert order.offer(Position(1, 6), "6", 0.0) == []
    assert order.hole is not None
    assert order.hole.expected == Position(1, 5)
    assert order.offer(Position(1, 5), "5", 0.0) == ["5", "6", "7"]
    assert order.hole is None


def test_a_later_boot_doesnt_jump_over_the_rest_of_this_one() -> None:
    order: Order[str] = Order(Position(1, 4))
    assert order.offer(Position(1, 6), "6", 0.0) == []
    assert order.offer(Position(2, 1), "next boot", 0.0) == []
    assert order.offer(Position(1, 5), "5", 0.0) == ["5", "6"]
    assert order.offer(Position(1, 7), "7", 0.0) == ["7"]
    assert order.offer(Position(2, 1), "next boot", 0.0) == ["next boot"]


def test_giving_up_goes_on_with_the_earliest_that_waits() -> None:
    order: Order[str] = Order(Position(1, 4))
    order.offer(Position(1, 9), "9", 0.0)
    order.offer(Position(1, 7), "7", 0.0)
    assert order.give_up(None, 0.0) == (Position(1, 7), ["7"])
    assert order.hole is not None
    assert order.hole.expected == Position(1, 8)
    assert order.give_up(Position(1, 12), 0.0) == (Position(1, 9), ["9"])
    assert order.give_up(Position(1, 12), 0.0) is None, "there is no hole any more"


def test_the_rest_of_this_boot_comes_before_the_boot_whose_middle_was_heard_first() -> None:
    order: Order[str] = Order(Position(1, 4))
    assert order.offer(Position(2, 5), "2:5", 0.0) == []
    assert order.offer(Position(1, 5), "1:5", 0.0) == ["1:5"]
    assert order.offer(Position(2, 1), "2:1", 0.0) == ["2:1"]


@given(st.data(), st.lists(st.integers(1, 9), min_size=1, max_size=4))
def test_whatever_the_broker_does_each_is_let_through_once_in_order(data: st.DataObject, sizes: list[int]) -> None:
    """The source sends everything unacknowledged again and again; each time some are lost, repeated or swapped."""
    said = [Position(boot, seq) for boot, size in enumerate(sizes, 1) for seq in range(1, size + 1)]
    order: Order[Position] = Order()
    let: list[Position] = []
    for _ in range(3):
        left = [p for p in said if order.position is None or p > order.position]
        kept = data.draw(st.lists(st.sampled_from(left), max_size=20)) if left else []
        for position in kept:
            let += order.offer(position, position, 0.0)
            assert let == sorted(set(let))
    assert let == sorted(let)
    for boot in {p.boot for p in let}:
        seqs = [p.seq for p in let if p.boot == boot]
        assert seqs == list(range(1, len(seqs) + 1)), "a hole was jumped over"
    for _ in range(len(sizes) + 1):
        for position in said:
            let += order.offer(position, position, 0.0)
    assert let == sorted(set(let))
    assert let[-1] == said[-1]


def hear(source: Source, seq: int, now_s: float, boot: int = 1) -> list[int]:
    payload = Envelope.of("cam1", boot, seq, 0, 0, Dice(dice=(1, 2))).model_dump_json().encode()
    got = source.on_envelopes("ev", payload, secret=False, now_s=now_s, now_ms=0)
    return [r.position.seq for r in got if isinstance(r, Observed)]


def test_a_hole_is_asked_for_ever_less_often_told_once_and_given_up_when_the_source_is_there() -> None:
    source = Source("t1", "cam1")
    list(source.on_presence(Availability(state="online", boot=1), retained=False, now_s=0.0))
    hear(source, 1, 0.0)
    hear(source, 4, 0.0)
    heard: list[tuple[float, str]] = []
    for tenth in range(60):
        now_s = tenth / 10
        for received in source.mind(now_s):
            match received:
                case Gap(state=state, seen=seen):
                    heard.append((now_s, state))
                    assert seen == Position(1, 4)
                case Observed(position=position):
                    assert position == Position(1, 4)
                    heard.append((now_s, "observed"))
        heard += [(now_s, wish) for wish in source.wishes]
        source.wishes.clear()
    assert heard == [
        (0.0, "resend"),
        (1.0, "open"),
        (1.0, "rebirth"),
        (1.0, "resend"),
        (3.0, "resend"),
        (5.0, "lost"),
        (5.0, "observed"),
        (5.0, "resend"),
    ]


def test_a_source_that_promises_is_waited_for_but_not_for_ever() -> None:
    """A broker with a long queue is slow, and a message it will never pass on must not stop the rest."""
    source = Source("t1", "cam1")
    list(source.on_presence(Availability(state="online", boot=1), retained=False, now_s=0.0))
    hear(source, 2, 0.0)
    states: list[tuple[int, str]] = []
    for now_s in range(62):
        info = NodeInfo(node="cam1", kind="camera", boot=1, first=Position(1, 1))
        list(source.on_birth(info, float(now_s)))
        states += [(now_s, r.state) for r in source.mind(float(now_s)) if isinstance(r, Gap)]
    assert states == [(1, "open"), (60, "lost")]


def test_a_source_that_is_away_is_waited_for() -> None:
    source = Source("t1", "cam1")
    hear(source, 2, 0.0)
    assert [g.state for g in source.mind(1000.0) if isinstance(g, Gap)] == ["open"]
    assert list(source.on_presence(Availability(state="online", boot=1), retained=False, now_s=1000.0)) == [
        Presence("t1", "cam1", 1, True)
    ]
    assert list(source.mind(1004.0)) == []
    assert hear(source, 1, 1004.5) == [1, 2]
    assert [g.state for g in source.mind(1004.5) if isinstance(g, Gap)] == ["healed"]


def test_a_source_with_nothing_earlier_is_not_waited_for() -> None:
    source = Source("t1", "cam1", Order(Position(1, 5)))
    hear(source, 9, 0.0)
    info = NodeInfo(node="cam1", kind="camera", boot=1, first=Position(1, 9))
    gap, observed, birth = source.on_birth(info, 0.1)
    assert gap == Gap("t1", "cam1", Position(1, 6), Position(1, 9), "lost")
    assert isinstance(observed, Observed)
    assert list(source.on_birth(info, 0.2)) == [], "the same birth is no news"
    assert birth.info == info
    assert "rebirth" in source.wishes
