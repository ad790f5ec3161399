"""Shared by the renderer's tests: one core, and helper modules of this folder importable."""

from __future__ import annotations

import sys
from pathlib import Path

import cv2

sys.path.insert(0, str(Path(__file__).parent))
cv2.setNumThreads(1)
