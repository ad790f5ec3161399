"""How often referees agreed with the alerts, by foul: the product's own precision. What journals that were laid aside knew is
kept in a small file beside each (`<table>.<boot>.alerts.json`), so that a change of rules takes nothing out of the count."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

from pydantic import TypeAdapter, ValidationError

from table_engine.wire.alerts import Alert
from table_engine.wire.errors import RecordError
from table_engine.wire.whole import write_whole

_log = logging.getLogger(__name__)
DECIDED = ("confirmed", "dismissed", "overturned", "withdrawn")
Counts: TypeAlias = dict[str, Counter[str]]
"""How many alerts of a foul's code are in a state of `DECIDED`, or `open`."""
_FORM: TypeAdapter[Mapping[str, Mapping[str, int]]] = TypeAdapter(Mapping[str, Mapping[str, int]])
_ENDING = ".alerts.json"


def count(alerts: Iterable[Alert]) -> Counts:
    """Alerts by code and what became of them."""
    counts: Counts = {}
    for alert in alerts:
        counts.setdefault(alert.code, Counter())[alert.state if alert.state in DECIDED else "open"] += 1
    return counts


def add(counts: Counts, more: Mapping[str, Mapping[str, int]]) -> None:
    """Adds to a count."""
    for code, states in more.items():
        counts.setdefault(code, Counter()).update(states)


def keep(journal: Path, boot: int, counts: Counts) -> None:
    """Writes down what a journal knew, before it is laid aside as `<table>.<boot>`. Raises RecordError."""
    path = journal.with_name(f"{journal.stem}.{boot}{_ENDING}")
    try:
        write_whole(path, _FORM.dump_json(counts, indent=1).decode())
    except OSError as error:
        raise RecordError(f"{path}: cannot be written ({error.strerror}); free space on its disk") from error


def kept(folder: Path, table: str) -> Counts:
    """What all journals of a table that were laid aside knew. One whose journal is gone, or was never laid aside, counts no more."""
    counts: Counts = {}
    for path in sorted(folder.glob(f"{table}.*{_ENDING}")):
        if not path.with_name(path.name.removesuffix(_ENDING) + ".sqlite3").is_file():
            continue
        try:
            add(counts, _FORM.validate_json(path.read_bytes()))
        except (OSError, ValidationError) as error:
            _log.warning("%s is left out of how often referees agreed: %s", path, error)
    return counts
