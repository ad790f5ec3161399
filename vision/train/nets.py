"""The nets, small enough for two CPU cores. All take RGB in 0..1; normalisation is inside, so that callers need none."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from table_engine.wire.tiles import FLOWERS
from vision.labels import CLASSES, HEATS, SHAPE

STRIDE = 4


def conv(inputs: int, outputs: int, stride: int = 1, size: int = 3) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, size, stride, size // 2, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True)
    )


class Residual(nn.Module):
    """Two 3x3 convolutions around a shortcut."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = conv(width, width)
        self.second = nn.Sequential(nn.Conv2d(width, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width))

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x + self.second(self.first(x)))


class DetectorNet(nn.Module):
    """(n, 3, h, w) → (n, heats + 8, h/4, w/4): heat logits, centre offset in cells, quad code (log size in cells first), level.

    h and w must be multiples of 16.
    """

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(conv(3, 16, 2), conv(16, 32, 2), Residual(32))
        self.middle = nn.Sequential(conv(32, 64, 2), Residual(64))
        self.deep = nn.Sequential(conv(64, 96, 2), Residual(96), conv(96, 64, size=1))
        self.join_middle = nn.Sequential(conv(64, 64), conv(64, 32, size=1))
        self.join_stem = conv(32, 48)
        self.heat = nn.Conv2d(48, len(HEATS), 1)
        self.shape = nn.Sequential(conv(48, 48), nn.Conv2d(48, SHAPE, 1))
        nn.init.constant_(self.heat.bias, -4.0)
        nn.init.constant_(self.shape[-1].bias, 0.0)

    def forward(self, x: Tensor) -> Tensor:
        fine = self.stem((x - 0.5) * 4)
        middle = self.middle(fine)
        deep = self.deep(middle)
        middle = self.join_middle(middle + nn.functional.interpolate(deep, scale_factor=2.0, mode="nearest"))
        joined = self.join_stem(fine + nn.functional.interpolate(middle, scale_factor=2.0, mode="nearest"))
        return torch.cat([self.heat(joined), self.shape(joined)], 1)


def body() -> nn.Sequential:
    """Crops (n, 3, s, s) → features (n, 128, s/16, s/16)."""
    return nn.Sequential(
        conv(3, 32, 2),
        Residual(32),
        conv(32, 64, 2),
        Residual(64),
        conv(64, 96, 2),
        Residual(96),
        conv(96, 128, 2),
    )


class ReaderNet(nn.Module):
    """(n, 3, 64, 64) crops with the face stretched to the middle 46x46 → class scores (n, classes), quarter turns the face
    is rotated clockwise (n, 4), both logits, and a unit embedding (n, 128)."""

    def __init__(self) -> None:
        super().__init__()
        self.body = body()
        self.embed = nn.Sequential(nn.Dropout(0.1), nn.Linear(128, 128))
        self.kinds = nn.Linear(128, len(CLASSES), bias=False)
        self.turn = nn.Linear(128, 4)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        features = self.body((x - 0.5) * 4).mean((2, 3))
        unit = nn.functional.normalize(self.embed(features), dim=1)
        kinds = 16.0 * nn.functional.linear(unit, nn.functional.normalize(self.kinds.weight, dim=1))
        return kinds, self.turn(features), unit


class FlowerNet(nn.Module):
    """(n, 3, 96, 96) crops of flowers with the face stretched to the middle 69x69 → scores (n, 10) of the eight flowers that
    it may be when it stands upright, of standing otherwise, and of being no flower."""

    def __init__(self) -> None:
        super().__init__()
        self.body = body()
        self.names = nn.Sequential(nn.Dropout(0.1), nn.Linear(256, len(FLOWERS) + 2))

    def forward(self, x: Tensor) -> Tensor:
        features = self.body((x - 0.5) * 4)
        scores: Tensor = self.names(torch.cat([features.mean((2, 3)), features.amax((2, 3))], 1))
        return scores
