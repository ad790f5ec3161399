"""A hand described by hand is told move by move, no move more and none less."""

from __future__ import annotations

import pytest
from scripted_hand import ALONE, BOTH, S0, S1, S2, S3, T, started, tiles, told, turn, turns
from table_script import Script

from table_engine.wire.actions import (
    Called,
    Discarded,
    DoraShown,
    Drew,
    FlowersShown,
    HandEnded,
    HandStarted,
    Konged,
    WinShown,
)


@pytest.mark.parametrize("sensors", [BOTH, ALONE])
def test_a_riichi_hand(sensors: dict[str, bool]) -> None:
    script = started(**sensors)
    script.discard(S0, "9m")
    turn(script, S1, "1z")
    script.call(S3, S1, (T("1z"), T("1z"), T("1z")), T("1z"))
    script.discard(S3, "5p")
    script.call(S0, S3, (T("4p"), T("5p"), T("6p")), T("5p"))
    script.discard(S0, "2s")
    script.draw(S1)
    script.kong(S1, "concealed", T("7s"))
    script.dora(T("4s"))
    script.draw(S1, "tail")
    script.discard(S1, "9p", sideways=True)
    script.stick(S1)
    turn(script, S2, "6z")
    script.draw(S3)
    script.kong(S3, "added", T("1z"))
    script.draw(S3, "tail")
    script.dora(T("8s"))
    script.discard(S3, "3m")
    hand = tiles("1m 2m 4p 5p 6p 7p 8p 9p 5z 5z")
    script.win(S1, hand, T("3m"), S3)
    script.sweep()
    result = told(script)
    assert result.actions[1].type == "dora_shown"
    assert result.moves == [
        Discarded(seat=S0, tile=T("9m")),
        *turns((S1, "1z")),
        Called(seat=S3, call="pung", tile=T("1z"), source=S1, tiles=(T("1z"),) * 3),
        Discarded(seat=S3, tile=T("5p")),
        Called(seat=S0, call="chow", tile=T("5p"), source=S3, tiles=(T("4p"), T("5p"), T("6p"))),
        Discarded(seat=S0, tile=T("2s")),
        Drew(seat=S1),
        Konged(seat=S1, kong="concealed", tile=T("7s")),
        DoraShown(tile=T("4s")),
        Drew(seat=S1, end="tail"),
        Discarded(seat=S1, tile=T("9p"), sideways=True),
        *turns((S2, "6z")),
        Drew(seat=S3),
        Konged(seat=S3, kong="added", tile=T("1z")),
        Drew(seat=S3, end="tail"),
        DoraShown(tile=T("8s")),
        Discarded(seat=S3, tile=T("3m")),
        WinShown(seat=S1, source=S3, tile=T("3m"), hand=hand),
        HandEnded(won=True),
    ]
    assert result.faults == set()


def test_the_start_of_a_hand_knows_dealer_dice_and_break() -> None:
    script = Script("taiwan16")
    script.build(S2, (2, 5, 4), S0, 11)
    script.deal(S2)
    start = told(script).actions[0]
    assert isinstance(start, HandStarted)
    assert (start.dealer, start.dice, start.break_side, start.break_stack) == (S2, (2, 5, 4), S0, 11)


@pytest.mark.parametrize("sensors", [BOTH, ALONE])
def test_flowers_laid_one_after_the_other_are_one_showing(sensors: dict[str, bool]) -> None:
    script = started("taiwan16", **sensors)
    script.flowers(S0, (T("3f"), T("7f")))
    script.draw(S0, "tail")
    script.draw(S0, "tail")
    script.flowers(S2, (T("6f"),))
    script.draw(S2, "tail")
    script.discard(S0, "9s")
    assert told(script).moves == [
        FlowersShown(seat=S0, tiles=(T("3f"), T("7f"))),
        Drew(seat=S0, end="tail"),
        Drew(seat=S0, end="tail"),
        FlowersShown(seat=S2, tiles=(T("6f"),)),
        Drew(seat=S2, end="tail"),
        Discarded(seat=S0, tile=T("9s")),
    ]


def test_only_the_first_sideways_discard_declares_ready() -> None:
    script = started()
    script.discard(S0, "9m")
    script.draw(S1)
    script.discard(S1, "1z", sideways=True)
    script.call(S3, S1, (T("1z"), T("1z"), T("1z")), T("1z"))
    script.discard(S3, "5p")
    turn(script, S0, "2s")
    script.draw(S1)
    script.discard(S1, "2z", sideways=True)
    discards = [m for m in told(script).moves if isinstance(m, Discarded) and m.seat == S1]
    assert discards == [Discarded(seat=S1, tile=T("1z"), sideways=True), Discarded(seat=S1, tile=T("2z"))]


def test_a_hand_merely_shown_after_a_win_is_no_win() -> None:
    script = started()
    script.discard(S0, "3m")
    hand = tiles("1m 2m 4p 5p 6p 7p 8p 9p 1s 1s 1s 5z 5z")
    script.win(S2, hand, T("3m"), S0)
    other = tiles("1m 4m 4p 5p 6p 7p 8p 9p 1s 2s 2s 5z 6z")
    script.win(S3, other, T("3m"), S0)
    wins = [m for m in told(script).moves if isinstance(m, WinShown)]
    assert wins == [WinShown(seat=S2, source=S0, tile=T("3m"), hand=hand)]
