"""Topic names. Root `mj/v1/<venue>/<table>/<node>/…`; one ordered `ev` topic per source."""

from __future__ import annotations

import re
from dataclasses import dataclass

from table_engine.wire.errors import SettingsError

ROOT = "mj/v1"
ENGINE = "engine"
_ID = re.compile(r"[a-z0-9-]{1,32}")


def check_id(text: str) -> str:
    """An id usable in a topic. Raises SettingsError otherwise (dots, blanks and wildcards mean something to brokers)."""
    if not _ID.fullmatch(text):
        raise SettingsError(f"id {text!r}: use 1 to 32 of a-z, 0-9 and '-'")
    return text


@dataclass(frozen=True, slots=True)
class Topics:
    """The topics of one table."""

    venue: str
    table: str

    def __post_init__(self) -> None:
        check_id(self.venue)
        check_id(self.table)

    def node(self, node: str, leaf: str) -> str:
        return f"{ROOT}/{self.venue}/{self.table}/{check_id(node)}/{leaf}"

    def availability(self, node: str) -> str:
        return self.node(node, "availability")

    def info(self, node: str) -> str:
        return self.node(node, "info")

    def events(self, node: str) -> str:
        return self.node(node, "ev")

    def secret(self, node: str) -> str:
        """Concealed hands: readable by the engine's user only."""
        return self.node(node, "secret")

    def command(self, node: str, name: str) -> str:
        return self.node(node, f"cmd/{name}")

    def response(self, node: str, name: str) -> str:
        return self.node(node, f"rsp/{name}")

    @staticmethod
    def any_command(venue: str, name: str) -> str:
        """Subscription filter for one command to the engine of every table of a venue."""
        return f"{ROOT}/{check_id(venue)}/+/{ENGINE}/cmd/{name}"

    @property
    def ack(self) -> str:
        return self.node(ENGINE, "ack")

    @property
    def state(self) -> str:
        return self.node(ENGINE, "state")

    @property
    def action(self) -> str:
        return self.node(ENGINE, "action")

    @property
    def alert(self) -> str:
        return self.node(ENGINE, "alert")

    @property
    def notice(self) -> str:
        """Alerts that the rule set lets the table and the room know of."""
        return self.node(ENGINE, "notice")

    @property
    def alerts(self) -> str:
        return self.node(ENGINE, "alerts")

    def any_node(self, leaf: str) -> str:
        """Subscription filter for one leaf of every node of the table."""
        return f"{ROOT}/{self.venue}/{self.table}/+/{leaf}"


def any_table(venue: str, leaf: str) -> str:
    """Subscription filter for one leaf of every node of every table of a venue."""
    return f"{ROOT}/{check_id(venue)}/+/+/{leaf}"
