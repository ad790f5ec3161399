"""Trains the detector: `python -m vision.train.detector --scenes FOLDER --data SHARED_DATA --out detector.pt --steps 6000`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import torch
from torch.utils.data import DataLoader, IterableDataset

from vision.train import photos, sample
from vision.train.loop import begin, options, train
from vision.train.nets import DetectorNet
from vision.train.stream import batches, chance, planes
from vision.train.targets import DetectorLoss, targets
from vision.train.views import view

REAL = 0.2
"""Share of views that come from photographs."""
VIEWS = 4
"""Views taken of a picture once it is decoded."""


class Views(IterableDataset[tuple[torch.Tensor, ...]]):
    """An endless stream of (picture (3, h, w) uint8 RGB, heat, heat weight, shape, shape weight)."""

    def __init__(self, scenes: Path, data: Path | None, seed: int) -> None:
        self.scenes, self.seed = scenes, seed
        self.photos = list(photos.scenes(data)) if data else []

    def __iter__(self) -> Iterator[tuple[torch.Tensor, ...]]:
        rng = chance(self.seed)
        held: list[tuple[torch.Tensor, ...]] = []
        while True:
            if self.photos and rng.random() < REAL:
                one = self.photos[int(rng.integers(len(self.photos)))].load()
            else:
                one = sample.drawn(self.scenes, rng)
            for _ in range(VIEWS):
                seen = view(one, rng)
                if seen is not None:
                    held.append((planes(seen.image), *(torch.from_numpy(a) for a in targets(seen))))
            if len(held) >= 64:  # views of one picture do not come in one batch
                rng.shuffle(held)
                while len(held) > 32:
                    yield held.pop()


def main() -> None:
    ask = options(__doc__, steps=6000, batch=8)
    ask.add_argument("--scenes", type=Path, required=True)
    told = ask.parse_args()
    plan = begin(told)
    stream = DataLoader(
        Views(told.scenes, told.data, told.seed), batch_size=told.batch, num_workers=1, prefetch_factor=6
    )
    loss = DetectorLoss()
    train(
        DetectorNet(),
        batches(stream),
        lambda out, batch: loss(out, *batch[1:]),
        plan,
    )


if __name__ == "__main__":
    main()
