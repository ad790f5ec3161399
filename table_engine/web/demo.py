"""The demo's route: hands an act of the page's panel to the demo's control. Only a site that runs as a demo has it."""

from __future__ import annotations

import asyncio
import json
import urllib.error
import urllib.request
from http.client import HTTPResponse
from pathlib import Path
from typing import Annotated, cast

from fastapi import APIRouter, HTTPException
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from table_engine.web.screens import InScreens, SettingUp

router = APIRouter(prefix="/api", tags=["demo"])
_PATIENCE_S = 100.0
"""Another table is a process that starts."""


class DemoAct(BaseModel):
    """What to break, as in `static/demo.js`."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, JsonValue] = Field(init=False)
    act: Annotated[str, Field(max_length=40)]


@router.post("/demo", response_class=Response, responses={200: {"content": {"application/json": {}}}})
async def demo(screens: InScreens, _: SettingUp, act: DemoAct) -> Response:
    """Breaks something at a virtual table (`table`), or puts another one up. Answers an object with `says`."""
    control = screens.site.web.demo
    if control is None:
        raise HTTPException(404, "this server is no demo")
    return await asyncio.to_thread(_forward, control, json.dumps(act.model_dump()).encode())


class Spare(BaseModel):
    """A virtual table that stands in the room and belongs to no site yet. `clock`: the file its time is in."""

    table: str
    ruleset: str
    camera: str
    port: str
    clock: Path


def spares(control: str | None) -> list[Spare]:
    """The virtual tables that were put up beside a demo's own; none where no demo is."""
    if control is None:
        return []
    try:
        with _ask(control, b'{"act": "found"}') as answer:
            return [Spare.model_validate(one) for one in json.load(answer)["tables"]]
    except (OSError, ValueError, KeyError):  # the demo is ending
        return []


def _ask(control: str, body: bytes) -> HTTPResponse:
    ask = urllib.request.Request(control, data=body, headers={"Content-Type": "application/json"})  # noqa: S310 (address comes from our own supervisor)
    return cast("HTTPResponse", urllib.request.urlopen(ask, timeout=_PATIENCE_S))  # noqa: S310


def _forward(control: str, body: bytes) -> Response:
    try:
        with _ask(control, body) as answer:
            return Response(answer.read(), media_type="application/json")
    except urllib.error.HTTPError as error:
        return Response(error.read(), status_code=error.code, media_type="application/json")
    except OSError as error:
        raise HTTPException(503, f"the demo's control does not answer: {error}") from error
