"""A node's answers to commands: each transaction is done once and answered as often as it comes; some answers take a while."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future

from pydantic import JsonValue

from table_engine.wire.errors import JantakuError
from table_engine.wire.messages import Command, Response

Answer = Mapping[str, JsonValue] | None
"""The response's data."""
Handler = Callable[[Mapping[str, JsonValue]], Answer | Future[Answer]]
"""Gets a command's data, returns the response's data, or a Future of it when somebody else has to be asked first. A
JantakuError becomes an error response. Runs in the node's thread: set a flag or put, don't compute."""
_WRONG = (JantakuError, ValueError, LookupError, TypeError)
_KEPT = 256


class Answers:
    """Use from the node's thread; only Futures may be ended by others."""

    def __init__(
        self, node: str, handlers: Mapping[str, Handler], *, again: Callable[[], None], wake: Callable[[], None]
    ) -> None:
        """`again` is what `resend` and `rebirth` do at every node. `wake` is called, from any thread, when an answer that
        took a while is there."""
        self._node = node
        self._handlers = dict(handlers)
        self._again = again
        self._wake = wake
        self._given: OrderedDict[str, str] = OrderedDict()
        self._awaited: dict[str, tuple[str, Future[Answer]]] = {}
        self._due: list[tuple[str, str]] = []

    def take(self, name: str, command: Command) -> None:
        """Does what a command says, unless it was done."""
        transaction = command.transaction
        if transaction in self._awaited:
            return
        given = self._given.get(transaction)
        if given is not None:
            self._due.append((name, given))
            return
        if name in ("resend", "rebirth"):
            self._again()
        handler = self._handlers.get(name)
        if handler is None and name != "resend":
            known = ", ".join(sorted({"resend", *self._handlers}))
            self._refuse(name, transaction, f"{self._node} has no command {name!r}; it has {known}")
            return
        try:
            answer = handler(command.data) if handler is not None else None
        except _WRONG as error:
            self._refuse(name, transaction, f"{self._node} {name}: {error}")
            return
        if isinstance(answer, Future):
            self._awaited[transaction] = (name, answer)
            answer.add_done_callback(lambda _: self._wake())
        else:
            self._give(name, Response(transaction=transaction, status="ok", data=dict(answer or {})))

    def due(self) -> list[tuple[str, str]]:
        """Takes the answers that are there: (command's name, response as JSON)."""
        for transaction, (name, future) in list(self._awaited.items()):
            if future.done():
                del self._awaited[transaction]
                try:
                    data = dict(future.result() or {})
                except _WRONG as error:
                    self._refuse(name, transaction, f"{self._node} {name}: {error}")
                else:
                    self._give(name, Response(transaction=transaction, status="ok", data=data))
        due, self._due = self._due, []
        return due

    def _refuse(self, name: str, transaction: str, says: str) -> None:
        self._give(name, Response(transaction=transaction, status="error", error=says))

    def _give(self, name: str, response: Response) -> None:
        answer = response.model_dump_json()
        self._given[response.transaction] = answer
        while len(self._given) > _KEPT:
            self._given.popitem(last=False)
        self._due.append((name, answer))
