"""A process of its own for what takes long (folding a whole journal), so that neither engine nor pages wait for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def worked(work: Callable[P, T], *args: P.args, **_: P.kwargs) -> T:
    """The result of a module's function, computed in the other process. Its errors are raised here."""
    return await asyncio.get_running_loop().run_in_executor(_workers(), work, *args)


@cache
def _workers() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"))
