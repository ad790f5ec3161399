"""A process of its own for what takes long (folding a whole journal), so that neither engine nor pages wait for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from multiprocessing import get_context
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def worked(work: Callable[P, T], *args: P.args, **_: P.kwargs) -> T:
    """The result of a module's function, computed in the other process. Its errors are raised here. A process that was killed
    meanwhile (by somebody, or for want of memory) is replaced and asked once more."""
    loop = asyncio.get_running_loop()
    try:
        return await loop.run_in_executor(_workers(), work, *args)
    except BrokenProcessPool:
        _workers.cache_clear()
        return await loop.run_in_executor(_workers(), work, *args)


@cache
def _workers() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"))
