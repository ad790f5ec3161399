"""Whatever is played, by whom and in whatever order: no tile comes from nowhere and none is lost."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from table_engine.apply import apply
from table_engine.rules import load_ruleset
from table_engine.state import State
from table_engine.wire.actions import (
    Action,
    CallAnnounced,
    Called,
    CountSeen,
    Discarded,
    Drew,
    FlowersShown,
    HandStarted,
    Konged,
    TileCorrected,
    TileReturned,
    TurnCorrected,
    WinShown,
)
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import FLOWERS, KINDS, UNKNOWN

RULESETS = ("taiwan16", "riichi", "chinese_official", "world_series")
TILES = st.sampled_from([*KINDS, UNKNOWN])


def tiles(state: State) -> int:
    """All tiles that are not in the wall."""
    return sum(
        player.concealed
        + sum(len(meld.tiles) for meld in player.melds)
        + sum(tile.taken is None for tile in player.pond)
        + len(player.flowers)
        for player in state.players
    )


def drawn(data: st.DataObject, state: State, at_ms: int) -> Action:
    """Any move that the tiles on the table allow, legal or not."""
    seat = data.draw(st.sampled_from(SEATS), "seat")
    tile = data.draw(TILES, "tile")
    offer = state.turn.offer
    sorts = ["drew", "discarded", "flowers", "concealed", "counted", "said", "corrected", "turn", "won"]
    if offer is not None and not offer.robbing and offer.seat != seat:
        sorts += ["called", "kong"]
    if state.players[seat].pond and state.players[seat].pond[-1].taken is None:
        sorts.append("back")
    if state.players[seat].drawn:
        sorts.append("undrawn")
    match data.draw(st.sampled_from(sorts), "move"):
        case "drew":
            return Drew(at_ms=at_ms, seat=seat, tile=tile, end=data.draw(st.sampled_from(["head", "tail"])))
        case "discarded":
            return Discarded(at_ms=at_ms, seat=seat, tile=tile, sideways=data.draw(st.booleans()))
        case "flowers":
            return FlowersShown(at_ms=at_ms, seat=seat, tiles=(data.draw(st.sampled_from(FLOWERS)),))
        case "concealed":
            return Konged(at_ms=at_ms, seat=seat, kong="concealed", tile=tile)
        case "counted":
            return CountSeen(at_ms=at_ms, seat=seat, concealed=data.draw(st.integers(0, 17)))
        case "said":
            return CallAnnounced(at_ms=at_ms, seat=seat, call="pung")
        case "corrected":
            return TileCorrected(at_ms=at_ms, seat=seat, zone="pond", index=0, was=UNKNOWN, tile=tile)
        case "turn":
            return TurnCorrected(at_ms=at_ms, seat=seat, phase=data.draw(st.sampled_from(["draw", "discard"])))
        case "won":
            return WinShown(at_ms=at_ms, seat=seat, tile=tile)
        case "back":
            return TileReturned(at_ms=at_ms, seat=seat, what="discard")
        case "undrawn":
            return TileReturned(at_ms=at_ms, seat=seat, what="draw")
        case sort:
            assert offer is not None
            size = 3 if sort == "called" else 4
            return Called(
                at_ms=at_ms,
                seat=seat,
                call="pung" if size == 3 else "kong",
                tile=offer.tile,
                source=offer.seat,
                tiles=(offer.tile,) * size,
            )


@given(data=st.data(), ruleset=st.sampled_from(RULESETS), moves=st.integers(1, 60))
@settings(max_examples=120, deadline=None)
def test_tiles_are_conserved_whatever_is_played(data: st.DataObject, ruleset: str, moves: int) -> None:
    rules = load_ruleset(ruleset)
    state = apply(State(), HandStarted(dealer=Seat.S0, at_ms=1), rules)
    for n in range(moves):
        action = drawn(data, state, 1000 + n)
        state = apply(state, action, rules)
        assert tiles(state) == state.head + state.tail, action
        assert state.at_ms == 1000 + n


def test_a_tile_taken_by_an_announced_call_cannot_be_taken_again() -> None:
    """Found by search: a win interrupts, a pung said before it is laid down after it, and its tile stayed on offer."""
    rules = load_ruleset("taiwan16")
    state = apply(State(), HandStarted(dealer=Seat.S0, at_ms=1), rules)
    first = Discarded(at_ms=2, seat=Seat.S1, tile="1m")
    pung = Called(at_ms=6, seat=Seat.S0, call="pung", tile="1m", source=Seat.S1, tiles=("1m", "1m", "1m"))
    for action in (
        first,
        WinShown(at_ms=3, seat=Seat.S0, tile="1m"),
        CallAnnounced(at_ms=4, seat=Seat.S0, call="pung"),
        Discarded(at_ms=5, seat=Seat.S0, tile="1m"),
        pung,
    ):
        state = apply(state, action, rules)
    assert state.players[Seat.S1].pond[0].taken == Seat.S0
    assert state.turn.offer is None


def test_a_tile_taken_back_is_nobodys_to_take() -> None:
    """Found by search: after a win two more discards; when the first is taken back, the turn before the second still
    offered it."""
    rules = load_ruleset("taiwan16")
    state = apply(State(), HandStarted(dealer=Seat.S0, at_ms=1), rules)
    for action in (
        Discarded(at_ms=2, seat=Seat.S1, tile="1m"),
        WinShown(at_ms=3, seat=Seat.S0, tile="1m"),
        Discarded(at_ms=4, seat=Seat.S0, tile="1m"),
        TileReturned(at_ms=5, seat=Seat.S1, what="discard"),
    ):
        state = apply(state, action, rules)
    assert state.turn.offer is None
