"""Boards of the past, bells, and who is rung."""

from __future__ import annotations

import asyncio

import boards
import pytest

from table_engine.web.hub import ENDED_KEPT, Hub
from table_engine.wire.alerts import AlertEnded, AlertUpdated


class Clock:
    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def hub(clock: Clock) -> Hub:
    return Hub(("table-1", "table-2"), clock)


def test_revisions_count_over_all_tables_and_only_what_changed_has_a_new_one(hub: Hub) -> None:
    hub.publish("table-1", "clocks", '{"a": 1}')
    hub.publish("table-2", "clocks", '{"a": 1}')
    hub.publish("table-1", "ledger", '{"b": 1}')
    hub.publish("table-1", "ledger", '{"b": 1}')
    assert {name: part.revision for name, part in hub.parts("table-1").items()} == {"clocks": 1, "ledger": 3}
    assert hub.revision == 3


def test_a_board_is_known_as_it_was_and_no_longer_than_asked_for(hub: Hub, clock: Clock) -> None:
    hub.keep_past("table-1", 10.0)
    for n in range(40):
        clock.now_s = 100.0 + n
        hub.publish("table-1", "clocks", str(n))
    assert hub.parts("table-1")["clocks"].text == "39"
    assert hub.parts("table-1", 10.0)["clocks"].text == "29"
    assert hub.parts("table-1", 0.5)["clocks"].text == "38"
    assert hub.due_s("table-1", 10.0) == 1.0
    assert len(hub._boards["table-1"].past) <= 12
    hub.keep_past("table-1", 0.0)
    hub.publish("table-1", "clocks", "40")
    assert len(hub._boards["table-1"].past) == 0


def test_before_it_was_known_a_delayed_reader_sees_nothing(hub: Hub, clock: Clock) -> None:
    hub.publish("table-1", "clocks", "1")
    assert hub.parts("table-1", 60.0) == {}
    clock.now_s += 59.9
    assert hub.parts("table-1", 60.0) == {}
    clock.now_s += 0.2
    assert hub.parts("table-1", 60.0)["clocks"].text == "1"


def test_only_readers_of_the_part_that_changed_are_rung(hub: Hub) -> None:
    async def look() -> tuple[set[str], set[str]]:
        with (
            hub.watch(("table-1", "table-2"), frozenset({"clocks"})) as one,
            hub.watch(("table-2",), frozenset({"view"})) as other,
        ):
            one.take()
            other.take()
            for n in range(50):
                hub.publish("table-1", "clocks", str(n))
            hub.publish("table-2", "ledger", "1")
            await one.wait(5.0)
            await other.wait(0.05)
            return one.take(), other.take()

    assert asyncio.run(look()) == ({"table-1"}, set())


def test_an_alert_lives_in_one_list_and_the_oldest_ended_are_let_go(hub: Hub) -> None:
    for n in range(ENDED_KEPT + 5):
        alert = boards.alert(id=f"a{n}")
        hub.publish_alert("table-1", boards.raised(id=f"a{n}"))
        taken = alert.model_copy(update={"state": "acknowledged"})
        hub.publish_alert("table-1", AlertUpdated(before=alert, after=taken))
        ended = alert.model_copy(update={"state": "dismissed"})
        hub.publish_alert("table-1", AlertEnded(before=taken, after=ended, reason="no"))
    assert hub.alert("table-1", "a0") is None
    assert hub.alert("table-1", "a204") == (boards.alert(id="a204", state="dismissed"), "no")
    assert len(hub.known_alerts("table-1")) == ENDED_KEPT
    hub.publish_alert("table-1", AlertUpdated(before=ended, after=boards.alert(id="a204", state="open")))
    assert hub.alert("table-1", "a204")[0].state == "open"
    assert len(hub.known_alerts("table-1")) == ENDED_KEPT
