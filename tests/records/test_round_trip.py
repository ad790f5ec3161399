"""Import → export → import gives the same game, as far as a format has words for it; a second export gives the same text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from at_hand import PATTERNS, files
from kept import FORMS, kept

from table_engine.records.export import export
from table_engine.records.load import load
from table_engine.records.model import GameRecord, HandRecord
from table_engine.wire.actions import Discarded, FlowersShown, WinShown
from table_engine.wire.errors import RecordError

CLIENT_GAMES = 40
"""Of the client logs so many games are taken; there are hundreds."""


def again(game: GameRecord, form: str, tmp_path: Path) -> tuple[list[GameRecord], str]:
    text = export(game, form)
    path = tmp_path / "again"
    path.write_text(text, encoding="utf-8")
    return list(load(path)), text


def tellable(game: GameRecord, form: str) -> bool:
    """Botzone has no words for flowers and for a second winner."""
    if form != "botzone":
        return True
    flowers = any(isinstance(move, FlowersShown) for hand in game.hands for move in hand.moves)
    return not flowers and all(sum(isinstance(m, WinShown) for m in hand.moves) < 2 for hand in game.hands)


def comparable(one: HandRecord, other: HandRecord, form: str) -> tuple[HandRecord, HandRecord]:
    """Points and worth that the first did not tell were counted by our own scoring: nothing to compare."""
    ours, theirs = kept(one, form), kept(other, form)
    if form in ("mjai", "tenhou6"):
        if one.scores is None:
            ours, theirs = replace(ours, scores=None, deltas=None), replace(theirs, scores=None, deltas=None)
        if form == "tenhou6" and not all(win.items and win.points for win in one.wins):
            ours, theirs = replace(ours, wins=()), replace(theirs, wins=())
        ready = {move.seat for move in one.moves if isinstance(move, Discarded) and move.sideways}
        if form == "mjai" and not any(isinstance(move, WinShown) and move.seat in ready for move in one.moves):
            ours, theirs = replace(ours, ura=()), replace(theirs, ura=())
        if form == "tenhou6" and one.deltas is None:
            ours, theirs = replace(ours, deltas=None), replace(theirs, deltas=None)
    return ours, theirs


@pytest.mark.parametrize("form", PATTERNS)
def test_every_record_comes_back_as_it_was(shared: Path, tmp_path: Path, form: str) -> None:
    compared = 0
    for path in files(shared, form):
        for number, game in enumerate(load(path)):
            if number == CLIENT_GAMES and form == "tenhou-client":
                break
            for to in FORMS[game.ruleset]:
                if not tellable(game, to):
                    continue
                back, text = again(game, to, tmp_path)
                hands = [hand for one in back for hand in one.hands]
                assert len(hands) == len(game.hands)
                for one, other in zip(game.hands, hands, strict=True):
                    ours, theirs = comparable(one, other, to)
                    assert ours == theirs, f"{path.name} {one.title} as {to}"
                    compared += 1
                if to == "jantaku":
                    assert back == [game], path.name
                    assert export(back[0], to) == text
                elif to in ("mjai", "tenhou6"):
                    assert export(back[0], to).replace('"again"', f'"{game.source}"') == text, f"{path.name} as {to}"
    assert compared


def test_what_botzone_cannot_tell_is_refused(shared: Path) -> None:
    (game,) = load(files(shared, "open-mahjong")[0])
    with pytest.raises(RecordError, match="knows no flowers; export it as pmn or jantaku"):
        export(game, "botzone")


def test_hidden_tiles_are_refused_where_there_is_no_word_for_them(shared: Path) -> None:
    (game,) = load(files(shared, "pmn")[0])
    hidden = replace(game, hands=tuple(replace(h, hands=(("?",) * 14, *h.hands[1:])) for h in game.hands))
    for form in ("botzone", "pmn"):
        with pytest.raises(RecordError, match="a tile nobody saw"):
            export(hidden, form)
    with pytest.raises(RecordError, match="riichi games only"):
        export(game, "mjai")
