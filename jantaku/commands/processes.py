"""The processes of a site, each one a command: broker, bridge, vision, engine. `run` and `demo` start them; by hand they
serve to run one part on another machine."""

from __future__ import annotations

from collections.abc import Callable

PROCESSES: tuple[Callable[..., None], ...] = ()
