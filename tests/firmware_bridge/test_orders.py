"""Commands go one at a time, each once, and what nobody waits for any more is not done late."""

import pytest

from firmware_bridge.messages import Beep
from firmware_bridge.orders import Orders
from table_engine.wire.errors import DeviceError


def beep(n):
    return Beep(440, n)


def test_one_at_a_time_in_order():
    orders = Orders()
    orders.begin(65_534)
    tickets = [orders.add(beep(n)) for n in range(3)]
    assert orders.next(0) == (beep(0), 65_535)
    assert orders.next(0) is None
    assert orders.answered(5) is None
    assert orders.answered(65_535) == (tickets[0], beep(0))
    assert orders.next(0) == (beep(1), 0), "numbers count modulo 65536"


def test_one_without_an_answer_goes_again_under_its_number():
    orders = Orders()
    orders.add(beep(1))
    orders.next(1_000)
    assert not orders.overdue(1_399)
    assert orders.overdue(1_400)
    assert orders.next(1_400) == (beep(1), 1)


def test_what_is_given_up_is_not_sent_but_what_was_sent_keeps_its_number():
    orders = Orders()
    first, second = orders.add(beep(1)), orders.add(beep(2))
    orders.next(0)
    orders.give_up(first)
    orders.give_up(second)
    assert len(orders) == 1
    third = orders.add(beep(3))
    assert orders.answered(1) == (first, beep(1))
    assert orders.next(0) == (beep(3), 2)
    assert orders.answered(2) == (third, beep(3))


def test_a_device_begun_anew_gets_only_what_somebody_waits_for():
    orders = Orders()
    orders.begin(40)
    first = orders.add(beep(1))
    orders.next(0)
    orders.give_up(first)
    second = orders.add(beep(2))
    orders.begin(0)
    assert orders.next(0) == (beep(2), 1)
    assert orders.answered(1) == (second, beep(2))


def test_no_more_wait_than_a_window():
    orders = Orders()
    for n in range(16):
        orders.add(beep(n))
    with pytest.raises(DeviceError, match="16 commands are waiting"):
        orders.add(beep(16))
