"""A command is done once however often it comes, and its answer may take a while."""

from concurrent.futures import Future

import pytest

from table_engine.wire.answers import Answers
from table_engine.wire.errors import DeviceError
from table_engine.wire.messages import Command, Response


class Node:
    def __init__(self):
        self.done, self.agains, self.wakes = [], 0, 0
        self.future = Future()
        handlers = {"lamp": self.lamp, "lift": lambda _: self.future, "jam": self.jam, "rebirth": lambda _: None}
        self.answers = Answers("serial", handlers, again=self.again, wake=self.wake)

    def lamp(self, data):
        self.done.append(data)
        return {"lit": True}

    def jam(self, _data):
        raise DeviceError("stuck")

    def again(self):
        self.agains += 1

    def wake(self):
        self.wakes += 1

    def take(self, name, transaction="a", **data):
        self.answers.take(name, Command(transaction=transaction, data=data))
        return self.due()

    def due(self):
        return [(name, Response.model_validate_json(text)) for name, text in self.answers.due()]


@pytest.fixture
def node():
    return Node()


def test_the_same_transaction_is_done_once_and_answered_twice(node):
    first = node.take("lamp", seat=1)
    assert first == [("lamp", Response(transaction="a", status="ok", data={"lit": True}))]
    assert node.take("lamp", seat=1) == first
    assert node.done == [{"seat": 1}]


def test_what_is_not_known_or_fails_is_an_error_in_words(node):
    ((_, unknown),) = node.take("dance")
    assert unknown.error == "serial has no command 'dance'; it has jam, lamp, lift, rebirth, resend"
    ((_, failed),) = node.take("jam", "b")
    assert (failed.status, failed.error) == ("error", "serial jam: stuck")


def test_resend_and_rebirth_go_back_once_a_transaction(node):
    for name, transaction in (("resend", "a"), ("rebirth", "b"), ("rebirth", "b")):
        ((_, response),) = node.take(name, transaction)
        assert response.status == "ok"
    assert node.agains == 2


def test_an_answer_may_come_later(node):
    assert node.take("lift", "x") == []
    assert node.take("lift", "x") == [], "asked again while it is being done"
    node.future.set_result({"result": "done"})
    assert node.wakes == 1
    assert node.due() == [("lift", Response(transaction="x", status="ok", data={"result": "done"}))]
    assert node.due() == []
    assert node.take("lift", "x")[0][1].data == {"result": "done"}


def test_a_late_refusal_is_an_error(node):
    node.take("lift", "x")
    node.future.set_exception(DeviceError("refused"))
    ((_, response),) = node.due()
    assert (response.status, response.error) == ("error", "serial lift: refused")
