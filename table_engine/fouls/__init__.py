"""The fouls, one file each, by their own names. Which of them exist under a rule set, and what follows, its TOML says."""

from __future__ import annotations

from table_engine.fouls import (
    call_ban,
    call_right,
    dead_hand,
    discard_turn,
    draw_order,
    empty_call,
    exposed_tile,
    false_kong,
    false_win,
    flower_discard,
    flower_order,
    late_pung,
    ready_right,
    set_owed,
    set_place,
    several_wins,
    slow_play,
    swap_call,
    tile_count,
    wall_break,
    wrong_set,
)
from table_engine.fouls.foul import Foul, FoulRule, Moment

FOULS: dict[str, FoulRule] = {
    rule.code: rule
    for rule in (
        call_ban.RULE,
        call_right.RULE,
        dead_hand.RULE,
        discard_turn.RULE,
        draw_order.RULE,
        empty_call.RULE,
        exposed_tile.RULE,
        false_kong.RULE,
        false_win.RULE,
        flower_discard.RULE,
        flower_order.RULE,
        late_pung.RULE,
        ready_right.RULE,
        set_owed.RULE,
        set_place.RULE,
        several_wins.RULE,
        slow_play.RULE,
        swap_call.RULE,
        tile_count.RULE,
        wall_break.RULE,
        wrong_set.RULE,
    )
}

__all__ = ["FOULS", "Foul", "FoulRule", "Moment"]
