"""Commands to sensors: answered once, and a sensor that begins anew has taken what was set when it is back."""

from __future__ import annotations

from concurrent.futures import Future

import pytest

from table_engine.orders import Orders
from table_engine.web.hub import Order
from table_engine.wire.errors import DeviceError
from table_engine.wire.messages import Response
from table_engine.wire.received import Answered, Presence


class Wire:
    """The engine's end of the wire: commands get numbers."""

    def __init__(self) -> None:
        self.sent: list[object] = []

    def command(self, table, node, name, data, timeout_s):
        self.sent.append((table, node, name, data, timeout_s))
        return f"t{len(self.sent)}"


def given(orders: Orders, name: str) -> Future:
    answer: Future = Future()
    orders.give(Wire(), [Order("t", "cam", name, {}, 5.0, answer)])
    return answer


def said(status: str = "ok", error: str = "") -> Answered:
    return Answered("t", "cam", "x", Response(transaction="t1", status=status, data={"n": 1}, error=error))


def test_an_answer_goes_to_who_asked():
    orders = Orders()
    answer = given(orders, "learn")
    orders.hear([Answered("t", "cam", "x", Response(transaction="other", status="ok"))])
    assert not answer.done()
    orders.hear([said()])
    assert answer.result(0) == {"n": 1}
    orders.hear([said()])


def test_what_a_sensor_cannot_do_is_raised():
    orders = Orders()
    answer = given(orders, "reload")
    orders.hear([said("error", "no such command")])
    with pytest.raises(DeviceError, match="no such command"):
        answer.result(0)


def test_a_sensor_has_begun_anew_when_it_is_back_under_another_boot():
    orders = Orders()
    orders.hear([Presence("t", "cam", 7, online=True)])
    answer = given(orders, "reload")
    orders.hear(
        [said(), Presence("t", "cam", 7, online=True, trouble=("busy",)), Presence("t", "cam", 7, online=False)]
    )
    assert not answer.done()
    orders.hear([Presence("u", "cam", 8, online=True), Presence("t", "other", 8, online=True)])
    assert not answer.done()
    orders.hear([Presence("t", "cam", 8, online=True)])
    assert answer.result(0) == {}


def test_an_answer_nobody_waits_for_any_more_hurts_nobody():
    orders = Orders()
    answer = given(orders, "reload")
    orders.hear([said()])
    assert answer.cancel()
    orders.hear([Presence("t", "cam", 8, online=True)])
