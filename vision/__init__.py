"""Cameras read a table: pixels in, observations out. Knows nothing of the game; talks through `table_engine.wire` only."""
