"""Own players' legal hands before faulty sensors: how many hands are still told exactly, and how many false alarms.

    python -m tests.conformance.faults [--hands 5] [--seeds 4] [--faults misread,drop,…] [--rules …] [--show]

Each fault is applied alone, then all together. Deterministic: same arguments, same figures.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

from jantaku.comparison import compare
from table_engine.rules import RULESETS, load_ruleset
from table_engine.wire.layout import Layout, TileSize, Zone
from table_engine.wire.seats import Seat
from tests.conformance.records import HandSeen, enveloped, follow
from virtual_table.customs import customs_of
from virtual_table.director import Director
from virtual_table.faults import CameraFaults, Faults, Occlusion, SourceFaults, faulty
from virtual_table.games import own_hands
from virtual_table.motion import PACES
from virtual_table.perfect import Sighting, sense


def _occlusions() -> tuple[Occlusion, ...]:
    """Now one zone, now another, for 1 to 5 s, a few times a minute."""
    zones = (Zone.POND, Zone.RACK, Zone.MELD, Zone.WALL)
    return tuple(
        Occlusion(zone=zones[n % 4], seat=Seat(n // 3 % 4), from_ms=start, to_ms=start + 1_000 + 1_000 * (n % 5))
        for n, start in enumerate(range(20_000, 4_000_000, 17_000))
    )


def _both(**faults: object) -> Faults:
    return Faults(serial=SourceFaults.model_validate(faults), camera=CameraFaults.model_validate(faults))


AGAIN_MS = 1_500
"""What was lost or read wrongly is looked at again after so long, as the real watcher looks at every settled picture."""
FAULTS = {
    "none": Faults(),
    "misread": Faults(camera=CameraFaults(misread=0.01, again_ms=AGAIN_MS)),
    "misread_for_good": Faults(camera=CameraFaults(misread=0.01)),
    "unknown": Faults(camera=CameraFaults(unknown=0.01)),
    "drop": Faults(serial=SourceFaults(drop=0.01), camera=CameraFaults(drop=0.01, again_ms=AGAIN_MS)),
    "drop_for_good": _both(drop=0.01),
    "duplicate": _both(duplicate=0.01),
    "delay": _both(delay_ms=200),
    "occlusion": Faults(camera=CameraFaults(occlusion=_occlusions())),
    "camera_silent": Faults(camera=CameraFaults(silent_from_ms=60_000, silent_to_ms=70_000)),
    "serial_silent": Faults(serial=SourceFaults(silent_from_ms=60_000, silent_to_ms=70_000)),
    "all": Faults(
        serial=SourceFaults(drop=0.01, duplicate=0.01, delay_ms=200),
        camera=CameraFaults(
            misread=0.01, again_ms=AGAIN_MS, drop=0.01, duplicate=0.01, delay_ms=200, occlusion=_occlusions()
        ),
    ),
}


@dataclass
class Outcome:
    hands: int = 0
    exact: int = 0
    begun: int = 0
    fouls: int = 0
    checks: int = 0
    words: list[str] = field(default_factory=list)


def play(ruleset: str, seed: int, hands: int, faults: Faults, pace: str = "brisk") -> tuple[list[HandSeen], Director]:
    customs = customs_of(ruleset)
    director = Director(customs, Layout(TileSize(), customs.stacks), PACES[pace], seed)
    sightings: list[Sighting] = list(sense(director.play(own_hands(customs, seed, (), hands)), director.places.layout))
    return follow(enveloped(faulty(sightings, faults, seed)), load_ruleset(ruleset))[0], director


def run(rulesets: Sequence[str], seeds: Sequence[int], hands: int, faults: Faults) -> Outcome:
    out = Outcome()
    for ruleset in rulesets:
        for seed in seeds:
            seen, director = play(ruleset, seed, hands, faults)
            for number, performed in enumerate(director.performed):
                out.hands += 1
                hand = seen[number] if number < len(seen) else None
                if hand is None:
                    out.words.append(f"{ruleset} seed {seed} hand {number + 1}: never began")
                    continue
                out.begun += 1
                result = compare(performed.title, performed.moves, hand.actions)
                out.exact += result.all_equal
                out.fouls += sum(a.startswith("foul") for a in hand.alerts.values())
                out.checks += sum(a.startswith("check") for a in hand.alerts.values())
                if not result.all_equal or hand.alerts:
                    head = f"{ruleset} seed {seed} hand {number + 1}"
                    more = [*result.differences, *hand.alerts.values(), *sorted(hand.faults)]
                    out.words.append("\n      ".join([head, *(m[:260] for m in more)]))
    return out


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--faults", default=",".join(FAULTS))
    parser.add_argument("--rules", default=",".join(RULESETS))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--hands", type=int, default=3)
    parser.add_argument("--show", type=int, default=0)
    options = parser.parse_args()
    for name in options.faults.split(","):
        seeds = range(1, options.seeds + 1)
        out = run(options.rules.split(","), seeds, options.hands, FAULTS[name])
        print(f"{name:14} exact {out.exact} of {out.hands} hands, false alarms: {out.fouls} fouls, {out.checks} checks")
        for words in out.words[: options.show]:
            print("    " + words)
    return 0


if __name__ == "__main__":
    sys.exit(main())
