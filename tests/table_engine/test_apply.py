"""The reducer: on every record at hand the hands come out right after every move; on nonsense it goes on."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playing import S0, S1, S2, S3, Play

from table_engine import ask
from table_engine.apply import apply
from table_engine.records.load import load
from table_engine.rules import RULESETS, load_ruleset
from table_engine.state import State, Turn
from table_engine.wire.actions import (
    Action,
    Called,
    CountSeen,
    Discarded,
    DoraShown,
    Drew,
    FlowersShown,
    HandEnded,
    HandStarted,
    Konged,
    TileCorrected,
    TileReturned,
    WinShown,
)
from table_engine.wire.seats import SEATS
from table_engine.wire.tiles import FACES, Tile

PATTERNS = [
    "mjx_tenhou_mjlog/*.mjlog",
    "pantheon_tenhou/*.xml",
    "mjai_jsonl/*.mjlog",
    "botzone_mcr_*/*.txt",
    "taiwan_selfplay/*.jsonl",
]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_after_every_move_of_every_record_every_hand_has_its_count(shared: Path, pattern: str) -> None:
    moves = 0
    for path in sorted((shared / "data" / "game_records").glob(pattern)):
        if "README" in path.name:
            continue
        for game in load(path):
            state, rules = State(), load_ruleset(game.ruleset)
            for number, hand in enumerate(game.hands, start=1):
                where = f"{path.name}: {hand.title}"
                state = apply(state, hand.start(), rules)
                for move in hand.moves:
                    turn = ask.whose_turn(state)
                    if isinstance(move, Drew | Discarded | Konged) and state.discards:
                        assert move.seat == turn, where
                    state = apply(state, move, rules)
                    moves += 1
                    if state.running:
                        assert not any(ask.deviation(state, seat, rules) for seat in SEATS), where
                        assert _tiles(state) == state.head + state.tail, where
                assert state.hand == number
                assert state.turn.phase == "over"
                assert state.dealer == hand.dealer
                if game.ruleset == "riichi":
                    assert ask.round_wind(state) == ("east", "south", "west", "north")[hand.round_wind - _first(game)]
                    assert game.hands[0].honba or state.honba == hand.honba, where
    assert moves > 1000


def _first(game: object) -> int:
    """A record may begin after the first round."""
    return game.hands[0].round_wind  # type: ignore[attr-defined]


def _tiles(state: State) -> int:
    """Every tile taken from the wall lies somewhere, once."""
    return sum(
        p.concealed + sum(len(m.tiles) for m in p.melds) + len(ask.lying(p)) + len(p.flowers) for p in state.players
    )


def test_known_hands_are_followed_tile_by_tile(shared: Path) -> None:
    """Where draws are known, what a winner lays open is what the reducer believes to stand there."""
    compared = 0
    for path in sorted((shared / "data" / "game_records").glob("mjx_tenhou_mjlog/*.mjlog"))[:12]:
        for game in load(path):
            state, rules = State(), load_ruleset(game.ruleset)
            for hand in game.hands:
                state = apply(state, hand.start(), rules)
                for move in hand.moves:
                    if isinstance(move, WinShown):
                        known = state.players[move.seat].known
                        assert set(known) <= {*move.hand, move.tile}
                        compared += len(known)
                    state = apply(state, move, rules)
    assert compared > 100


tiles = st.sampled_from(FACES)
seats = st.sampled_from(SEATS)
ends = st.sampled_from(["head", "tail"])
anything = st.one_of(
    st.builds(HandStarted, dealer=seats),
    st.builds(Drew, seat=seats, end=ends, tile=st.one_of(tiles, st.just(Tile("?")))),
    st.builds(Discarded, seat=seats, tile=tiles, sideways=st.booleans()),
    st.builds(
        Called,
        seat=seats,
        call=st.sampled_from(["chow", "pung", "kong"]),
        tile=tiles,
        source=seats,
        tiles=st.lists(tiles, min_size=3, max_size=4).map(tuple),
    ),
    st.builds(Konged, seat=seats, kong=st.sampled_from(["concealed", "added"]), tile=tiles),
    st.builds(FlowersShown, seat=seats, tiles=st.lists(tiles, max_size=3).map(tuple)),
    st.builds(DoraShown, tile=tiles),
    st.builds(WinShown, seat=seats, source=st.one_of(st.none(), seats), tile=tiles),
    st.builds(HandEnded, won=st.booleans()),
    st.builds(TileReturned, seat=seats, what=st.sampled_from(["discard", "call", "draw"]), tile=tiles),
    st.builds(
        TileCorrected,
        seat=seats,
        zone=st.sampled_from(["pond", "meld", "flower", "dora"]),
        index=st.integers(0, 30),
        was=tiles,
        tile=tiles,
    ),
    st.builds(CountSeen, seat=seats, concealed=st.integers(0, 20)),
)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(RULESETS), st.lists(anything, max_size=60))
def test_nothing_played_is_refused_and_the_same_moves_make_the_same_state(ruleset: str, moves: list[Action]) -> None:
    rules = load_ruleset(ruleset)
    one = other = State()
    for move in moves:
        one, other = apply(one, move, rules), apply(other, move, rules)
        for seat in SEATS:
            ask.deviation(one, seat, rules)
            ask.may_call(one, seat, "pung", rules)
    assert one == other
    assert repr(one) == repr(other)


plain = st.one_of(
    st.builds(Drew, seat=seats, end=ends, tile=st.one_of(tiles, st.just(Tile("?")))),
    st.builds(Discarded, seat=seats, tile=tiles),
    st.builds(Konged, seat=seats, kong=st.just("concealed"), tile=tiles),
    st.builds(FlowersShown, seat=seats, tiles=st.lists(tiles, max_size=3).map(tuple)),
    st.builds(CountSeen, seat=seats, concealed=st.integers(0, 20)),
)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(RULESETS), st.lists(plain, max_size=60))
def test_tiles_are_conserved_whoever_plays_what(ruleset: str, moves: list[Action]) -> None:
    rules = load_ruleset(ruleset)
    state = apply(State(), HandStarted(dealer=S0), rules)
    for move in moves:
        state = apply(state, move, rules)
        assert _tiles(state) == state.head + state.tail


def test_turns_pass_and_calls_jump() -> None:
    play = Play("riichi")
    assert play.state.turn == Turn("discard", S0)
    play.discard(S0)
    assert (play.state.turn.phase, play.state.turn.actor) == ("draw", S1)
    play.pung(S3)
    assert play.state.turn == Turn("discard", S3)
    assert play.state.players[S0].pond[0].taken == S3
    assert ask.lying(play.state.players[S0]) == ()
    play.discard(S3)
    assert (play.state.turn.phase, play.state.turn.actor) == ("draw", S0)


def test_a_draw_ahead_of_turn_is_the_draw_of_the_turn() -> None:
    play = Play("riichi").discard(S0).draw(S1).draw(S2)
    assert play.state.turn.actor == S1
    play.discard(S1)
    assert (play.state.turn.phase, play.state.turn.actor) == ("discard", S2)
    assert ask.deviation(play.state, S2, play.rules) == 0


def test_a_call_makes_a_draw_ahead_of_turn_a_tile_too_many() -> None:
    play = Play("taiwan16").discard(S0).draw(S1).draw(S2).discard(S1).pung(S3)
    assert play.state.players[S2].concealed == 17
    assert ask.deviation(play.state, S2, play.rules) == 1


@pytest.mark.parametrize("what", ["draw", "discard", "call"])
def test_what_is_taken_back_never_was(what: str) -> None:
    play = Play("riichi").discard(S0, "5p")
    before = play.state
    match what:
        case "draw":
            play.draw(S1)
        case "discard":
            play.draw(S1)
            before = play.state
            play.discard(S1, "3m")
        case "call":
            play.pung(S2)
    play.do(TileReturned(seat=S2 if what == "call" else S1, what=what))
    after = play.state
    assert (after.head, after.discards) == (before.head, before.discards)
    assert (after.turn.phase, after.turn.actor) == (before.turn.phase, before.turn.actor)
    assert [p.concealed for p in after.players] == [p.concealed for p in before.players]
    assert [ask.lying(p) for p in after.players] == [ask.lying(p) for p in before.players]
    assert [p.melds for p in after.players] == [p.melds for p in before.players]


def test_a_discard_out_of_turn_taken_back_gives_the_turn_back() -> None:
    play = Play("taiwan16").discard(S0).discard(S3)
    assert play.state.turn.actor == S0
    play.do(TileReturned(seat=S3, what="discard"))
    assert (play.state.turn.phase, play.state.turn.actor) == ("draw", S1)


def test_a_tile_read_better_is_that_tile_everywhere() -> None:
    play = Play("riichi").discard(S0, "5p")
    play.do(TileCorrected(seat=S0, zone="pond", index=0, was=Tile("5p"), tile=Tile("6p")))
    assert play.state.players[S0].pond[0].tile == "6p"
    assert play.state.turn.offer is not None
    assert play.state.turn.offer.tile == "6p"
    play.pung(S2)
    play.do(TileCorrected(seat=S2, zone="meld", index=1, was=Tile("6p"), tile=Tile("0p")))
    assert play.state.players[S2].melds[0].tiles == ("6p", "0p", "6p")


def test_four_copies() -> None:
    play = Play("riichi").discard(S0, "5p").draw(S1).discard(S1, "0p").do(DoraShown(tile=Tile("5p")))
    assert ask.unseen(play.state, Tile("5p")) == 1
    assert ask.unseen(play.state, Tile("0p")) == 1
    assert ask.unseen(play.state, Tile("1f")) == 1


def test_winds_follow_the_dealer_the_break_or_the_first_hand() -> None:
    """TW-S4: under Taiwanese rules the seat the dice point at is east, whoever deals."""
    start = HandStarted(dealer=S2, dice=(2, 3, 1), break_side=S3, break_stack=6)
    winds = {}
    for ruleset in RULESETS:
        rules = load_ruleset(ruleset)
        state = apply(apply(State(), HandStarted(dealer=S1), rules), start, rules)
        winds[ruleset] = [ask.wind(state, seat, rules) for seat in SEATS].index("east")
    assert winds == {"taiwan16": S3, "riichi": S2, "chinese_official": S1, "world_series": S2}


def test_honba_count_repeats_and_draws() -> None:
    rules = load_ruleset("riichi")
    state = State()
    seen = []
    for dealer, winner in ((S0, S0), (S0, None), (S1, S1), (S1, S3), (S2, None), (S3, None)):
        state = apply(state, HandStarted(dealer=dealer), rules)
        seen.append(state.honba)
        if winner is not None:
            state = apply(state, WinShown(seat=winner), rules)
        state = apply(state, HandEnded(won=winner is not None), rules)
    assert seen == [0, 1, 2, 3, 0, 1]


def test_a_kong_seen_after_the_own_discard_owes_no_replacement() -> None:
    rules = load_ruleset("riichi")
    state = apply(State(), HandStarted(dealer=S0), rules)
    state = apply(state, Discarded(seat=S0, tile=Tile("1p")), rules)
    state = apply(state, Konged(seat=S0, kong="concealed", tile=Tile("1z")), rules)
    assert state.players[0].owed == 0
    assert ask.deviation(state, S0, rules) == -1
    assert (state.turn.phase, state.turn.actor) == ("draw", S1)


def test_a_flower_seen_after_its_replacement_owes_no_other() -> None:
    rules = load_ruleset("taiwan16")
    state = apply(State(), HandStarted(dealer=S0), rules)
    state = apply(state, Drew(seat=S0, end="tail"), rules)
    state = apply(state, Discarded(seat=S0, tile=Tile("1p")), rules)
    assert (state.players[0].owed, state.players[0].early) == (0, 1)
    state = apply(state, FlowersShown(seat=S0, tiles=(Tile("1f"),)), rules)
    assert (state.players[0].owed, state.players[0].early) == (0, 0)
    assert ask.deviation(state, S0, rules) == 0


def test_an_older_discard_taken_back_leaves_the_turn_and_what_lies_open() -> None:
    rules = load_ruleset("riichi")
    state = apply(State(), HandStarted(dealer=S0), rules)
    for seat in (S0, S1):
        state = apply(state, Discarded(seat=seat, tile=Tile("1m")), rules)
    state = apply(state, TileReturned(seat=S0, what="discard"), rules)
    assert state.turn.offer is not None
    assert state.turn.offer.seat == S1
    assert state.players[0].pond == ()
