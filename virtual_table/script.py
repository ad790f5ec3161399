"""Fouls on purpose: who breaks which rule when.

A script is TOML (or JSON of the same shape), one table per foul:

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

A recorded hand follows its record up to the foul; own players finish it, except after `draw_early`, which changes no tile.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from table_engine.wire.errors import SettingsError
from table_engine.wire.seats import Seat
from table_engine.wire.settings import explain

What = Literal[
    "too_many",
    "too_few",
    "kong_no_replacement",
    "draw_early",
    "draw_out_of_turn",
    "draw_wrong_end",
    "late_call",
]


class Foul(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    what: What
    seat: Seat
    hand: Annotated[int, Field(ge=1)] = 1
    turn: Annotated[int, Field(ge=1)] = 1


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
