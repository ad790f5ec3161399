"""A table that is not there: a physical simulation that shows itself only as serial bytes and camera frames."""
