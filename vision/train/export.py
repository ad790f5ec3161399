"""Checkpoints → ONNX files of `vision/models`: `python -m vision.train.export --detector detector.pt --reader reader.pt`.

`--earlier reader-32000.pt --share 0.7` takes weights between two checkpoints of one training.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch
from torch import Tensor, nn

from vision import flower
from vision.crop import SIZE
from vision.labels import HEATS
from vision.train.loop import averaged
from vision.train.nets import DetectorNet, FlowerNet, ReaderNet

MODELS = Path(__file__).parents[1] / "models"


class Located(nn.Module):
    """The detector with its heat maps as probabilities, on bytes as they come from a camera (BGR, channels last)."""

    def __init__(self, net: nn.Module) -> None:
        super().__init__()
        self.net = net

    def forward(self, picture: Tensor) -> tuple[Tensor, Tensor]:
        out = self.net(picture.permute(0, 3, 1, 2).flip(1).float() / 255)
        return torch.sigmoid(out[:, : len(HEATS)]), out[:, len(HEATS) :]


class OnBytes(nn.Module):
    """A net on crops as bytes (BGR, channels last): what it says otherwise."""

    def __init__(self, net: nn.Module) -> None:
        super().__init__()
        self.net = net

    def forward(self, crops: Tensor) -> Tensor | tuple[Tensor, ...]:
        said: Tensor | tuple[Tensor, ...] = self.net(crops.permute(0, 3, 1, 2).flip(1).float() / 255)
        return said


def export(net: nn.Module, example: Tensor, out: Path, names: tuple[str, ...], axes: dict[int, str]) -> None:
    torch.onnx.export(
        net,
        (example,),
        str(out),
        dynamo=False,
        opset_version=17,
        input_names=["picture"],
        output_names=list(names),
        dynamic_axes={"picture": axes, **{name: {0: "n"} for name in names}},
    )


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--detector", type=Path)
    ask.add_argument("--reader", type=Path)
    ask.add_argument("--flower", type=Path)
    ask.add_argument(
        "--earlier", type=Path, help="a checkpoint of the same training of reader or flower some thousand steps before"
    )
    ask.add_argument(
        "--share", type=float, default=0.7, help="of the later one's weights, when there is an earlier one"
    )
    ask.add_argument("--out", type=Path, default=MODELS)
    told = ask.parse_args()
    if told.detector:
        example = torch.zeros(1, 64, 64, 3, dtype=torch.uint8)
        net = Located(averaged(DetectorNet(), told.detector))
        export(net, example, told.out / "detector.onnx", ("heat", "shape"), {0: "n", 1: "h", 2: "w"})
    if told.reader:
        example = torch.zeros(1, SIZE, SIZE, 3, dtype=torch.uint8)
        net = OnBytes(averaged(ReaderNet(), told.reader, told.earlier, told.share))
        export(net, example, told.out / "reader.onnx", ("kinds", "turns", "embedding"), {0: "n"})
    if told.flower:
        example = torch.zeros(1, flower.SIZE, flower.SIZE, 3, dtype=torch.uint8)
        net = OnBytes(averaged(FlowerNet(), told.flower, told.earlier, told.share))
        export(net, example, told.out / "flower.onnx", ("names",), {0: "n"})


if __name__ == "__main__":
    main()
