"""What came of playing a recorded game: every hand compared with the record, every alert, how long it took."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from jantaku.comparison import HandComparison, compare
from jantaku.hands import hands_of
from table_engine.records.model import GameRecord
from table_engine.wire.actions import Action
from table_engine.wire.alerts import Alert


@dataclass(slots=True)
class Played:
    """One game. `alerts` are those raised, withdrawn later or not."""

    source: str
    ruleset: str
    hands: list[HandComparison]
    alerts: list[Alert] = field(default_factory=list)
    seconds: float = 0.0

    def alerts_of(self, hand: int) -> list[Alert]:
        """Those of hand number `hand`, from 1."""
        return [alert for alert in self.alerts if alert.hand == hand]


def played(
    record: GameRecord,
    ruleset: str,
    actions: Iterable[Action],
    alerts: Sequence[Alert],
    seconds: float,
    *,
    blind: bool = False,
) -> Played:
    """Compares hand by hand. A hand the engine never saw begin has nothing equal; one too many is compared with nothing.
    `blind`: there was no camera."""
    seen = hands_of(actions)
    rows = []
    for number, hand in enumerate(record.hands):
        told = seen[number].actions if number < len(seen) else ()
        rows.append(compare(hand.title or f"hand {number + 1}", hand.moves, told, blind=blind))
    rows += [
        compare(f"hand {n + 1}, not in the record", (), seen[n].actions, blind=blind)
        for n in range(len(rows), len(seen))
    ]
    return Played(record.source, ruleset, rows, list(alerts), seconds)


def _incidents(game: Played) -> list[dict[str, object]]:
    """One alert an incident; what else was told of the same incident (a fine that follows from the foul) stands in it."""
    told = [alert.model_dump(mode="json", exclude={"citation"}) for alert in game.alerts]
    first = {alert["id"]: {"game": game.source, **alert, "follows": []} for alert in told}
    for alert in told:
        if alert["incident"] not in ("", alert["id"]) and alert["incident"] in first:
            first[alert["incident"]]["follows"].append(first.pop(alert["id"]))
    return list(first.values())


def summary(games: Sequence[Played]) -> dict[str, object]:
    """The JSON object `jantaku play --json` ends with, over all games. `alerts` counts incidents."""
    hands = [hand for game in games for hand in game.hands]
    incidents = [incident for game in games for incident in _incidents(game)]
    return {
        "ruleset": ",".join(sorted({game.ruleset for game in games})),
        "games": len(games),
        "hands": len(hands),
        "hands_equal": sum(hand.all_equal for hand in hands),
        "actions_expected": sum(hand.expected for hand in hands),
        "actions_seen": sum(hand.seen for hand in hands),
        "actions_equal": sum(hand.equal for hand in hands),
        "alerts": len(incidents),
        "seconds": round(sum(game.seconds for game in games), 2),
        "alert_list": incidents,
        "different": [
            {"game": game.source, "hand": number, "title": hand.title, "differences": list(hand.differences)}
            for game in games
            for number, hand in enumerate(game.hands, start=1)
            if not hand.all_equal
        ],
    }
