"""Cameras to observations: reads a real table from pictures."""
