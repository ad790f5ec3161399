"""Which rules a table is played by: those of the site file, or those a venue has chosen for it on the pages since.

The choice stands beside the table's journal. It holds for as long as the site file says what it said when it was made: whoever
writes other rules into the site file has chosen anew.
"""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from table_engine.rules import load_ruleset
from table_engine.wire.errors import SettingsError
from table_engine.wire.settings import TableSettings, explain
from table_engine.wire.whole import write_whole


class Choice(BaseModel):
    """`instead_of` is the site file's rule set at that time."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ruleset: str
    instead_of: str


def choice_path(journals: Path, table: str) -> Path:
    """Where a table's choice is kept; `journals` is the folder of the site's journals."""
    return journals / f"{table}.rules.json"


def in_force(settings: TableSettings, journals: Path) -> TableSettings:
    """The table's settings with the rules it is played by now. Overrides of the site file are of the site file's rule set and
    go with it. Raises SettingsError when the choice cannot be read."""
    path = choice_path(journals, settings.id)
    try:
        choice = Choice.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return settings
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read ({error.strerror}); make it readable or delete it") from error
    except ValidationError as error:
        raise SettingsError(f"{path}: {explain(error)}; delete it and choose the rules anew") from error
    if choice.instead_of != settings.ruleset:
        return settings
    return settings.model_copy(update={"ruleset": choice.ruleset, "overrides": {}})


def choose(settings: TableSettings, journals: Path, ruleset: str) -> TableSettings:
    """Keeps the choice of a rule set; `settings` are the site file's. → the settings in force from now. Raises SettingsError for
    a rule set there is not and when the choice cannot be written."""
    load_ruleset(ruleset)
    path = choice_path(journals, settings.id)
    try:
        if ruleset == settings.ruleset:
            path.unlink(missing_ok=True)
        else:
            write_whole(path, Choice(ruleset=ruleset, instead_of=settings.ruleset).model_dump_json())
    except OSError as error:
        raise SettingsError(f"{path}: cannot be written ({error.strerror}); make room or make it writable") from error
    return in_force(settings, journals)
