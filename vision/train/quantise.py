"""Makes a net's middle count in eight bits, half as dear on a processor:
`python -m vision.train.quantise --scenes FOLDER detector.onnx`.

The first layer, which sees the camera's bytes, and the heads, which say where to a tenth of a pixel, stay as they are. Weights
keep seven bits, so that processors without VNNI do not overflow.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

from vision import flower
from vision.crop import cut
from vision.labels import FACE
from vision.train import crops, sample
from vision.train.augment import spoil
from vision.train.views import view

EXACT = (
    "/net/stem/stem.0/",
    "/net/heat/",
    "/net/shape/shape.1/",
    "/net/body/body.0/",
    "/net/embed/",
    "/net/kinds/",
    "/net/turn/",
    "/net/names/",
)
"""Layers that are left alone, by the beginning of their names."""
_QUANTISED = ["Conv", "Add", "Resize", "Relu"]
_SEEN, _FACES = 48, 24


class Examples(CalibrationDataReader):
    """Pictures a net may see, from which the ranges of its layers are taken."""

    def __init__(self, pictures: Iterator[NDArray[np.uint8]]) -> None:
        self._pictures = pictures

    def get_next(self) -> dict[str, NDArray[np.uint8]] | None:
        picture = next(self._pictures, None)
        return None if picture is None else {"picture": picture}


def views(scenes: Path, seed: int = 5) -> Iterator[NDArray[np.uint8]]:
    """What the detector sees: (1, h, w, 3) BGR."""
    rng = np.random.default_rng(seed)
    made = 0
    while made < _SEEN:
        seen = view(sample.drawn(scenes, rng), rng)
        if seen is not None:
            made += 1
            yield seen.image[None]


def faces(scenes: Path, seed: int = 5) -> Iterator[NDArray[np.uint8]]:
    """What the reader sees: (n, 64, 64, 3) BGR."""
    rng = np.random.default_rng(seed)
    for _ in range(_SEEN):
        seen = [spoil(crop.image, rng) for crop in crops.crops(sample.drawn(scenes, rng), rng, most=_FACES)]
        if seen:
            yield np.stack(seen)


def enlarged(scenes: Path, seed: int = 5) -> Iterator[NDArray[np.uint8]]:
    """Faces as the net that tells flowers apart sees them: (n, 96, 96, 3) BGR."""
    rng = np.random.default_rng(seed)
    for _ in range(_SEEN):
        one = sample.drawn(scenes, rng)
        quads = [t.quad for t in one.labels if t.what == FACE and t.visible > 0.8][:_FACES]
        if quads:
            yield np.stack([spoil(crop, rng) for crop in cut(one.image, np.stack(quads), flower.SIZE)])


def quantise(net: Path, out: Path, pictures: Iterator[NDArray[np.uint8]]) -> None:
    """Writes `net` with its middle in eight bits to `out`, which may be the same file."""
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.onnx"
        quant_pre_process(str(net), str(plain), skip_symbolic_shape=True)
        layers = [node.name for node in onnx.load(str(plain)).graph.node]
        quantize_static(
            str(plain),
            str(out),
            Examples(pictures),
            quant_format=QuantFormat.QDQ,
            per_channel=True,
            reduce_range=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            calibrate_method=CalibrationMethod.MinMax,
            nodes_to_exclude=[name for name in layers if name.startswith(EXACT)],
            op_types_to_quantize=_QUANTISED,
        )


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("net", type=Path, help="detector.onnx, reader.onnx or flower.onnx; written anew")
    ask.add_argument("--scenes", type=Path, required=True)
    told = ask.parse_args()
    pictures = {"reader": faces, "flower": enlarged}.get(told.net.stem, views)
    quantise(told.net, told.net, pictures(told.scenes))


if __name__ == "__main__":
    main()
