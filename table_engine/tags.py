"""Hands as tag readers under the racks see them: which tile carries which tag, and where it stands.

Reader n reads the rack of seat n; its places count from the player's left. A free place before the last tile says that the last
one stands apart: it has been drawn and not been racked.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from table_engine.wire.errors import SettingsError
from table_engine.wire.observations import HandFaces, TagSeen
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.settings import explain
from table_engine.wire.tiles import FACES, UNKNOWN, Tile

Tag = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
_BOOK: TypeAdapter[dict[str, tuple[Tag, ...]]] = TypeAdapter(dict[str, tuple[Tag, ...]])
_MOST = 20


def load_tags(path: Path) -> Mapping[str, Tile]:
    """A tag book, TOML: the tags of every kind of tile, as `5m = ["00000000000000a1", …]`. → the tile of each tag. Raises
    SettingsError naming file and key."""
    try:
        book = _BOOK.validate_python(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read ({error.strerror}); correct `tags` of the table") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: not valid TOML: {error}") from error
    except ValidationError as error:
        raise SettingsError(f"{path}: {explain(error)}; a tag is 16 hexadecimal digits") from error
    tiles: dict[str, Tile] = {}
    for code, tags in book.items():
        if code not in FACES:
            raise SettingsError(f"{path}: {code!r} is no face of a tile; there are {' '.join(FACES)}")
        for tag in tags:
            if tiles.setdefault(tag, Tile(code)) != code:
                raise SettingsError(f"{path}: tag {tag} stands for {tiles[tag]} and for {code}; a tag is one tile's")
    return tiles


@dataclass(slots=True)
class TagHands:
    """What the readers of one table see now."""

    tiles: Mapping[str, Tile]
    _places: dict[Seat, dict[int, str]] = field(default_factory=dict)

    def see(self, seen: TagSeen) -> None:
        """Takes a reading. A reader beyond the four racks tells of no hand."""
        if seen.reader >= len(SEATS):
            return
        places = self._places.setdefault(Seat(seen.reader), {})
        if seen.tag is None:
            places.pop(seen.slot, None)
        else:
            places[seen.slot] = seen.tag

    def hands(self) -> dict[Seat, HandFaces]:
        """The hands of the racks that have been read; a tag that is not in the book is an unknown tile."""
        return {seat: self._hand(seat, places) for seat, places in self._places.items()}

    def _hand(self, seat: Seat, places: Mapping[int, str]) -> HandFaces:
        slots = sorted(places)[:_MOST]
        tiles = [self.tiles.get(places[slot], UNKNOWN) for slot in slots]
        if len(slots) > 1 and slots[-1] - slots[-2] > 1:
            return HandFaces(seat=seat, tiles=tuple(tiles[:-1]), drawn=tiles[-1])
        return HandFaces(seat=seat, tiles=tuple(tiles))
