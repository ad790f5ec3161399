"""Flowers are told apart by name and number, whichever way up they lie, and from what is no flower."""

from __future__ import annotations

import numpy as np
import pytest

from table_engine.wire.tiles import BACK, FLOWERS, KINDS, Tile
from vision.enrol import learnt, shown_by
from vision.flower import COLUMNS, Flowers
from vision.labels import CLASSES, INDEX, NONE
from vision.read import Reader
from vision.train.faces import Painter, Set

DESIGNS = 6
LONG_PX = 48
BIRD = Tile("1s")


@pytest.fixture(scope="module")
def designs() -> list[Set]:
    painter = Painter(())
    return [painter.set(np.random.default_rng(700 + n)) for n in range(DESIGNS)]


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


def test_flowers_of_sets_nobody_has_made_are_told_apart(designs, reader):
    rng = np.random.default_rng(3)
    told = [(tile, reader.read(*laid(made, tile, rng))[0].code) for made in designs for tile in FLOWERS]
    assert sum(tile == code for tile, code in told) >= 0.9 * len(told), [t for t in told if t[0] != t[1]]


@pytest.mark.parametrize("turn", range(4))
@pytest.mark.parametrize("guess", [0, 3])
def test_whichever_way_up_a_flower_lies_and_is_thought_to_lie(designs, turn, guess):
    rng = np.random.default_rng(4)
    flowers, told = Flowers(), []
    for tile in FLOWERS:
        image, quads = laid(designs[0], tile, rng)
        likely, shares, turns = flowers.named(image, np.roll(quads, turn, axis=1), np.array([guess]), np.array([False]))
        assert likely[0] > 0.5
        assert shares.sum() == pytest.approx(1, abs=1e-4)
        assert turns.sum() == pytest.approx(1, abs=1e-4)
        told.append((int(shares[0].argmax()), int(turns[0].argmax())))
    wanted = [(n, turn) for n in range(len(FLOWERS))]
    assert sum(a == b for a, b in zip(told, wanted, strict=True)) >= len(FLOWERS) - 1, told


def test_what_is_hardly_a_flower_is_not_looked_at_again(designs, reader):
    for tile in KINDS[::5]:
        image, quads = laid(designs[1], tile, np.random.default_rng(5))
        kinds, turns = doubted(tile, 0.9), np.full((1, 4), 0.25, np.float32)
        assert reader.flowers_named(image, quads, kinds, turns) == (kinds, turns)


@pytest.mark.parametrize("share", [0.35, 0.6])
def test_whether_it_is_a_flower_is_seen_more_closely_too(designs, reader, share):
    """A bird that may be a flower is a bird, a flower that may be a bird a flower."""
    rng, right = np.random.default_rng(5), 0
    turns = np.full((1, 4), 0.25, np.float32)
    for made in designs:
        for tile, other in ((BIRD, FLOWERS[0]), (FLOWERS[0], BIRD)):
            image, quads = laid(made, tile, rng)
            again, _ = reader.flowers_named(image, quads, doubted(tile, share, other), turns)
            flower = again[0, COLUMNS].sum()
            right += bool(flower > share if tile in FLOWERS else 1 - flower > share)
    assert right >= 2 * len(designs) - 1


def test_a_closer_look_moves_no_share_from_what_is_no_face(designs, reader):
    """Of what may be no tile at all it knows nothing; other faces keep their proportions, and the caller his arrays."""
    image, quads = laid(designs[0], FLOWERS[4], np.random.default_rng(5))
    kinds = doubted(FLOWERS[4], 0.5, BIRD, nothing=0.4)
    turns = np.full((1, 4), 0.25, np.float32)
    before = kinds.copy(), turns.copy()
    again, _ = reader.flowers_named(image, quads, kinds, turns)
    assert np.array_equal(kinds, before[0])
    assert np.array_equal(turns, before[1])
    assert again.sum() == pytest.approx(1, abs=1e-4)
    assert again[0, INDEX[NONE]] == kinds[0, INDEX[NONE]]
    assert again[0, INDEX[BACK]] == kinds[0, INDEX[BACK]]
    assert again[0, COLUMNS].sum() > kinds[0, COLUMNS].sum()
    others = [n for n, code in enumerate(CLASSES) if n not in COLUMNS and code not in (BACK, NONE)]
    assert np.allclose(again[0, others] / again[0, others].sum(), kinds[0, others] / kinds[0, others].sum(), atol=1e-4)


@pytest.mark.parametrize("said", [(1.0, 0.0), (0.0, 1.0)])
def test_nothing_is_believed_for_certain(designs, monkeypatch, said):
    """Whatever both say, shares stay shares."""
    likely, share = said
    reader, one = Reader(), np.zeros((1, 8), np.float32)
    monkeypatch.setattr(reader._flowers, "named", lambda *_: (np.array([likely]), one + 1 / 8, np.full((1, 4), 0.25)))
    kinds = doubted(FLOWERS[0], share, BIRD) if share else doubted(FLOWERS[0], 1.0)
    image, quads = laid(designs[0], FLOWERS[0], np.random.default_rng(5))
    again, _ = reader.flowers_named(image, quads, kinds, np.full((1, 4), 0.25, np.float32))
    assert np.isfinite(again).all()
    assert again.min() >= 0
    assert again.sum() == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("turn", range(4))
def test_a_flower_is_told_with_its_turn(designs, reader, turn):
    rng, right = np.random.default_rng(9), 0
    for tile in FLOWERS:
        image, quads = laid(designs[3], tile, rng)
        kinds = doubted(tile, 0.6, BIRD)
        _, turns = reader.flowers_named(image, np.roll(quads, turn, axis=1), kinds, np.full((1, 4), 0.25, np.float32))
        right += int(turns[0].argmax()) == turn
    assert right >= len(FLOWERS) - 1


def test_flowers_are_suggested_by_the_closer_look_when_a_set_is_learnt(designs, reader, monkeypatch):
    image, quads = laid(designs[4], FLOWERS[6], np.random.default_rng(5))
    (plain,) = shown_by(reader, 0, image, quads)
    monkeypatch.setattr(reader, "flowers_named", lambda _, __, kinds, turns: (kinds, turns))
    (without,) = shown_by(reader, 0, image, quads)
    assert not np.array_equal(plain.shares, without.shares)
    assert CLASSES[int(plain.shares.argmax())] == FLOWERS[6]


def test_flowers_nobody_enrolled_are_looked_at_beside_enrolled_ones(designs, reader):
    rng = np.random.default_rng(8)
    shown = [(tile, *laid(designs[5], tile, rng)) for tile in (*KINDS, *FLOWERS[:4])]
    examples = [one for n, (_, image, quads) in enumerate(shown) for one in shown_by(reader, n, image, quads)]
    named = [tile for tile, *_ in shown]
    backs, holds = np.zeros((0, 64, 64, 3), np.uint8), dict.fromkeys((*KINDS, *FLOWERS), 1)
    partly = Reader(sets=[learnt("partly", examples, named, backs, holds).profile])
    asked = []
    look = partly._flowers.named
    partly._flowers.named = lambda *args: asked.append(len(args[1])) or look(*args)
    for tile in (*FLOWERS[:4], *FLOWERS[4:]):
        image, quads = laid(designs[5], tile, rng)
        before = len(asked)
        partly.read(image, quads)
        assert (len(asked) > before) == (tile in FLOWERS[4:]), tile


def test_enrolled_flowers_are_told_by_their_examples(designs, reader):
    """A set may call the bamboo what others call the plum: the operator has said which is which."""
    rng = np.random.default_rng(6)
    other = dict(zip(FLOWERS, (*FLOWERS[1:], FLOWERS[0]), strict=True))
    shown = [(tile, *laid(designs[2], tile, rng)) for tile in (*KINDS, *FLOWERS)]
    examples = [one for n, (_, image, quads) in enumerate(shown) for one in shown_by(reader, n, image, quads)]
    named = [other.get(tile, tile) for tile, *_ in shown]
    backs = np.zeros((0, 64, 64, 3), np.uint8)
    mine = Reader(sets=[learnt("renamed", examples, named, backs, dict.fromkeys(named, 1)).profile])
    told = {tile: mine.read(image, quads)[0].code for tile, image, quads in shown if tile in FLOWERS}
    assert told == other


def doubted(tile: Tile, share: float, other: Tile | None = None, *, nothing: float = 0.0) -> np.ndarray:
    """Shares (1, classes) of which one tile has so much of what is a face, another the rest if there is one, and no tile so much."""
    kinds = np.full((1, len(CLASSES)), 1e-4, np.float32)
    kinds[0, INDEX[tile]] = share
    if other is not None:
        kinds[0, INDEX[other]] = 1 - share
    kinds *= (1 - nothing) / kinds.sum()
    kinds[0, INDEX[NONE]] += nothing
    return kinds / kinds.sum()


def laid(made: Set, tile: Tile, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A picture of one tile, and its quad (1, 4, 2) px."""
    image, quad = made.lay(tile, rng, LONG_PX)
    return image, quad[None]
