"""Trains the reader: `python -m vision.train.reader --scenes FOLDER --data SHARED_DATA --letters letters.npz --out reader.pt`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from torch import Tensor, nn
from torch.utils.data import DataLoader, IterableDataset

from vision.train import crops, letters, photos, sample
from vision.train.augment import legibly
from vision.train.crops import Crop
from vision.train.faces import Painter
from vision.train.loop import Batch, begin, options, train
from vision.train.nets import ReaderNet
from vision.train.stream import batches, chance, planes

SHARES = (0.25, 0.15, 0.15, 0.45)
"""Of rendered scenes, photographs of many tiles, pictures of one tile, and painted faces each of another design."""


class Crops(IterableDataset[tuple[Tensor, int, int]]):
    """An endless stream of (crop (3, 64, 64) uint8 RGB, class, quarter turns or -1)."""

    def __init__(self, scenes: Path, data: Path | None, seed: int, fonts: Path | None = None) -> None:
        self.scenes, self.seed = scenes, seed
        self.painter = Painter(letters.learn(fonts) if fonts else ())
        self.photos = list(photos.scenes(data)) if data else []
        self.singles = list(photos.singles(data)) if data else []

    def __iter__(self) -> Iterator[tuple[Tensor, int, int]]:
        rng = chance(self.seed)
        held: list[Crop] = []
        while True:
            held += self._more(rng)
            if len(held) >= 3000:
                rng.shuffle(held)
                while len(held) > 2400:
                    crop = held.pop()
                    yield planes(legibly(crop.image, rng)), crop.kind, crop.turn

    def _more(self, rng: np.random.Generator) -> list[Crop]:
        """About 24 crops from one source."""
        source = rng.choice(4, p=SHARES)
        if source in (1, 2) and not self.photos:
            source = 0
        if source == 3:
            return [self.painter.crop(rng) for _ in range(24)]
        if source == 1:
            return list(crops.crops(self.photos[int(rng.integers(len(self.photos)))].load(), rng, most=24))
        if source == 2:
            chosen = rng.integers(len(self.singles), size=24)
            return [crops.single(self.singles[int(n)].load(), rng) for n in chosen]
        return list(crops.crops(sample.drawn(self.scenes, rng), rng, most=24))


def reader_loss(out: tuple[Tensor, Tensor, Tensor], batch: Batch) -> tuple[Tensor, dict[str, float]]:
    """Cross-entropy on kind, and on turn where it is known; turns that look alike (1p, 8p, …) cost little."""
    kinds, turns, _ = (part.float() for part in out)
    _, kind, turn = batch
    what = nn.functional.cross_entropy(kinds, kind, label_smoothing=0.03)
    which = nn.functional.cross_entropy(turns, turn, ignore_index=crops.UNTOLD, label_smoothing=0.05)
    right = float((kinds.argmax(1) == kind).float().mean())
    way = float((turns.argmax(1) == turn)[turn >= 0].float().mean())
    return what + 0.3 * which, {"kind": float(what.detach()), "turn": float(which.detach()), "right": right, "way": way}


def main() -> None:
    ask = options(__doc__, steps=8000, batch=96)
    ask.add_argument("--scenes", type=Path, required=True)
    ask.add_argument("--letters", type=Path, help="fonts to paint faces with, written by vision.train.letters")
    told = ask.parse_args()
    plan = begin(told)
    stream = DataLoader(
        Crops(told.scenes, told.data, told.seed, told.letters),
        batch_size=told.batch,
        num_workers=1,
        prefetch_factor=8,
    )
    train(ReaderNet(), batches(stream), reader_loss, plan)


if __name__ == "__main__":
    main()
