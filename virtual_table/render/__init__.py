"""Pictures of the table that is not there: one renderer for demo, tests, benchmarks and training."""

from virtual_table.render.scene import Scene, random_scene, scenes
from virtual_table.render.style import BACKS, STYLES, random_style, style
from virtual_table.render.truth import GroundTruth, TileTruth

__all__ = ["BACKS", "STYLES", "GroundTruth", "Scene", "TileTruth", "random_scene", "random_style", "scenes", "style"]
