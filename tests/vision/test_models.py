"""The shipped nets on rendered tables in the middle of a hand: every zone exact; and what they cost in space."""

from __future__ import annotations

from pathlib import Path

import pytest
from vision_truth import Filmed, contents, essence, zones_of

from table_engine.wire.layout import Layout
from virtual_table.render.look import look
from vision.detect import Detector
from vision.look import Looker
from vision.read import Reader
from vision.watcher import Watcher

MODELS = Path(__file__).parents[2] / "vision" / "models"


@pytest.fixture(scope="module")
def nets() -> tuple[Detector, Reader]:
    return Detector(threads=1), Reader(threads=1)


@pytest.mark.parametrize(
    ("style", "felt", "ruleset", "seed", "seconds"),
    [
        ("japanese", "green", "riichi", 1, 60),
        ("hongkong", "blue", "taiwan16", 2, 75),
        ("taiwan", "grey", "chinese_official", 3, 70),
        ("ink", "red", "riichi", 4, 90),
    ],
)
def test_a_table_in_the_middle_of_a_hand_is_read_exactly(nets, style, felt, ruleset, seed, seconds):
    film = Filmed.of_players(ruleset, seed=seed, look=look(style, felt))
    watcher = Watcher(film.calibration, lambda made: Looker(made, *nets))
    film.simulation.step(seconds * 1000)
    for _ in range(500):
        if not film.simulation.snapshot().arms:
            break
        film.simulation.step(40)
    said = []
    for n in range(5):
        frame = film.frame()
        frame.at_ms += 100 * n
        said += watcher.feed(frame)
    told = zones_of(said)
    layout = Layout(film.simulation.layout.tile, film.simulation.layout.stacks)
    for key, one in contents(layout, film.simulation.snapshot()).items():
        assert essence(told[key]) == essence(one), key


def test_the_nets_are_small():
    assert sum(path.stat().st_size for path in MODELS.glob("*.onnx")) < 2_000_000


def test_every_source_of_the_weights_is_named():
    notice = (MODELS / "NOTICE").read_text()
    assert "riichimahjongdetection, Roboflow Universe, CC BY 4.0" in notice
    assert "Camerash" in notice
    assert "Cyfef" in notice
