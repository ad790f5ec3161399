"""Trains the net that tells flowers apart: `python -m vision.train.flower --data SHARED_DATA --letters letters.npz --out flower.pt`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.utils.data import DataLoader, IterableDataset

from table_engine.wire.tiles import BACK, FLOWERS, KINDS, REDS, Tile
from virtual_table.render.style import Pick
from vision.crop import cut
from vision.flower import OTHER, SIZE, TURNED
from vision.labels import FACE
from vision.net import Net, softmax
from vision.train import letters, photos
from vision.train.augment import legibly
from vision.train.crops import misfit, shaken
from vision.train.faces import Painter
from vision.train.loop import Batch, averaged, begin, options, train
from vision.train.nets import FlowerNet, ReaderNet
from vision.train.sample import Label, Picture
from vision.train.stream import batches, chance, planes

REAL, NO_FLOWER = 0.25, 0.25
"""Shares of crops that come from photographs, and of those that show no flower."""
_MISFITS = 0.35
"""Of what is no flower the share of quads that hold a part of a tile, flowers among them, or several."""
_NO_FLOWERS = (*KINDS, *REDS, BACK, BACK)
_BIRD, _BIRD_SHARE = Tile("1s"), 0.3
"""Of what is no flower the one that looks most like one, and its share."""
_PER_PHOTO = 8
_LONG = (22, 112)
"""Lengths of a face, px."""
_UPRIGHT = 0.5
_TOLD = 0.9
"""How surely the reader has to say which way up a photographed flower is of which nobody wrote it down."""
_STRETCH = 0.12


@dataclass(frozen=True, slots=True)
class Real:
    """A photographed tile. `quad` (4, 2) px, a flower's upright; `name` the net's class of it."""

    image: Picture
    quad: NDArray[np.float32]
    name: int


class Crops(IterableDataset[tuple[Tensor, int]]):
    """An endless stream of (crop (3, 96, 96) uint8 RGB, which flower when it is upright, `TURNED` or `OTHER`)."""

    def __init__(self, data: Path | None, seed: int, fonts: Path) -> None:
        self.seed = seed
        self.painter = Painter(letters.learn(fonts))
        self.flowers = list(real(data)) if data else []
        self.others = list(others(data)) if data else []

    def __iter__(self) -> Iterator[tuple[Tensor, int]]:
        rng = chance(self.seed)
        while True:
            flower = bool(rng.random() >= NO_FLOWER)
            part = not flower and bool(rng.random() < _MISFITS)
            image, quad, name = self._tile(flower or (part and bool(rng.random() < 0.5)), rng)
            turn = 0 if rng.random() < _UPRIGHT else int(rng.integers(1, 4))
            quad = misfit(quad, rng) if part else shaken(quad, rng)
            crop = cut(image, np.roll(quad, turn, axis=0)[None], SIZE)[0]
            yield planes(legibly(crop, rng)), OTHER if not flower else TURNED if turn else name

    def _tile(self, flower: bool, rng: np.random.Generator) -> tuple[Picture, NDArray[np.float32], int]:
        """A flower or another tile, photographed or painted: picture, quad (4, 2) px, class."""
        photographed = self.flowers if flower else self.others
        if photographed and rng.random() < REAL:
            one = photographed[int(rng.integers(len(photographed)))]
            return *_seen(one, rng), one.name
        tile = Pick(rng)(FLOWERS) if flower else _BIRD if rng.random() < _BIRD_SHARE else Pick(rng)(_NO_FLOWERS)
        image, quad = self.painter.lay(tile, rng, _LONG)
        return image, quad, FLOWERS.index(tile) if flower else OTHER


def real(data: Path, *, evaluation: bool = False) -> Iterator[Real]:
    """Flowers of the licensed photographs. Which way up those of heaps and trays are the shipped reader says."""
    reader = Net("reader")
    for photo in (*photos.singles(data, evaluation=evaluation), *photos.scenes(data, evaluation=evaluation)):
        flowers = _faces(photo, flowers=True)
        if not flowers:
            continue
        image = photo.load().image
        _, turns, _ = reader(cut(image, np.stack([t.quad for t in flowers])))
        for label, turn in zip(flowers, softmax(turns), strict=True):
            if label.upright or turn.max() > _TOLD:
                quad = label.quad if label.upright else np.roll(label.quad, -int(turn.argmax()), axis=0)
                yield Real(image, quad, FLOWERS.index(Tile(label.code)))


def others(data: Path) -> Iterator[Real]:
    """Some of what is no flower in each of the licensed photographs of many tiles."""
    for photo in photos.scenes(data):
        kinds = _faces(photo, flowers=False)
        if kinds:
            image = photo.load().image
            yield from (Real(image, t.quad, OTHER) for t in kinds[:: -(-len(kinds) // _PER_PHOTO)])


def _faces(photo: photos.Photo, *, flowers: bool) -> list[Label]:
    return [t for t in photo.labels if t.what == FACE and (t.code in FLOWERS) == flowers and not t.axis_box]


def _seen(one: Real, rng: np.random.Generator) -> tuple[Picture, NDArray[np.float32]]:
    """The photographed tile as seen from some way off: smaller, and a little longer or wider."""
    longest = float(np.linalg.norm(one.quad - np.roll(one.quad, 1, axis=0), axis=1).max())
    share = min(1.0, float(rng.uniform(*_LONG)) / longest)
    along = float(np.exp(rng.normal(0, _STRETCH)))
    x0, y0 = np.maximum(np.floor(one.quad.min(axis=0) - longest / 2).astype(int), 0)
    x1, y1 = np.ceil(one.quad.max(axis=0) + longest / 2).astype(int)
    part = one.image[y0:y1, x0:x1]
    scaled = cv2.resize(part, None, fx=share, fy=share * along, interpolation=cv2.INTER_AREA)
    quad = (one.quad - [x0, y0]) * [scaled.shape[1] / part.shape[1], scaled.shape[0] / part.shape[0]] - 0.5
    return np.asarray(scaled, np.uint8), quad.astype(np.float32)


def flower_loss(scores: Tensor, batch: Batch) -> tuple[Tensor, dict[str, float]]:
    """Cross-entropy, a little smoothed."""
    scores, name = scores.float(), batch[1]
    loss = nn.functional.cross_entropy(scores, name, label_smoothing=0.03)
    hit = (scores.argmax(1) == name).float()
    parts = (("named", name < TURNED), ("turned", name == TURNED), ("other", name == OTHER))
    return loss, {"loss": float(loss.detach()), **{said: float(hit[part].mean()) for said, part in parts if part.any()}}


def main() -> None:
    ask = options(__doc__, steps=6000, batch=64)
    ask.add_argument("--letters", type=Path, required=True, help="fonts to paint with, from vision.train.letters")
    ask.add_argument("--reader", type=Path, help="a reader's checkpoint, whose sight is where this net begins")
    told = ask.parse_args()
    plan = begin(told)
    net = FlowerNet()
    if told.reader:
        net.body.load_state_dict(averaged(ReaderNet(), told.reader).body.state_dict())
    stream = DataLoader(
        Crops(told.data, told.seed, told.letters), batch_size=told.batch, num_workers=1, prefetch_factor=8
    )
    train(net, batches(stream), flower_loss, plan)


if __name__ == "__main__":
    main()
