"""Who may see and do what: roles, permissions and the grant a request comes with. Pure.

| role | sees | does |
|---|---|---|
| viewer | the public picture | nothing |
| overlay | the public picture, as the overlay's token says | nothing |
| referee | also alerts, evidence, devices | rules, stops clocks, corrects |
| operator | also alerts, devices | runs the match, sets cameras and tables up |
| admin | everything of these | also people, keys and the access log |

Concealed hands belong to no role. They are a right of their own that a person or key is given by name, and every look at
them is written down.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

Permission = Literal["view", "alerts", "rule", "venue", "setup", "keys"]


class Role(StrEnum):
    VIEWER = "viewer"
    OVERLAY = "overlay"
    REFEREE = "referee"
    OPERATOR = "operator"
    ADMIN = "admin"


_MAY: dict[Role, frozenset[Permission]] = {
    Role.VIEWER: frozenset({"view"}),
    Role.OVERLAY: frozenset({"view"}),
    Role.REFEREE: frozenset({"view", "alerts", "rule"}),
    Role.OPERATOR: frozenset({"view", "alerts", "venue", "setup"}),
    Role.ADMIN: frozenset({"view", "alerts", "rule", "venue", "setup", "keys"}),
}

PARTS: dict[str, Permission | Literal["hands"]] = {
    "view": "view",
    "log": "view",
    "moves": "view",
    "moments": "view",
    "clocks": "view",
    "ledger": "view",
    "hands": "hands",
    "alerts": "alerts",
    "ended": "alerts",
    "faults": "alerts",
    "docket": "alerts",
    "result": "alerts",
    "devices": "alerts",
}
"""The parts a table's board is told in, and what it takes to be told each. A part that is not named here is told nobody."""


@dataclass(frozen=True, slots=True)
class Grant:
    """What one request may. `tables` None: all. What it sees is `delay_s` old. `key` names the session or token behind it
    so that a long stream can ask whether it still holds."""

    who: str
    role: Role
    tables: frozenset[str] | None = None
    hands: bool = False
    delay_s: float = 0.0
    until_ms: int | None = None
    key: str = ""

    def may(self, permission: Permission) -> bool:
        return permission in _MAY[self.role]

    def reaches(self, table: str) -> bool:
        return self.tables is None or table in self.tables

    def told(self, part: str) -> bool:
        """Whether a part of a board is for this grant's eyes."""
        needs = PARTS.get(part)
        if needs is None:
            return False
        return self.hands if needs == "hands" else needs in _MAY[self.role]

    @property
    def permissions(self) -> tuple[str, ...]:
        return tuple(sorted(_MAY[self.role]))


GUEST = Grant("guest", Role.VIEWER)
"""Somebody without a key, where the site lets guests look."""
