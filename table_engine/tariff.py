"""What a win is worth under a rule set: the settings of its scorer, named by `by`. Read from `[scoring]` of the rule set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Shape = Literal[
    "seven_pairs",
    "seven_pairs_with_four",
    "thirteen_orphans",
    "knitted",
    "knitted_straight",
    "pairs_and_triplet",
    "pairs_and_triplet_with_four",
]
"""Winning shapes beside sets and a pair. `seven_pairs_with_four` lets four of a kind count as two pairs;
`knitted` are fourteen honours and knitted tiles, `pairs_and_triplet` seven pairs and a triplet (17 tiles)."""


class Tariff(BaseModel):
    """What every scorer knows: a hand worth less than `minimum` is no win; `base` and `unit` are the points every win pays and
    the points of one tai, also in fines."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    minimum: int = 0
    base: int = 0
    unit: int = 0
    shapes: tuple[Shape, ...] = ()
    copies_checked: bool = True
    """A hand is refused whose sets and standing tiles hold more copies of a kind than there are."""


class RiichiTariff(Tariff):
    """Points of Japanese games. `liability` names the yakuman a player pays for whose discard made them certain."""

    by: Literal["riichi"] = "riichi"
    open_tanyao: bool = True
    red_fives: bool = True
    double_yakuman: bool = False
    kazoe: bool = True
    """Thirteen han without a yakuman count as one; otherwise they stop at three haneman."""
    round_up_mangan: bool = False
    ura: bool = True
    first_turn_discard: Literal["nothing", "mangan", "yakuman"] = "nothing"
    four_consecutive_triplets: bool = False
    liability: tuple[Literal["big_three_dragons", "big_four_winds", "four_kongs", "four_consecutive_triplets"], ...] = (
        "big_three_dragons",
        "big_four_winds",
    )
    liable_counters: Literal["liable", "discarder"] = "discarder"
    """Who of the two pays the counters where a liable player and the discarder share a win."""
    honba: int = 300
    stick: int = 1000
    double_win: Literal["nearest", "each"] = "nearest"
    """Who of two winners on one discard gets counters: the nearer one alone, or each. Sticks always go to the nearer."""


class ChineseTariff(Tariff):
    """81 fan. `table_points` is the base every opponent pays the winner beside the fan (8 in the federation's rules)."""

    by: Literal["chinese"] = "chinese"
    minimum: int = 4
    flowers: bool = False
    table_points: int = 0
    discarder_alone: bool = True
    """A discard win is paid by the discarder alone (table points, where there are any, are paid by all)."""
    knitted_single_wait: bool = True
    """A unique wait inside a knitted straight also counts as edge, closed or single wait. The federation is not of one
    mind: its live events count it, its approved online platform does not."""


class AllChows(BaseModel):
    """What all chows (平胡) ask. `wait`: the winning tile completes a chow at an open end in some reading (`two_sided`) or in
    every one (`only_two_sided`), more than one kind wins (`not_single`), or anything goes."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    wait: Literal["two_sided", "only_two_sided", "not_single", "any"] = "two_sided"
    concealed: bool = True
    self_drawn: bool = False
    honours: bool = False
    flowers: bool = True


class TaiwanTariff(Tariff):
    """Tai of the sixteen-tile game. A pattern that is not in `tai` is not counted; `instead` says which others it takes the
    place of (`*`: all, `dealer`: the dealer's tai), whether it is itself worth anything or not."""

    by: Literal["taiwan"] = "taiwan"
    base: int = 5
    unit: int = 2
    cap: int | None = None
    dealer: int = 0
    """Tai between the dealer and each other player, won or lost."""
    streak: int = 0
    """Further such tai for each time the dealer has stayed."""
    tai: Mapping[str, int] = Field(default_factory=dict)
    instead: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    all_chows: AllChows = AllChows()
    single_wait: Literal["one_kind", "one_kind_in_shape"] = "one_kind"
    """One kind of tile wins, or one kind that moreover completes the pair, a closed or an edge chow."""
    all_exposed: Literal["five_open", "two_tiles"] = "five_open"
    """All five sets are called, or two tiles are left and any set is called."""
    all_exposed_self_drawn: bool = True
    """A self-draw counts too; otherwise it is the pattern `half_exposed`."""
    drawn_pung_concealed: bool = True
    """A pung completed by the self-drawn winning tile counts as concealed."""
    series_takes_own_flower: bool = False
    """Own flowers in a complete series of four are not counted beside it."""
    every_flower: bool = False
    every_wind: bool = False
    flower_wins: Literal["alone", "added"] = "alone"
    """Eight flowers win by themselves when declared, or add to the hand."""
    first_ready_declared: bool = False
    """Ready from the start counts only if it was declared."""
    pung_first: bool = False
    """A discard that can complete a pung is read so, even where another reading is worth more."""


class ZungJungTariff(Tariff):
    """Points of Zung Jung patterns."""

    by: Literal["zung_jung"] = "zung_jung"
    limit: int = 320
    share: int = 25
    """What players who did not give the winning tile pay at most."""
    chicken: int = 1
    """Points of a hand without any pattern."""


AnyTariff = Annotated[RiichiTariff | ChineseTariff | TaiwanTariff | ZungJungTariff, Field(discriminator="by")]
