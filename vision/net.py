"""A net of `vision/models` under onnxruntime."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import numpy as np
import onnxruntime  # type: ignore[import-untyped]  # ships no types
from numpy.typing import NDArray

from table_engine.wire.errors import SettingsError

_AT_ONCE = 64


class Net:
    """One ONNX file, loaded once. `threads` is how many cores a call may use; `folder` where it lies, if not where ours do."""

    def __init__(self, name: str, *, threads: int = 1, folder: Path | None = None) -> None:
        """Raises SettingsError when the file is missing or no net."""
        source = (folder or Path(str(resources.files("vision") / "models"))) / f"{name}.onnx"
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # the cores are shared with the game
        try:
            self._session = onnxruntime.InferenceSession(str(source), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime's own errors share no base class
            do = f"{folder} has to hold it" if folder is not None else "install the package again"
            raise SettingsError(f"net {source}: cannot be loaded ({error}); {do}") from error

    def __call__(self, picture: NDArray[np.uint8]) -> list[NDArray[np.float32]]:
        """Bytes (n, h, w, 3) BGR → the net's outputs, in the order of the file."""
        return [np.asarray(out, np.float32) for out in self._session.run(None, {"picture": picture})]

    def of_many(self, crops: NDArray[np.uint8]) -> list[NDArray[np.float32]]:
        """The same for any number of crops, at least one, in little memory."""
        parts = [self(crops[n : n + _AT_ONCE]) for n in range(0, len(crops), _AT_ONCE)]
        return [np.concatenate(outputs) for outputs in zip(*parts, strict=True)]


def softmax(scores: NDArray[np.float32], temperature: float = 1.0) -> NDArray[np.float32]:
    """Scores (…, classes) → shares that add up to one; the higher the temperature the more even."""
    grown = np.exp((scores - scores.max(axis=-1, keepdims=True)) / temperature)
    return np.asarray(grown / grown.sum(axis=-1, keepdims=True), np.float32)
