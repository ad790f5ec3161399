"""The demo's route: hands an act of the page's panel to the demo's control. Only a site that runs as a demo has it."""

from __future__ import annotations

import asyncio
import json
import urllib.error
import urllib.request
from typing import Annotated

from fastapi import APIRouter, HTTPException
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from table_engine.web.screens import InScreens, SettingUp

router = APIRouter(prefix="/api", tags=["demo"])


class DemoAct(BaseModel):
    """What to break, as in `static/demo.js`."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, JsonValue] = Field(init=False)
    act: Annotated[str, Field(max_length=40)]


class Said(BaseModel):
    says: str


@router.post("/demo", response_model=Said)
async def demo(screens: InScreens, _: SettingUp, act: DemoAct) -> Response:
    """Breaks something at the virtual table."""
    control = screens.site.web.demo
    if control is None:
        raise HTTPException(404, "this server is no demo")
    return await asyncio.to_thread(_forward, control, json.dumps(act.model_dump()).encode())


def _forward(control: str, body: bytes) -> Response:
    ask = urllib.request.Request(control, data=body, headers={"Content-Type": "application/json"})  # noqa: S310 (address comes from our own supervisor)
    try:
        with urllib.request.urlopen(ask, timeout=10) as answer:  # noqa: S310
            return Response(answer.read(), media_type="application/json")
    except urllib.error.HTTPError as error:
        return Response(error.read(), status_code=error.code, media_type="application/json")
    except OSError as error:
        raise HTTPException(503, f"the demo's control does not answer: {error}") from error
