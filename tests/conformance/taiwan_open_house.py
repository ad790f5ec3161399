"""House rules as the source `omu` names them → settings of our tariff."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

Settings = dict[str, Any]

_FAN = {
    "concealed_hand": "concealed_hand",
    "fully_concealed_hand": "concealed_self_draw",
    "self_draw": "self_draw",
    "seat_wind_pung": "seat_wind",
    "prevalent_wind_pung": "round_wind",
    "flower_tile": "seat_flower",
    "dragon_pung": "dragon",
    "single_wait": "single_wait",
    "robbing_kong": "robbing",
    "out_with_replacement_tile": "after_kong",
    "last_tile_draw": "last_draw",
    "flower_kong": "flower_kong",
    "no_flowers": "no_flowers",
    "declared_ready": "declared_ready",
    "half_begging": "half_exposed",
    "last_tile_claim": "last_discard",
    "wind_pung": "any_wind",
    "melded_kong": "exposed_kong",
    "all_chows": "all_chows",
    "three_concealed_pungs": "three_concealed_pungs",
    "all_begging": "all_exposed",
    "no_flowers_or_honors": "no_flowers_or_honours",
    "concealed_kong": "concealed_kong",
    "all_pungs": "all_pungs",
    "little_three_dragons": "little_three_dragons",
    "half_flush": "half_flush",
    "initial_flower_bonus": "opening_flowers",
    "four_concealed_pungs": "four_concealed_pungs",
    "earthly_ready": "earthly_ready",
    "five_concealed_pungs": "five_concealed_pungs",
    "big_three_dragons": "big_three_dragons",
    "little_four_winds": "little_four_winds",
    "full_flush": "full_flush",
    "eight_flowers_and_seasons": "eight_flowers",
    "seven_flowers_steal_eighth": "seven_rob_one",
    "eight_and_a_half_pairs": "pairs_and_triplet",
    "heavenly_ready": "heavenly_ready",
    "earthly_win": "earthly",
    "human_win": "human",
    "all_honors": "all_honours",
    "big_four_winds": "big_four_winds",
    "heavenly_win": "heavenly",
    "four_kongs": "four_kongs",
    "five_kongs": "five_kongs",
}
_PRESETS: dict[str, dict[str, int]] = {
    "star31": {"flower_kong": 2, "heavenly_ready": 8, "earthly_ready": 4, "all_honours": 8},
    "shenlaiye": {"flower_kong": 2, "human": 8, "earthly_ready": 4, "all_honours": 8},
}
_SWITCHED_ON = {
    "no_flowers_enabled": ("no_flowers", 1),
    "half_begging_enabled": ("half_exposed", 1),
    "last_tile_claim_enabled": ("last_discard", 1),
    "melded_kong_enabled": ("exposed_kong", 1),
    "concealed_kong_enabled": ("concealed_kong", 2),
    "four_kongs_enabled": ("four_kongs", 8),
    "five_kongs_enabled": ("five_kongs", 16),
    "initial_flower_bonus_enabled": ("opening_flowers", 4),
    "public_ready_enabled": ("declared_ready", 1),
    "no_flowers_or_honors_enabled": ("no_flowers_or_honours", 2),
    "all_wind_pungs_enabled": ("any_wind", 1),
    "all_flower_tiles_enabled": ("any_flower", 1),
}
_WAITS = {"any_two_sided": "two_sided", "only_two_sided": "only_two_sided", "unrestricted": "any"}


def house_of(settings: Mapping[str, Any], changed: Mapping[str, Any]) -> Settings:
    """The source's default settings with what a vector says was changed. Rules that concern no score are passed over."""
    house: Settings = deepcopy(dict(settings))
    house["tai"].update(_PRESETS.get(changed.get("scoring_preset", ""), {}))
    for rule, value in changed.items():
        if rule in _SWITCHED_ON and value:
            name, tai = _SWITCHED_ON[rule]
            house["tai"][name] = tai
        if rule in _RULES:
            _RULES[rule](house, value)
    house["tai"].update({_FAN[fan]: tai for fan, tai in (changed.get("fan_tai_overrides") or {}).items()})
    return house


def _set(*path: str, values: Mapping[Any, Any] | None = None) -> Callable[[Settings, Any], None]:
    """Puts the value, translated where it needs to be, at its place."""

    def put(house: Settings, value: Any) -> None:
        inner = house
        for name in path[:-1]:
            inner = inner.setdefault(name, {})
        inner[path[-1]] = values[value] if values else value

    return put


def _instead(pattern: str, *others: str, when: object = True) -> Callable[[Settings, Any], None]:
    def put(house: Settings, value: Any) -> None:
        if value == when:
            house["instead"][pattern] = [*house["instead"].get(pattern, ()), *others]

    return put


def _keeps_winds(house: Settings, value: Any) -> None:
    if value:
        house["instead"]["little_four_winds"] = []


def _pairs(house: Settings, value: Any) -> None:
    house["shapes"] = ["pairs_and_triplet_with_four"] if value else []


def _both(house: Settings, value: Any) -> None:
    house["all_chows"].update(honours=value, flowers=value)


def _strict(house: Settings, value: Any) -> None:
    if value == "strict":
        house["all_chows"].update(honours=False, flowers=False, wait="only_two_sided")


def _no_first_ready(house: Settings, value: Any) -> None:
    if value == "disabled":
        house["tai"].pop("heavenly_ready", None)
        house["tai"].pop("earthly_ready", None)


def _no_seven(house: Settings, value: Any) -> None:
    if not value:
        house["tai"].pop("seven_rob_one", None)


_RULES: dict[str, Callable[[Settings, Any], None]] = {
    "minimum_tai": _set("minimum"),
    "tai_cap": _set("cap"),
    "all_chows_wait_mode": _set("all_chows", "wait", values=_WAITS),
    "all_chows_concealed_allowed": _set("all_chows", "concealed"),
    "all_chows_self_draw_allowed": _set("all_chows", "self_drawn"),
    "all_chows_honors_and_flowers_allowed": _both,
    "all_chows_definition": _strict,
    "all_flower_tiles_enabled": _set("every_flower"),
    "all_wind_pungs_enabled": _set("every_wind"),
    "flower_kong_excludes_seat_flower": _set("series_takes_own_flower"),
    "public_ready_enabled": _set("first_ready_declared"),
    "prefer_triplet_decomposition_on_discard_win": _set("pung_first"),
    "eight_flowers_mode": _set(
        "flower_wins",
        values={"optional_standalone": "alone", "forced_standalone": "alone", "additive": "added", "compound": "added"},
    ),
    "little_four_winds_add_wind_pungs": _keeps_winds,
    "all_honors_add_all_pungs": _instead("all_honours", "all_pungs", when=False),
    "no_flowers_or_honors_enabled": _instead("no_flowers_or_honours", "no_flowers"),
    "earthly_ready_excludes_concealed_and_declared_ready": _instead(
        "earthly_ready", "concealed_hand", "declared_ready"
    ),
    "eight_and_a_half_pairs_enabled": _pairs,
    "ready_qualification_mode": _no_first_ready,
    "seven_flowers_steal_eighth_enabled": _no_seven,
}
