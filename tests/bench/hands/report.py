"""Figures of many hands, and each target of the issue with whether it is met. JSON lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from hands.judge import EVENTS

WAYS = ("net alone", "enrolled")
NAMES = (*EVENTS.values(), "draws")
_SPLITS = ("rules", "felt", "cloth", "tile_mm", "tilt_deg", "noise", "power")
Hand = Mapping[str, Any]


def report(hands: Sequence[Hand]) -> Iterator[dict[str, object]]:
    """Lines about hands as the benchmark keeps them."""
    for picture in ("1080p", "4K", "all"):
        chosen = [h for h in hands if picture in (h["facts"]["picture"], "all")]
        for way in WAYS if chosen else ():
            counts = summed(h[way]["counts"] for h in chosen)
            yield {"picture": picture, "way": way, "hands": len(chosen), **figures(counts)}
    for way in WAYS:
        confused = summed(h[way]["confused"] for h in hands)
        yield {"way": way, "confused": dict(confused.most_common(20)), "all": confused.total()}
        kinds = Counter(f"{s['zone']} {s['kind']}" for h in hands for s in h[way]["slips"])
        yield {"way": way, "zones told wrongly": dict(kinds.most_common(20))}
    yield {"enrolment": {what: sum(h["lesson"][what] for h in hands) for what in ("asked", "mistaken")}}
    yield {"wrong zones a hand, enrolled, by": dict(splits(hands))}
    yield from targets(hands)


def summed(counts: Iterable[Mapping[str, int]]) -> Counter[str]:
    out: Counter[str] = Counter()
    for one in counts:
        out.update(one)
    return out


def figures(counts: Mapping[str, int]) -> dict[str, object]:
    """[right, of, share] of everything that is measured."""
    out: dict[str, object] = {
        "tiles": part(counts["tiles_right"], counts["tiles"]),
        "ghosts": counts["ghosts"],
        "unsure": counts["unsure"],
        "settled pictures": part(counts["pictures_exact"], counts["pictures"]),
        "rack counts": part(counts["counts_exact"], counts["counts"]),
        "wall sides": part(counts["sides_exact"], counts["sides"]),
        "events": part(*events(counts)),
    }
    for name in NAMES:
        right, of = counts[f"events_{name}_right"], counts[f"events_{name}"]
        out[name] = [right, of, counts[f"false_{name}"]] if name != "draws" else [right, of]
    return out | {"misordered": counts["misordered"]}


def events(counts: Mapping[str, int]) -> tuple[int, int]:
    """Right ones, and all that were to be told or were told falsely."""
    right = sum(counts[f"events_{name}_right"] for name in NAMES)
    return right, sum(counts[f"events_{name}"] + counts[f"false_{name}"] for name in NAMES)


def part(right: int, of: int) -> list[float]:
    return [right, of, round(right / max(of, 1), 5)]


def splits(hands: Sequence[Hand]) -> Iterator[tuple[str, dict[str, float]]]:
    """How many zones go wrong where: by each fact, numbers in halves."""
    for fact in _SPLITS:
        values = [h["facts"][fact] for h in hands]
        middle = sorted(values)[len(values) // 2]
        groups: dict[str, list[int]] = {}
        for hand, value in zip(hands, values, strict=True):
            name = value if isinstance(value, str) else f"below {middle}" if value < middle else f"{middle} and more"
            groups.setdefault(name, []).append(len(hand["enrolled"]["slips"]))
        yield fact, {name: round(sum(slips) / len(slips), 2) for name, slips in sorted(groups.items())}


def targets(hands: Sequence[Hand]) -> Iterator[dict[str, object]]:
    """What the issue asks for, and whether these hands show it."""
    alone, enrolled = (summed(h[way]["counts"] for h in hands) for way in WAYS)
    for target, asked, (right, of) in (
        ("tiles right, net alone", 0.99, (alone["tiles_right"], alone["tiles"])),
        ("tiles right, enrolled", 0.999, (enrolled["tiles_right"], enrolled["tiles"])),
        ("settled pictures exact, enrolled", 0.98, (enrolled["pictures_exact"], enrolled["pictures"])),
        ("rack counts exact, enrolled", 0.99, (enrolled["counts_exact"], enrolled["counts"])),
        ("events right and in order, enrolled", 0.995, events(enrolled)),
    ):
        yield {"target": target, "asked": asked, "is": part(right, of), "met": of > 0 and right >= asked * of}
