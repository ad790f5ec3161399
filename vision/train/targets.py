"""What the detector should answer for a labelled picture, and how far off its answer is."""

from __future__ import annotations

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from vision import quad
from vision.labels import ARM, FACE, HEATS, SHAPE
from vision.train.nets import STRIDE
from vision.train.sample import Sample

HIDDEN = 0.35
"""Tiles of which less than this share can be seen are neither asked for nor held against the net."""


LARGEST = 30.0
"""Half-diagonals longer than this many cells are no tiles the detector is asked for."""


def targets(
    sample: Sample,
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """A sample → heat (4, h, w) with Gaussian peaks (the arm a mask), heat weight (4, h, w), shape (8, h, w), shape
    weight (8, h, w)."""
    rows, columns = sample.image.shape[0] // STRIDE, sample.image.shape[1] // STRIDE
    heat = np.zeros((len(HEATS), rows, columns), np.float32)
    weight = np.full_like(heat, 1.0 if sample.complete else 0.0)
    shape, shape_weight = np.zeros((SHAPE, rows, columns), np.float32), np.zeros((SHAPE, rows, columns), np.float32)
    nearest = np.full((rows, columns), np.inf, np.float32)
    if sample.arm is None:
        weight[ARM] = 0.0
    else:
        heat[ARM] = cv2.resize(sample.arm, (columns, rows), interpolation=cv2.INTER_AREA) / 255.0
    ys, xs = np.mgrid[0:rows, 0:columns].astype(np.float32)
    for label in sorted(sample.labels, key=lambda t: t.visible >= HIDDEN):  # what can be seen has the last word
        centre, code = quad.encode((label.quad[None] / STRIDE).astype(np.float32))
        cx, cy = centre[0] - 0.5  # the middle of cell 0 lies half a cell in
        size = float(np.exp(code[0, 0]))
        reach = int(size) + 3
        if size > LARGEST:
            continue
        x0, x1 = max(int(cx) - reach, 0), min(int(cx) + reach + 1, columns)
        y0, y1 = max(int(cy) - reach, 0), min(int(cy) + reach + 1, rows)
        if x0 >= x1 or y0 >= y1:
            continue
        at = np.s_[y0:y1, x0:x1]
        far = (xs[at] - cx) ** 2 + (ys[at] - cy) ** 2
        sigma = max(0.16 * size, 0.6)
        bump = np.exp(-far / (2 * sigma**2)).astype(np.float32)
        if label.visible < HIDDEN:
            weight[label.what][at] = np.where(bump > 0.05, 0.0, weight[label.what][at])
            continue
        heat[label.what][at] = np.maximum(heat[label.what][at], bump)
        near = far < (1.2 * size) ** 2 if not sample.complete else bump > 0.05
        layers = slice(0, ARM) if not sample.complete else slice(label.what, label.what + 1)
        weight[layers, y0:y1, x0:x1] = np.where(near, 1.0, weight[layers, y0:y1, x0:x1])
        inner = (far < max(0.3 * size, 1.0) ** 2) & (far < nearest[at])
        nearest[at] = np.where(inner, far, nearest[at])
        values = [cx - xs[at], cy - ys[at], *(np.full_like(far, v) for v in (*code[0], label.level or 0.0))]
        known = [0.0 if label.axis_box else 1.0] * (SHAPE - 1) + [0.0 if label.level is None else 1.0]
        for n, value in enumerate(values):
            shape[n][at] = np.where(inner, value, shape[n][at])
            shape_weight[n][at] = np.where(inner, known[n], shape_weight[n][at])
    peak(heat)
    return heat, weight, shape, shape_weight


def peak(heat: NDArray[np.float32]) -> None:
    """Lifts the best cell of each bump to 1, which the focal loss takes for the positive one."""
    for layer in heat[FACE:ARM]:
        top = (layer == cv2.dilate(layer, np.ones((3, 3), np.uint8))) & (layer > 0.4)
        layer[top] = 1.0


class DetectorLoss(nn.Module):
    """Penalty-reduced focal loss on centres (CornerNet, Law and Deng 2018), cross-entropy on the arm, L1 on shapes."""

    def forward(
        self, out: Tensor, heat: Tensor, weight: Tensor, shape: Tensor, shape_weight: Tensor
    ) -> tuple[Tensor, dict[str, float]]:
        logits = out[:, :ARM].float()
        share = torch.sigmoid(logits).clamp(1e-5, 1 - 1e-5)
        goal, care = heat[:, :ARM], weight[:, :ARM]
        hit = (goal >= 0.999).float()
        gain = hit * (1 - share) ** 2 * torch.log(share)
        gain = gain + (1 - hit) * (1 - goal) ** 4 * share**2 * torch.log(1 - share)
        focal = -(gain * care).sum() / (hit * care).sum().clamp(min=1.0)
        arm = nn.functional.binary_cross_entropy_with_logits(out[:, ARM].float(), heat[:, ARM], weight=weight[:, ARM])
        gap = (out[:, len(HEATS) :].float() - shape).abs().clamp(max=6.0) * shape_weight
        count, levels = shape_weight[:, 0].sum().clamp(min=1.0), shape_weight[:, 7].sum().clamp(min=1.0)
        place, size, form = (gap[:, part].sum() / count for part in (slice(0, 2), slice(2, 3), slice(3, 7)))
        level = gap[:, 7].sum() / levels
        total = focal + arm + 0.5 * place + 2.0 * size + 0.7 * form + 0.3 * level
        parts = {"focal": focal, "arm": arm, "place": place, "size": size, "form": form, "level": level}
        return total, {name: float(value.detach()) for name, value in parts.items()}
