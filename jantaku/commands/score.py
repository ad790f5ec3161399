"""`jantaku score`: what one hand is worth, or what it waits for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

if TYPE_CHECKING:
    from jantaku.asked import Asked

NO_WIN = 1


def score(
    ruleset: Annotated[
        str, typer.Argument(metavar="RULES", help="riichi, chinese (mcr, gb), taiwan (tw) or world (wsom, zj).")
    ],
    tiles: Annotated[
        list[str],
        typer.Argument(
            metavar="TILES…",
            help="The hand, the winning tile last: 123m456p789s11z55z 5z. Sets shown stand in brackets: '[777z]', "
            "a concealed kong '[7777z!]'. Without a winning tile: what the hand waits for.",
        ),
    ],
    win: Annotated[str, typer.Option("--win", "-w", help="The winning tile, where it is not the last one.")] = "",
    self_draw: Annotated[bool, typer.Option("--self-draw", "--tsumo", "-t", help="Drawn by the winner.")] = False,
    giver: Annotated[
        str, typer.Option("--from", help="Who discarded it: next, opposite or upper; or a wind.")
    ] = "upper",
    meld: Annotated[
        list[str] | None, typer.Option("--meld", "-m", help="A set shown: 123m, 777z, 7777z, 7777z! (concealed).")
    ] = None,
    seat: Annotated[str, typer.Option("--seat", "-s", help="The winner's wind: E S W N.")] = "",
    round_wind: Annotated[str, typer.Option("--round", "-r", help="The round's wind: E S W N.")] = "E",
    dealer: Annotated[
        bool | None, typer.Option("--dealer/--no-dealer", help="The winner deals, where winds do not say so.")
    ] = None,
    flowers: Annotated[str, typer.Option("--flowers", help="Flowers shown: 15f.")] = "",
    dora: Annotated[str, typer.Option("--dora", help="Dora indicators: 3m.")] = "",
    ura: Annotated[str, typer.Option("--ura", help="Indicators under them.")] = "",
    ready: Annotated[bool, typer.Option("--riichi", "--ready", help="Declared ready.")] = False,
    double_ready: Annotated[bool, typer.Option("--double-riichi", help="Declared ready in the first turn.")] = False,
    one_round: Annotated[bool, typer.Option("--ippatsu", help="Within one go-round of it.")] = False,
    last_tile: Annotated[bool, typer.Option("--last-tile", help="The last draw, or the discard after it.")] = False,
    after_kong: Annotated[bool, typer.Option("--after-kong", help="The replacement of a kong or flower.")] = False,
    robbing: Annotated[bool, typer.Option("--robbing-kong", help="A tile added to a pung.")] = False,
    first_turn: Annotated[bool, typer.Option("--first-turn", help="In the first turn, before any call.")] = False,
    last_copy: Annotated[bool, typer.Option("--last-copy", help="The other three lie open.")] = False,
    honba: Annotated[int, typer.Option(min=0, help="Counters.")] = 0,
    sticks: Annotated[int, typer.Option(min=0, help="Ready bets on the table.")] = 0,
    streak: Annotated[int, typer.Option(min=0, help="How often the dealer has stayed.")] = 0,
    setting: Annotated[
        list[str] | None, typer.Option("--set", help="A setting of the rule set: scoring.minimum=8.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Score one hand under any rule set: jantaku score riichi 123m456p789s11z55z 5z --riichi --dora 4z"""
    from jantaku.asked import asked

    question = asked(
        ruleset,
        " ".join(tiles),
        win=win,
        melds=meld or [],
        flowers=flowers,
        seat=seat,
        round_wind=round_wind,
        dealer=dealer,
        giver=None if self_draw or after_kong else giver,
        dora=dora,
        ura=ura,
        flags={
            "ready": ready or double_ready or one_round,
            "double_ready": double_ready,
            "one_round": one_round,
            "last_tile": last_tile,
            "replacement": after_kong,
            "robbing": robbing,
            "first_turn": first_turn,
            "last_copy": last_copy,
        },
        numbers={"honba": honba, "sticks": sticks, "streak": streak},
        settings=setting or [],
    )
    if as_json:
        typer.echo(json.dumps(question.plain(), ensure_ascii=False))
    else:
        _say(question)
    if question.won is False:
        raise typer.Exit(NO_WIN)


def _say(question: Asked) -> None:
    console = Console(soft_wrap=True)
    for line in question.lines():
        console.print(line, highlight=False, markup=False)
