"""What the reader learns from: faces painted in any font, and quads that are no tile."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from table_engine.wire.tiles import FLOWERS
from virtual_table import art
from vision import quad
from vision.labels import CLASSES, INDEX, NONE
from vision.train import faces, letters
from vision.train.crops import UNTOLD, misfit
from vision.train.faces import Painter

TILE = np.array([[100, 100], [126, 100], [126, 135], [100, 135]], np.float32)


def test_faces_are_painted_of_every_kind_and_again_the_same():
    rng, again = np.random.default_rng(4), np.random.default_rng(4)
    painter = Painter(art.FONTS, only=True)
    crops = [painter.crop(rng) for _ in range(600)]
    assert {CLASSES[c.kind] for c in crops} >= set(FLOWERS) | {NONE, "0m", "1s", "5z", "9m"}
    assert {c.turn for c in crops} == {UNTOLD, 0, 1, 2, 3}
    assert all(c.image.shape == (64, 64, 3) for c in crops)
    assert all((c.kind == INDEX[NONE]) == (c.turn == UNTOLD) for c in crops)
    for crop in crops[:20]:
        assert np.array_equal(painter.crop(again).image, crop.image)


def test_a_set_names_all_its_flowers_in_one_language(monkeypatch):
    words = []
    word = faces._word
    monkeypatch.setattr(faces, "_word", lambda text, rng: words.append(text) or word(text, rng))
    painter, counts = Painter(()), []
    for seed in range(60):
        before = len(words)
        painter.set(np.random.default_rng(seed))
        counts.append(len(words) - before)
    english = [count for count in counts if count]
    assert 2 <= len(english) <= 15
    assert min(english) >= 4, "a few flowers are painted as shipped or bear no name"


def test_two_faces_of_one_kind_differ():
    rng = np.random.default_rng(8)
    painter = Painter(())
    kinds: dict[int, list[np.ndarray]] = {}
    for _ in range(300):
        crop = painter.crop(rng)
        if crop.turn == 0:
            kinds.setdefault(crop.kind, []).append(crop.image)
    pairs = [found for found in kinds.values() if len(found) > 1]
    assert len(pairs) > 10
    assert all(np.abs(a.astype(int) - b).mean() > 3 for a, b, *_ in pairs)


def test_a_misfit_is_a_sound_quad_of_another_size():
    rng = np.random.default_rng(2)
    whole = float(quad.area(TILE[None])[0])
    shares = []
    for _ in range(200):
        made = misfit(TILE, rng)
        edges = np.roll(made, -1, axis=0) - made
        after = np.roll(edges, -1, axis=0)
        assert (edges[:, 0] * after[:, 1] - edges[:, 1] * after[:, 0] > 0).all(), "clockwise, as the tile's own"
        shares.append(float(quad.area(made[None])[0]) / whole)
    assert min(shares) < 0.4
    assert max(shares) > 3
    assert not any(0.8 < share < 1.3 for share in shares)


def test_fonts_are_kept_and_learnt_again_but_for_those_that_lack_numbers(tmp_path: Path, monkeypatch, caplog):
    def drawn(source: str, chars: str) -> list[np.ndarray]:
        cells = art.font("boku" if "boku" in source else "klee")
        empty = np.zeros((art.GLYPH_SIZE, art.GLYPH_SIZE), np.uint8)
        return [empty if char == "七" and "poor" in source else cells.get(char, empty) for char in chars]

    monkeypatch.setattr(letters, "rasterised", drawn)
    out = tmp_path / "letters.npz"
    letters.write(out, ["fonts/boku.ttf", "fonts/poor.ttf", "npm/klee/files/*-400.woff"])
    assert "fonts/poor.ttf: left out, it has no 七" in caplog.text
    names = letters.learn(out) + letters.learn(out, evaluation=True)
    assert set(names) == {"boku", "klee"}


def test_a_font_is_kept_apart_or_trained_on_never_both(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(letters, "rasterised", lambda _, chars: list(np.full((len(chars), 80, 80), 9, np.uint8)))
    out = tmp_path / "letters.npz"
    letters.write(out, [f"font{n}.ttf" for n in range(40)])
    seen, apart = set(letters.learn(out)), set(letters.learn(out, evaluation=True))
    assert len(seen | apart) == 40
    assert not seen & apart
    assert 2 < len(apart) < 15
