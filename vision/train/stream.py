"""What every training's stream of examples is made with: numbers by chance, pictures as the nets take them, batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import get_worker_info

from vision.train.loop import Batch
from vision.train.sample import Picture


def chance(seed: int) -> np.random.Generator:
    """Numbers of this worker's own, the same in every run with this seed."""
    info = get_worker_info()
    return np.random.default_rng((seed, info.id if info else 0))


def planes(picture: Picture) -> Tensor:
    """A picture (h, w, 3) BGR as (3, h, w) RGB bytes."""
    return torch.from_numpy(np.ascontiguousarray(picture[..., ::-1].transpose(2, 0, 1)))


def batches(stream: Iterable[Batch]) -> Iterator[Batch]:
    """The batches of a stream, pictures first in each, with pictures as 0..1."""
    for picture, *rest in stream:
        yield (picture.float() / 255, *rest)
