"""Commands that people on the pages give to sensors, on their way: what was asked, what was answered, and for a sensor that
is to begin anew whether it is back."""

from __future__ import annotations

from collections.abc import Iterable

from table_engine.web.hub import Order
from table_engine.wire.consumer import EngineNode
from table_engine.wire.errors import DeviceError
from table_engine.wire.received import Answered, Presence, Received

RELOAD = "reload"
"""A sensor answers this one before it begins anew; what is asked of it in between it would never hear."""


class Orders:
    """Orders under way, of one engine's thread."""

    def __init__(self) -> None:
        self._open: dict[str, Order] = {}
        self._away: dict[tuple[str, str], tuple[Order, int | None]] = {}
        self._boots: dict[tuple[str, str], int] = {}

    def give(self, node: EngineNode, orders: Iterable[Order]) -> None:
        """Sends them on."""
        for order in orders:
            transaction = node.command(order.table, order.node, order.name, order.data, timeout_s=order.timeout_s)
            self._open[transaction] = order

    def hear(self, batch: Iterable[Received]) -> None:
        """Answers those of which news has come."""
        for one in batch:
            match one:
                case Presence(table=table, src=src, boot=boot, online=True):
                    self._boots[table, src] = boot
                    away = self._away.get((table, src))
                    if away is not None and away[1] != boot:
                        del self._away[table, src]
                        _answer(away[0])
                case Answered(response=response) if response.transaction in self._open:
                    order = self._open.pop(response.transaction)
                    at = (order.table, order.node)
                    if response.status != "ok":
                        if order.answer.set_running_or_notify_cancel():
                            order.answer.set_exception(DeviceError(response.error))
                    elif order.name == RELOAD:
                        self._away[at] = (order, self._boots.get(at))
                    elif order.answer.set_running_or_notify_cancel():
                        order.answer.set_result(response.data)
                case _:
                    pass


def _answer(order: Order) -> None:
    if order.answer.set_running_or_notify_cancel():
        order.answer.set_result({})
