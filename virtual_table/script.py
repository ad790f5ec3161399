"""Fouls on purpose: who breaks which rule when.

One table of the file for each foul:

    [[foul]]
    hand = 1          # which hand of the game, from 1; default 1
    seat = 2          # whose chair, 0 to 3
    turn = 4          # at that seat's n-th draw of the hand, from 1; default 1
    what = "too_many"

| what | what happens |
|---|---|
| too_many | takes two tiles on the own turn, discards one |
| too_few | discards without having drawn |
| kong_no_replacement | the first kong from that turn on is not followed by a replacement (own players are dealt one) |
| draw_early | draws while the previous discard is still in the air |
| draw_out_of_turn | after having had n turns: draws on another seat's turn, who then draws too |
| draw_wrong_end | takes the turn's tile from the tail of the wall |
| late_call | calls the first discard that fits once the wall has reached the call ban (`turn` is ignored) |
| scene | the whole hand is played as `moves` says, whatever that breaks |

A recorded hand follows its record up to the foul; own players finish it, except after `draw_early`, which changes no tile.

With `scene` any foul there is can be scripted, move by move, in the words below. `seat` is whose foul it is:

    [[foul]]
    hand = 2
    seat = 1
    what = "scene"
    moves = '''
    1 discards 3s
    2 chows 3s of 1 with 45s
    2 discards 6s
    3 draws
    3 discards 9p
    '''

Scenes are played by own players only, not within a recorded game.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from table_engine.wire.errors import SettingsError
from table_engine.wire.seats import Seat
from table_engine.wire.settings import explain
from virtual_table.moves import hand

What = Literal[
    "too_many",
    "too_few",
    "kong_no_replacement",
    "draw_early",
    "draw_out_of_turn",
    "draw_wrong_end",
    "late_call",
    "scene",
]


class Foul(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    what: What
    seat: Seat
    hand: Annotated[int, Field(ge=1)] = 1
    turn: Annotated[int, Field(ge=1)] = 1
    moves: str = ""
    """The hand in words, for a `scene`."""

    @model_validator(mode="after")
    def _words(self) -> Foul:
        if (self.what == "scene") != bool(self.moves):
            raise ValueError("moves belong to a scene, and a scene needs moves")
        if self.moves:
            hand(self.moves)
        return self


class FoulScript(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    foul: tuple[Foul, ...] = ()


def load_script(path: Path) -> tuple[Foul, ...]:
    """Reads a script. Raises SettingsError naming file, key and what is expected."""
    try:
        text = path.read_text(encoding="utf-8")
        raw = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
        return FoulScript.model_validate(raw).foul
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read ({error.strerror})") from error
    except (ValueError, UnicodeDecodeError) as error:
        reason = explain(error) if isinstance(error, ValidationError) else str(error)
        raise SettingsError(f"{path}: not a foul script: {reason}") from error
