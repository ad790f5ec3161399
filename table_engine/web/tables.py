"""Routes of the tables: which there are, their boards, the push, and acts at them."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from typing import Annotated, Literal

from fastapi import APIRouter, Header, HTTPException, Query, Request
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel

from table_engine.web.feed import Feed, stream, told_parts
from table_engine.web.grants import PARTS
from table_engine.web.guard import address_of
from table_engine.web.screens import Acting, InScreens, InTable, Viewing, reached
from table_engine.wire.acts import ActId, Answer, Did, Wish

router = APIRouter(prefix="/api", tags=["tables"])
ANSWER_S = 10.0
_MATCH_ACTS = frozenset({"players", "match_start", "match_end", "pause", "resume", "extra_time"})
"""What running the venue takes; everything else is ruling."""


class TableLine(BaseModel):
    """One table of the site. `delay_s`: how old is what this key sees of it."""

    id: str
    ruleset: str
    players: list[str]
    delay_s: float


class Tables(BaseModel):
    tables: list[TableLine]


@router.get("/tables")
async def tables(screens: InScreens, grant: Viewing) -> Tables:
    """The tables this key reaches."""
    lines = [
        TableLine(id=t.id, ruleset=screens.settings(t.id).ruleset, players=list(t.players), delay_s=grant.delay_s)
        for t in screens.site.tables
        if t.id in reached(screens, grant)
    ]
    return Tables(tables=lines)


@router.get("/tables/{table}", response_class=Response, responses={200: {"content": {"application/json": {}}}})
async def board(request: Request, table: InTable, screens: InScreens, grant: Viewing) -> Response:
    """The whole board of a table as this key may see it: an object of parts (`view`, `log`, `alerts`, …)."""
    parts = told_parts(screens.hub.parts(table, grant.delay_s), grant)
    if "hands" in parts:
        look = screens.accounts.begin_look(grant, address_of(request.scope), table)
        if look is None:
            del parts["hands"]
        else:
            screens.accounts.end_look(look)
    now_ms = screens.hub.table_ms(table) - round(grant.delay_s * 1000)
    head = f'"table":"{table}","seq":{screens.hub.revision},"now_ms":{now_ms}'
    fields = "".join(f',"{name}":{text}' for name, text in parts.items())
    return Response(f"{{{head}{fields}}}", media_type="application/json")


@router.get("/push", response_class=StreamingResponse, responses={200: {"content": {"text/event-stream": {}}}})
async def push(
    request: Request,
    screens: InScreens,
    grant: Viewing,
    tables: Annotated[str, Query(description="Ids with commas; none: all this key reaches.", max_length=8000)] = "",
    parts: Annotated[str, Query(description="Parts with commas; none: all this key is told.", max_length=400)] = "",
    since: Annotated[str, Query(description="Last event id, where the header cannot be sent.", max_length=60)] = "",
    last_event_id: Annotated[str, Header(max_length=60)] = "",
) -> StreamingResponse:
    """Boards as server-sent events: whole at first, then what changed. `Last-Event-ID` goes on after an event."""
    asked = tuple(dict.fromkeys(filter(None, tables.split(",")))) or reached(screens, grant)
    if unknown := [t for t in asked if t not in screens.hub.tables or not grant.reaches(t)]:
        raise HTTPException(404, f"no table {', '.join(unknown)[:200]!r} for {grant.who}")
    wanted = frozenset(parts.split(",")) if parts else None
    if wanted and not wanted <= PARTS.keys():
        raise HTTPException(
            422, f"no part {', '.join(sorted(wanted - PARTS.keys()))[:200]!r}; there are {', '.join(PARTS)}"
        )
    feed = Feed.since(screens.hub, grant, asked, wanted, last_event_id or since)
    events = stream(screens, feed, address_of(request.scope))
    return StreamingResponse(events, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


class Act(BaseModel):
    """`id` names the act for ever: sent again after a broken line it counts once."""

    id: ActId | None = None
    did: Did


@router.post("/tables/{table}/acts")
async def act(table: InTable, screens: InScreens, grant: Acting, act: Act) -> Answer:
    """Does something at a table as the person of this key: rule, correct, stop a clock. Answers when it stands in the
    journal, or with why not (`ok` false)."""
    ruling = grant.may("rule")
    if not ruling and act.did.act not in _MATCH_ACTS:
        raise HTTPException(403, f"{grant.who} ({grant.role}) may not rule; a referee may")
    role: Literal["referee", "operator"] = "referee" if ruling else "operator"
    return await answered(screens.hub.act(table, Wish(id=act.id, by=grant.who, role=role, did=act.did)))


async def answered(answer: Future[Answer]) -> Answer:
    """What the engine answers. Raises HTTPException 503 when it does not in time."""
    try:
        return await asyncio.wait_for(asyncio.wrap_future(answer), ANSWER_S)
    except TimeoutError as error:
        raise HTTPException(
            503, "the engine is busy and has not taken this yet; look again before you repeat it"
        ) from error
