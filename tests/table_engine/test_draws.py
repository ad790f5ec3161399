"""Every way a hand can be drawn, in every rule set that has it: judged on the moves, and played with things and followed from
what perfect sensors see. RI-S6, RI-S7, RI-S8; TW-S8; the wall played out under the others."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

import pytest

from table_engine import deal
from table_engine.apply import apply
from table_engine.ask import draws_left
from table_engine.engine import Engine, begin, finish, step
from table_engine.ledger import HandLine
from table_engine.match import Match, moved
from table_engine.referee import Docket
from table_engine.rules import RULESETS, load_ruleset
from table_engine.state import State
from table_engine.wire.actions import Discarded, Drew, HandEnded, HandStarted
from table_engine.wire.frozen import replace
from table_engine.wire.layout import Layout, TileSize
from table_engine.wire.observations import Envelope
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import Tile
from virtual_table.customs import customs_of
from virtual_table.director import Director
from virtual_table.motion import BRISK
from virtual_table.moves import Step, Turns, hand
from virtual_table.perfect import sense
from virtual_table.scene import setting

S0, S1, S2, S3 = Seat

READY = ("23m456p789s111z55p", "23m456s789p222z55s", "23m456p789s333z88s", "78m456s789p444z22p")


class Draw(NamedTuple):
    """A hand in words, how it has ended, and whether the first dealer deals again."""

    how: str
    moves: str
    stays: bool
    points: tuple[int, int, int, int] = (0, 0, 0, 0)


KONGS = """
dora 5z
1 kongs 9m
dora 6z
1 draws from the tail
1 kongs 9p
dora 7z
1 draws from the tail
1 discards 2s
2 draws
2 kongs {third}
dora 4z
2 draws from the tail
{fourth}
"""
ABORTIVE = {
    "nine terminals of the dealer": Draw("nine_terminals", "1 lays open 19m19p19s123z23456s\nend", stays=True),
    "nine terminals of another": Draw(
        "nine_terminals", "1 discards 5p\n2 draws 5m\n2 lays open 19m19p19s123z22345m\nend", stays=True
    ),
    "four equal winds": Draw(
        "four_winds",
        "1 discards 3z\n2 draws\n2 discards 3z\n3 draws\n3 discards 3z\n4 draws\n4 discards 3z\nend",
        stays=True,
    ),
    "four kongs of two players": Draw(
        "four_kongs",
        KONGS.format(third="9s", fourth="2 kongs 1p\ndora 3z\n2 draws from the tail\n2 discards 3s\nend"),
        stays=True,
    ),
    "four ready": Draw(
        "four_ready",
        "\n".join(
            (
                "1 discards 9m sideways",
                *(f"{n} draws\n{n} discards 9{suit} sideways" for n, suit in ((2, "m"), (3, "m"), (4, "p"))),
                *(f"{n} lays open {tiles}" for n, tiles in enumerate(READY, start=1)),
                "end",
            )
        ),
        stays=True,
        points=(-1000, -1000, -1000, -1000),
    ),
    "three winners off the dealer": Draw(
        "three_winners",
        "1 discards 1m\n2 wins on 1m of 1 with 23m456p789s555z22p\n3 wins on 1m of 1 with 23m456s789p666z22s\n"
        "4 wins on 1m of 1 with 23m456p789s777z33s\nend",
        stays=False,
    ),
    "three winners off another": Draw(
        "three_winners",
        "1 discards 9s\n2 draws\n2 discards 1m\n1 wins on 1m of 2 with 23m456p789s555z22p\n"
        "3 wins on 1m of 2 with 23m456s789p666z22s\n4 wins on 1m of 2 with 23m456p789s777z33s\nend",
        stays=True,
    ),
}
PLAYED_OUT = {
    "a ready dealer, undeclared": Draw(
        "exhaustive",
        "1 discards 1z\nuntil 14\n1 lays open 23m456p789s44456m\nend",
        stays=True,
        points=(3000, -1000, -1000, -1000),
    ),
    "two ready, the dealer not": Draw(
        "exhaustive",
        "1 discards 1z\nuntil 14\n2 lays open 23m456p789s44456m\n3 lays open 45m456s789p22288m\nend",
        stays=False,
        points=(-1500, 1500, 1500, -1500),
    ),
    "three ready": Draw(
        "exhaustive",
        "1 discards 1z\nuntil 14\n1 lays open 23m456p789s44456m\n2 lays open 45m456s789p22288m\n"
        "4 lays open 11223344p55667s\nend",
        stays=True,
        points=(1000, 1000, -3000, 1000),
    ),
    "nobody ready": Draw("exhaustive", "1 discards 1z\nuntil 14\nend", stays=False),
}
NEAR = {
    "four kongs of one player": KONGS.format(third="1p", fourth="2 discards 3s\nend").replace(
        "2 kongs 1p", "2 discards 4s\nend"
    ),
    "eight terminals": "1 lays open 19m19p19s12z223456s\nend",
    "four winds, not alike": "1 discards 3z\n2 draws\n2 discards 3z\n3 draws\n3 discards 3z\n4 draws\n4 discards 4z\nend",
    "four winds after a call": "1 discards 3z\n2 draws\n2 discards 3z\n3 draws\n3 discards 5p\n4 pungs 5p of 3\n4 discards 3z\n"
    "1 draws\n1 discards 3z\nend",
    "three ready": "1 discards 9m sideways\n2 draws\n2 discards 9m sideways\n3 draws\n3 discards 9m sideways\n4 draws\n"
    "4 discards 9p\nend",
}
DRAWS = {**ABORTIVE, **PLAYED_OUT}


def acted(words: str, ruleset: str) -> Match:
    """The match after the bare moves."""
    rules, match, now = load_ruleset(ruleset), Match(Docket("t1")), 0
    lines = [Step(HandStarted(dealer=S0)), *hand(words)]
    for line in lines:
        steps = [line] if isinstance(line, Step) else []
        if isinstance(line, Turns):
            steps = list(_turns(match.game, line.until or 0, ruleset))
        for one in steps:
            now += 1000
            match, _ = moved(match, replace(one.action, at_ms=now), rules, ())
    return match


def _turns(state: State, left: int, ruleset: str) -> list[Step]:
    rules, steps = load_ruleset(ruleset), list[Step]()
    while rules.set.tiles - state.head - state.tail > left:
        seat = state.turn.actor
        for action in (Drew(seat=seat), Discarded(seat=seat, tile=Tile(f"{state.discards % 9 + 1}s"))):
            state = apply(state, action, rules)
            steps.append(Step(action))
    return steps


def observed(words: str, ruleset: str) -> Engine:
    """The engine after the hand was played with things and seen by perfect sensors."""
    rules, customs = load_ruleset(ruleset), customs_of(ruleset)
    layout = Layout(TileSize(), customs.stacks)
    director = Director(customs, layout, BRISK, 1)
    engine, seqs = begin("t1"), {"serial": 0, "camera": 0}
    for source, at_ms, data in sense(director.play(iter([setting(customs, words, Random(3))])), layout):
        seqs[source] += 1
        engine, outputs = step(engine, Envelope.of(source, 1, seqs[source], at_ms, at_ms, data), rules)
        assert not outputs.stumbles
    return finish(engine, rules)[0]


def right(draw: Draw, game: State, line: HandLine | None) -> None:
    rules = load_ruleset("riichi")
    assert line is not None
    assert (game.ended, line.how) == (draw.how, draw.how)
    assert line.points == draw.points
    assert deal.next_dealer(game, rules) == (S0 if draw.stays else S1)
    after = apply(game, HandStarted(dealer=deal.next_dealer(game, rules), at_ms=game.at_ms + 1000), rules)
    kept = sum(draw.points) // -1000 if draw.how == "four_ready" else 0
    assert (after.honba, after.sticks) == (1, kept)


@pytest.mark.parametrize("name", DRAWS)
def test_drawn_on_the_moves(name: str) -> None:
    match = acted(DRAWS[name].moves, "riichi")
    right(DRAWS[name], match.game, match.ledger.running)


@pytest.mark.parametrize("name", DRAWS)
def test_drawn_from_observations(name: str) -> None:
    engine = observed(DRAWS[name].moves, "riichi")
    right(DRAWS[name], engine.game, engine.match.ledger.running)


@pytest.mark.parametrize("name", NEAR)
def test_near_misses_are_no_draw_the_rules_know(name: str) -> None:
    assert acted(NEAR[name], "riichi").game.ended == "unknown"
    engine = observed(NEAR[name], "riichi")
    if (
        name == "eight terminals"
    ):  # laid open without the right to a draw, the hand claims a win: the judges see a false one
        assert [alert.code for alert in engine.docket.open] == ["false_win"]
    else:
        assert engine.game.ended == "unknown"


@pytest.mark.parametrize("ruleset", [r for r in RULESETS if r != "riichi"])
@pytest.mark.parametrize("name", [n for n, draw in ABORTIVE.items() if draw.how in ("four_winds", "four_kongs")])
def test_no_other_rule_set_draws_a_hand_before_its_end(ruleset: str, name: str) -> None:
    assert load_ruleset(ruleset).match.abortive_draws == ()
    words = "\n".join(line for line in ABORTIVE[name].moves.splitlines() if not line.startswith("dora"))
    assert acted(words, ruleset).game.ended == "unknown"


@pytest.mark.parametrize("ruleset", RULESETS)
def test_the_wall_is_played_out(ruleset: str) -> None:
    """TW-S8 with 16 tiles left, RI-S7 with 14, the others with none."""
    rules = load_ruleset(ruleset)
    words = f"1 discards 1z\nuntil {rules.set.reserved}\nend"
    for game in (acted(words, ruleset).game, observed(words, ruleset).game):
        assert (game.ended, draws_left(game, rules)) == ("exhaustive", 0)
    early = acted(f"1 discards 1z\nuntil {rules.set.reserved + 1}\nend", ruleset).game
    assert early.ended == "unknown"


@pytest.mark.parametrize("ruleset", RULESETS)
def test_three_winners_mean_what_the_rule_set_says(ruleset: str) -> None:
    """TW-P13 all three, RI-S8 a draw, CO-S6 the nearest; the World Series leaves it to its scoring."""
    words = ABORTIVE["three winners off another"].moves
    for game in (acted(words, ruleset).game, observed(words, ruleset).game) if ruleset != "taiwan16" else ():
        assert len(game.winners) == 3
        assert game.ended == ("three_winners" if ruleset == "riichi" else "won")


def test_a_hand_nobody_could_read_pays_what_a_person_says() -> None:
    """Noten payments are not made up where no sensor reads faces."""
    rules, match = load_ruleset("riichi"), Match(Docket("t1"))
    match, _ = moved(match, HandStarted(dealer=S0, at_ms=1), rules, ())
    match, _ = moved(match, Discarded(seat=S0, tile=Tile("?"), at_ms=2), rules, ())
    while draws_left(match.game, rules):
        seat = match.game.turn.actor
        match, _ = moved(match, Drew(seat=seat, at_ms=3), rules, ())
        match, _ = moved(match, Discarded(seat=seat, tile=Tile("?"), at_ms=4), rules, ())
    match, _ = moved(match, HandEnded(won=False, at_ms=5), rules, ())
    line = match.ledger.running
    assert line is not None
    assert (line.how, line.points) == ("exhaustive", None)
    assert line.note == "who was ready could not be read"
