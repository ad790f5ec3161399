"""What stands against a player for a while: a small closed vocabulary with parameters, the same in all rule sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from pydantic import ConfigDict

from table_engine.wire.phrases import Phrase, phrase
from table_engine.wire.tiles import Tile

EffectKind = Literal[
    "dead_hand",
    "no_win",
    "no_win_no_call",
    "draw_discard_only",
    "penalty_tile",
    "forced_discard",
    "passed_win",
    "barred",
    "touched_wall",
]
"""`dead_hand` 相公: draws and discards only (own kongs stay where the rules say so), never wins. `no_win` 停和: may still act.
`no_win_no_call`: neither. `draw_discard_only` 摸打: after slow play. `penalty_tile` 罚张: `tiles` lie open; live ones are
discarded before any other, dead ones may be kept. `forced_discard`: `tiles` must be discarded on the own next turn.
`passed_win` 过水: no win until released. `barred`: the owner may neither call nor win on `tiles`. `touched_wall`: no chow,
pung or win on the upper player's discard after the next draw."""

_NAMES: Final[dict[EffectKind, Phrase]] = {
    "dead_hand": phrase("dead hand"),
    "no_win": phrase("no win"),
    "no_win_no_call": phrase("no win no call"),
    "draw_discard_only": phrase("draw discard only"),
    "penalty_tile": phrase("penalty tile"),
    "forced_discard": phrase("forced discard"),
    "passed_win": phrase("passed win"),
    "barred": phrase("barred"),
    "touched_wall": phrase("touched wall"),
}
_DEAD_TILE: Final = phrase("dead penalty tile")

Until = Literal["hand", "own_discard", "own_draw", "match"]


@dataclass(frozen=True, slots=True)
class Effect:
    """One thing that stands against one player. `row` is the catalogue id it comes from, `cause` the alert or act."""

    __pydantic_config__ = ConfigDict(extra="forbid")
    kind: EffectKind
    tiles: tuple[Tile, ...] = ()
    live: bool = True
    until: Until = "hand"
    row: str = ""
    cause: str = ""

    @property
    def phrase(self) -> Phrase:
        """The effect in a few words."""
        name = _DEAD_TILE if self.kind == "penalty_tile" and not self.live else _NAMES[self.kind]
        return phrase("{effect} {tiles}", effect=name, tiles=self.tiles) if self.tiles else name

    def __str__(self) -> str:
        return str(self.phrase)
