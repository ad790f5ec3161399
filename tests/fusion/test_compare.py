from __future__ import annotations

import pytest

from table_engine.fusion.compare import flower_change, pond_change, set_change
from table_engine.fusion.picture import Face
from table_engine.state import Meld, Player, PondTile
from table_engine.wire.seats import Seat
from table_engine.wire.tiles import Tile


def faces(text: str) -> tuple[Face, ...]:
    """`1m 2m-|3m`: `-` lies sideways, `|` begins the next group."""
    out = []
    for group, part in enumerate(text.split("|")):
        out += [Face(Tile(t.rstrip("-")), t.endswith("-"), group) for t in part.split()]
    return tuple(out)


def pond(text: str) -> Player:
    return Player(
        pond=tuple(PondTile(Tile(t.rstrip("x")), taken=Seat.S1 if t.endswith("x") else None) for t in text.split())
    )


@pytest.mark.parametrize(
    ("believed", "seen", "gained", "lost", "reread"),
    [
        ("", "1m", ["1m"], [], []),
        ("1m 2m", "1m 2m", [], [], []),
        ("1m 2m", "1m 2m 3m-", ["3m"], [], []),
        ("1m 2m", "1m", [], [1], []),
        ("1m 2mx 3m", "1m 3m 4m", ["4m"], [], []),
        ("1m 2m 3m", "1m 8m 3m", [], [], [(1, "2m", "8m")]),
        ("1m ?", "1m 5z", [], [], [(1, "?", "5z")]),
        ("1m 2m", "1m ?", [], [], []),
        ("1m 2m 3m", "1m 3m", [], [1], []),
        ("1m", "1m 2m 3m", ["2m", "3m"], [], []),
        ("1mx ? 3m", "4z 3m 6z", ["6z"], [], [(1, "?", "4z")]),
    ],
)
def test_ponds(believed: str, seen: str, gained: list[str], lost: list[int], reread: list[tuple]) -> None:
    change = pond_change(pond(believed), faces(seen))
    assert [f.code for f in change.gained] == gained
    assert list(change.lost) == lost
    assert [(r.index, r.was, r.face.code) for r in change.reread] == reread


PUNG = Meld("pung", (Tile("5m"), Tile("5m"), Tile("0m")), Tile("5m"), Seat.S1)
CHOW = Meld("chow", (Tile("1s"), Tile("2s"), Tile("3s")), Tile("2s"), Seat.S3)
HIDDEN = Meld("concealed", (Tile("?"),) * 4)


def sets(melds: tuple[Meld, ...], seen: str) -> tuple[list, list, list, list]:
    change = set_change(Player(melds=melds), faces(seen))
    return (
        [[f.code for f in g] for g in change.new],
        [(n, f.code) for n, f in change.grown],
        list(change.missing),
        [(r.index, r.was, r.face.code) for r in change.reread],
    )


def test_sets_that_lie_as_believed() -> None:
    assert sets((PUNG, CHOW), "5m- 0m 5m|2s- 1s 3s") == ([], [], [], [])
    assert sets((HIDDEN, CHOW), "b b b b|2s- 1s 3s") == ([], [], [], [])


def test_a_new_set_and_one_that_has_grown() -> None:
    assert sets((CHOW,), "2s- 1s 3s|7z 7z 7z-") == ([["7z", "7z", "7z"]], [], [], [])
    assert sets((PUNG,), "5m- 5m 0m 5m") == ([], [(0, "5m")], [], [])


def test_a_hidden_kong_turned_up_is_read() -> None:
    assert sets((HIDDEN,), "4p 4p 4p 4p")[3] == [(n, "?", "4p") for n in range(4)]


def test_a_set_that_is_covered_is_missing_and_one_read_otherwise_is_reread() -> None:
    assert sets((PUNG, CHOW), "2s- 1s 3s") == ([], [], [0], [])
    assert sets((CHOW,), "2s- 1s 4s") == ([], [], [], [(2, "3s", "4s")])


def test_sets_that_touch_are_told_apart() -> None:
    assert sets((PUNG, CHOW), "2s- 1s 3s 5m- 5m 0m") == ([], [], [], [])
    assert sets((PUNG, CHOW), "2s- 1s 3s 5m 5m- 5m 0m") == ([], [(0, "5m")], [], [])


def test_flowers() -> None:
    player = Player(flowers=(Tile("1f"), Tile("?")))
    new, reread = flower_change(player, faces("1f 7f 3f"))
    assert [f.code for f in new] == ["3f"]
    assert [(r.index, r.face.code) for r in reread] == [(1, "7f")]
