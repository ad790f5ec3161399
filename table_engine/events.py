"""What the engine folds: everything that came in from outside, in the order it came. The journal keeps nothing else."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from table_engine.referee import RefereeAct
from table_engine.wire.observations import Envelope, Wired


class SourcePresence(Wired):
    """What the broker says about a source: it came, or it went (`at_ms`: when the engine heard)."""

    type: Literal["presence"] = "presence"
    src: str
    boot: int = Field(ge=0)
    online: bool
    at_ms: int


Act = SourcePresence | RefereeAct
Event = Envelope | Act

ACT: TypeAdapter[Act] = TypeAdapter(Annotated[Act, Field(discriminator="type")])
