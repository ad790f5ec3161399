"""Screens over HTTP: pages without a build step, fed by push from the engine."""
