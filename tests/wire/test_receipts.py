from __future__ import annotations

import json

from table_engine.wire.messages import Position
from table_engine.wire.mqtt import Incoming
from table_engine.wire.receipts import PATIENCE_S, Receipts

CAM, CTL, OTHER = ("t1", "cam1"), ("t1", "ctl"), ("t2", "cam1")


def message(mid: int) -> Incoming:
    return Incoming(1, mid, "topic", b"", False)


def mids(receipts: Receipts, now_s: float = 0.0) -> list[int]:
    return [one.mid for one in receipts.due(now_s)]


def test_confirmed_in_order_of_arrival_as_far_as_committed() -> None:
    receipts = Receipts({}, set())
    receipts.owe(message(1), CAM, Position(7, 1), 0.0)
    receipts.owe(message(2), CTL, None, 0.0)
    receipts.owe(message(3), CTL, Position(3, 1), 0.0)
    receipts.owe(message(4), CAM, Position(7, 2), 0.0)
    assert mids(receipts) == []
    receipts.commit(CTL, Position(3, 1))
    assert mids(receipts) == [], "what came first is not committed"
    receipts.commit(CAM, Position(7, 1))
    assert mids(receipts) == [1, 2, 3]
    receipts.commit(CAM, Position(7, 9))
    assert mids(receipts) == [4]
    assert mids(receipts) == []


def test_a_table_without_commits_does_not_hold_up_the_others() -> None:
    receipts = Receipts({}, set())
    receipts.owe(message(1), CAM, Position(1, 1), 0.0)
    receipts.owe(message(2), OTHER, Position(1, 1), 0.0)
    receipts.commit(OTHER, Position(1, 1))
    assert mids(receipts) == [2]
    assert mids(receipts, PATIENCE_S) == [1]
    receipts.owe(message(3), CAM, Position(1, 2), PATIENCE_S)
    assert mids(receipts, PATIENCE_S) == [3], "as long as it is stuck nothing of it waits"
    assert json.loads(receipts.ack("t1")) == {}, "but it is not acknowledged"
    receipts.commit(CAM, Position(1, 2))
    receipts.owe(message(4), CAM, Position(1, 3), 9.0)
    assert mids(receipts, 9.0) == []


def test_the_ack_is_cumulative_by_table_and_never_goes_back() -> None:
    receipts = Receipts({CAM: Position(1, 5)}, {"t1", "t2"})
    receipts.commit(CTL, Position(4, 2))
    receipts.commit(CAM, Position(1, 3))
    receipts.commit(OTHER, Position(2, 2))
    assert json.loads(receipts.ack("t1")) == {"cam1": {"boot": 1, "seq": 5}, "ctl": {"boot": 4, "seq": 2}}
    assert json.loads(receipts.ack("t2")) == {"cam1": {"boot": 2, "seq": 2}}


def test_a_new_session_owes_nothing() -> None:
    receipts = Receipts({}, set())
    receipts.owe(message(1), CAM, None, 0.0)
    receipts.forget()
    assert mids(receipts) == []
