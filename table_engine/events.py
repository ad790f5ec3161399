"""What the engine folds: everything that came in from outside, in the order it came. The journal keeps nothing else."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from table_engine.wire.acts import RefereeAct
from table_engine.wire.observations import Envelope, Wired


class SourcePresence(Wired):
    """A source came, or it went (`at_ms`: when the engine learned of it). Silent ones are told as gone, with `why`."""

    type: Literal["presence"] = "presence"
    src: str
    boot: int = Field(ge=0)
    online: bool
    why: str = ""
    at_ms: int


Act = SourcePresence | RefereeAct
Event = Envelope | Act

ACT: TypeAdapter[Act] = TypeAdapter(Annotated[Act, Field(discriminator="type")])
