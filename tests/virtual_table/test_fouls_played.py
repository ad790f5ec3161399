"""Scripted fouls happen with the things, to whom and when the script says, and the hand goes on."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import get_args

import pytest
from virtual_hands import RULES, as_record, director_of, own_records, play, untimed

from table_engine.rules import load_ruleset
from table_engine.wire.actions import Called, Discarded, Drew, HandEnded, HandShown, Konged
from table_engine.wire.errors import SettingsError
from table_engine.wire.seats import SEATS, Seat
from virtual_table.customs import customs_of
from virtual_table.games import own_hands
from virtual_table.motion import Motion
from virtual_table.perfect import observe
from virtual_table.recorded import settings_of
from virtual_table.script import Foul, What, load_script
from virtual_table.simulation import Simulation

sys.path.insert(0, str(Path(__file__).parents[1] / "table_engine"))
from playing import Play

WHATS = [what for what in get_args(What) if what != "scene"]


def _known(ruleset: str, what: str) -> bool:
    return what != "late_call" or load_ruleset(ruleset).call_ban.discards is not None


FOULS = [(r, w) for r in RULES for w in WHATS if _known(r, w)]


def _judged(ruleset: str, start, moves) -> Play:
    game = Play(ruleset)
    game.do(start)
    for move in moves:
        game.do(move)
    return game


@pytest.mark.parametrize("ruleset", RULES)
def test_own_players_break_no_rule_of_themselves(ruleset):
    """The engine's judge, knowing everything, finds nothing in twenty hands."""
    _, director = play(ruleset, seed=21, hands=20)
    for performed in director.performed:
        assert isinstance(performed.moves[-1], HandEnded)
        assert not _judged(ruleset, performed.start, performed.moves).changes
    won = sum(p.moves[-1].won for p in director.performed)
    assert 10 <= won <= 20


# What the engine must make of each foul, under the rule sets that know it (`silent` says why the others do not).
_CODES = {
    "too_many": "tile_count",
    "too_few": "tile_count",
    "kong_no_replacement": "tile_count",
    "draw_early": "draw_order",
    "draw_out_of_turn": "draw_order",
    "draw_wrong_end": "draw_order",
    "late_call": "call_ban",
}
_SILENT = {("world_series", "draw_early"), ("world_series", "draw_wrong_end"), ("chinese_official", "draw_wrong_end")}


@pytest.mark.parametrize(("ruleset", "what"), FOULS)
def test_a_scripted_foul_is_that_foul_and_no_other(ruleset, what):
    for seed in range(3):
        foul = Foul(what=what, seat=Seat((seed + 1) % 4), turn=2)
        settings, director = play(ruleset, (foul,), seed)
        assert settings[0].mover.committed == [foul], f"seed {seed}"
        performed = director.performed[0]
        alerts = [c.after for c in _judged(ruleset, performed.start, performed.moves).changes if c.type == "new"]
        code = "tile_count" if (ruleset, what) == ("world_series", "draw_out_of_turn") else _CODES[what]
        if (ruleset, what) in _SILENT:
            assert not alerts
        else:
            assert [(a.code, a.seat) for a in alerts if a.code != "dead_hand"] == [(code, foul.seat)]
            late = [a.rule for a in alerts if a.code == "dead_hand"]
            assert late == (["TW-F16"] if (ruleset, what) == ("taiwan16", "late_call") else []), "so late it costs more"


@pytest.mark.parametrize("what", WHATS)
def test_a_foul_breaks_into_a_recorded_hand(what):
    """The record is followed up to the foul; where the foul changes no tile, to its end."""
    done = 0
    for seed in range(8):
        record = own_records("riichi", seed=seed, hands=1)[0]
        foul = Foul(what=what, seat=Seat.S1, turn=2)
        truth = []
        for _ in observe([record], fouls=[foul], truth=truth):
            pass
        moves = truth[0].moves
        alerts = [c.after for c in _judged("riichi", truth[0].start, moves).changes if c.type == "new"]
        if not alerts:
            continue
        done += 1
        ready = [
            a for a in alerts if a.rule in ("RI-S4", "RI-F8", "RI-F10")
        ]  # who calls late may have declared ready in the record
        assert [(a.code, a.seat) for a in alerts if a not in ready] == [(_CODES[what], Seat.S1)]
        assert what == "late_call" or not ready
        if what == "draw_early":
            assert sum(not isinstance(m, HandShown) for m in moves) == len(record.moves)
        else:
            assert untimed(moves[:12]) == list(record.moves[:12]) or what != "late_call"
    assert done >= {"kong_no_replacement": 1, "late_call": 4}.get(what, 7)


def test_two_tiles_leave_the_wall_for_too_many():
    foul = Foul(what="too_many", seat=Seat.S2, turn=3)
    _, director = play("riichi", (foul,), seed=2)
    moves = director.performed[0].moves
    mine = [m for m in moves if getattr(m, "seat", None) == Seat.S2 and isinstance(m, Drew | Discarded)]
    doubles = [i for i in range(len(mine) - 1) if isinstance(mine[i], Drew) and isinstance(mine[i + 1], Drew)]
    assert len(doubles) == 1
    assert sum(isinstance(m, Drew) for m in mine[: doubles[0] + 1]) == 3, "at the third draw"


def test_an_early_draw_takes_its_tile_while_the_discard_is_in_the_air():
    foul = Foul(what="draw_early", seat=Seat.S1, turn=2)
    director = director_of("taiwan16", 4)
    motions = []
    for batch in director.play(own_hands(customs_of("taiwan16"), 4, [foul], 1)):
        motions += [h for h in batch.happenings if isinstance(h, Motion)]
    moves = director.performed[0].moves
    early = next(
        i
        for i, m in enumerate(moves)
        if isinstance(m, Drew) and isinstance(moves[i + 1], Discarded) and m.seat == moves[i + 1].seat.next
    )
    draw, discard = moves[early], moves[early + 1]
    assert draw.at_ms < discard.at_ms - 500
    flight = next(m for m in motions if m.end_ms == discard.at_ms and m.arm == discard.seat and m.tiles)
    assert flight.start_ms < draw.at_ms < flight.end_ms


def test_a_kong_without_replacement_goes_on_one_short():
    foul = Foul(what="kong_no_replacement", seat=Seat.S3)
    settings, director = play("chinese_official", (foul,), seed=1)
    moves = director.performed[0].moves
    kong = next(
        i
        for i, m in enumerate(moves)
        if isinstance(m, Konged | Called) and m.seat == Seat.S3 and (m.type == "konged" or m.call == "kong")
    )
    assert isinstance(moves[kong + 1], Discarded)
    assert as_record("chinese_official", settings[0], director.performed[0]).moves


def test_a_request_is_met_at_the_next_turn():
    customs = customs_of("riichi")
    simulation = Simulation.of_players(customs, hands=2, seed=3)
    simulation.step(30_000)
    planned = len(simulation.performed[0].moves)
    simulation.request(Foul(what="too_few", seat=Seat.S0))
    simulation.request(Foul(what="kong_no_replacement", seat=Seat.S2))
    while not simulation.finished:
        simulation.step(1000)
    alerts = [
        [(c.after.code, c.after.seat) for c in _judged("riichi", p.start, p.moves).changes if c.type == "new"]
        for p in simulation.performed
    ]
    assert alerts == [[("tile_count", Seat.S0)], [("tile_count", Seat.S2)]]
    assert len(simulation.performed[0].moves) > planned


def test_a_script_is_read_and_refused_with_its_key(tmp_path):
    path = tmp_path / "fouls.toml"
    path.write_text('[[foul]]\nhand = 2\nseat = 1\nturn = 4\nwhat = "too_many"\n')
    assert load_script(path) == (Foul(what="too_many", seat=Seat.S1, hand=2, turn=4),)
    path = tmp_path / "fouls.json"
    path.write_text('{"foul": [{"seat": 3, "what": "late_call"}]}')
    assert load_script(path)[0].seat == Seat.S3
    path.write_text('{"foul": [{"seat": 4, "what": "sneeze"}]}')
    with pytest.raises(SettingsError, match=r"fouls.json: not a foul script: .*foul\.0\.what"):
        load_script(path)
    with pytest.raises(SettingsError, match="cannot be read"):
        load_script(tmp_path / "none.toml")
    path.write_text("[[")
    with pytest.raises(SettingsError, match="not a foul script"):
        load_script(path)


def test_late_calls_are_refused_where_calls_never_end():
    foul = Foul(what="late_call", seat=Seat.S0)
    with pytest.raises(SettingsError, match="chinese_official never forbids calls"):
        next(own_hands(customs_of("chinese_official"), 1, [foul]))
    with pytest.raises(SettingsError, match="chinese_official never forbids calls"):
        list(settings_of(own_records("chinese_official", 1, 1), 1, [foul]))
    assert len(SEATS) == 4
