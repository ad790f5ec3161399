"""What tag readers under the racks tell: hands by the tag book, a drawn tile apart, and nothing to those who may not know."""

from __future__ import annotations

from pathlib import Path

import pytest

from table_engine.desk import Desk
from table_engine.tags import TagHands, load_tags
from table_engine.wire.errors import SettingsError
from table_engine.wire.observations import Envelope, HandFaces, TagSeen
from table_engine.wire.seats import Seat
from table_engine.wire.settings import TableSettings
from table_engine.wire.tiles import FACES, Tile, order
from virtual_table.tags import book, number

A, B, C = (f"{n:016x}" for n in (1, 2, 3))


def read(slot: int, tag: str | None, reader: int = 2) -> TagSeen:
    return TagSeen(reader=reader, slot=slot, tag=tag)


def test_a_hand_is_what_stands_from_left_to_right() -> None:
    hands = TagHands({A: Tile("1m"), B: Tile("5p")})
    for seen in (read(1, B), read(0, A), read(2, C), read(4, A), read(0, A, reader=7)):
        hands.see(seen)
    assert hands.hands() == {Seat.S2: HandFaces(seat=Seat.S2, tiles=("1m", "5p", "?"), drawn="1m")}
    hands.see(read(4, None))
    assert hands.hands()[Seat.S2].drawn is None


def test_the_virtual_table_s_book_knows_every_face(tmp_path: Path) -> None:
    path = tmp_path / "tags.toml"
    path.write_text(book(), encoding="utf-8")
    tiles = load_tags(path)
    assert set(tiles.values()) == set(FACES)
    assert all(tiles[f"{number(face, copy):016x}"] == face for face in FACES for copy in range(4))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('5m = ["a1"]', "a tag is 16 hexadecimal digits"),
        (f'9x = ["{A}"]', "9x"),
        (f'b = ["{A}"]', "is no face"),
        (f'1m = ["{A}"]\n2m = ["{A}"]', "a tag is one tile's"),
        ("5m = ", "not valid TOML"),
    ],
)
def test_what_is_wrong_with_a_book_is_a_sentence(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "tags.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError, match=says):
        load_tags(path)
    with pytest.raises(SettingsError, match="cannot be read"):
        load_tags(tmp_path / "none.toml")


def test_a_table_with_readers_shows_sorted_hands_to_its_pages_only(tmp_path: Path) -> None:
    path = tmp_path / "tags.toml"
    path.write_text(book(), encoding="utf-8")
    desk = Desk(TableSettings(id="t1", tags=path), tmp_path / "journal" / "t1.sqlite3")
    hand = [Tile(code) for code in ["9s", "1m", "4p", "3m", "2m", "5p", "6p", "9s", "7s", "8s", "2z", "2z", "2z"]]
    seen = (read(n, f"{number(tile, 0):016x}") for n, tile in enumerate(hand))
    assert desk.take([Envelope.of("bridge", 1, n, 10 + n, 10 + n, one) for n, one in enumerate(seen, 1)], 50)
    assert desk.hands().seats[2].tiles == tuple(sorted(hand, key=order))
    assert "9s" not in desk.view().model_dump_json()
    desk.close()
