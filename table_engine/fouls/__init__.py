"""The fouls, one file each, by their own names. Which of them exist under a rule set, and what follows, its TOML says."""

from __future__ import annotations

from table_engine.fouls import call_ban, draw_order, tile_count
from table_engine.fouls.foul import Foul, FoulRule, Moment

FOULS: dict[str, FoulRule] = {
    rule.code: rule
    for rule in (
        call_ban.RULE,
        draw_order.RULE,
        tile_count.RULE,
    )
}

__all__ = ["FOULS", "Foul", "FoulRule", "Moment"]
