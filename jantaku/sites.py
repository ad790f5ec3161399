"""Site files this command makes itself: the one for a machine without any, and the ones of simulations."""

from __future__ import annotations

import json
import socket
from pathlib import Path

from table_engine.wire.errors import SettingsError
from table_engine.wire.settings import Site, TableSettings


def default_site() -> Site:
    """What a machine without a site file has: one table without sensors, everything else by default."""
    return Site(tables=(TableSettings(id="table-1"),))


def free_port() -> int:
    """A port of loopback that nobody listens on now."""
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


def to_toml(site: Site) -> str:
    """A site as the TOML that `load_site` reads. Only what differs from the defaults is written."""
    raw = site.model_dump(mode="json", exclude_defaults=True)
    tables = raw.pop("tables")
    lines = _section((), raw)
    for table in tables:
        lines += _section_of("tables", table, ("cameras", "bridges"))
    return "\n".join(lines) + "\n"


def write_site(site: Site, path: Path) -> Path:
    """Writes a site file, its folder included. Raises SettingsError when it cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(to_toml(site), encoding="utf-8")
    except OSError as error:
        raise SettingsError(f"{path}: cannot be written ({error.strerror}); choose another folder") from error
    return path


def _section_of(name: str, table: dict[str, object], inner: tuple[str, ...]) -> list[str]:
    children = {key: table.pop(key, ()) for key in inner}
    lines = ["", f"[[{name}]]", *_section((name,), table)]
    for key, rows in children.items():
        for row in rows:  # type: ignore[attr-defined] # a list of sections
            lines += ["", f"[[{name}.{key}]]", *_section((name, key), row)]
    return lines


def _section(path: tuple[str, ...], values: dict[str, object]) -> list[str]:
    plain = {k: v for k, v in values.items() if not isinstance(v, dict)}
    nested = {k: v for k, v in values.items() if isinstance(v, dict)}
    lines = [f"{key} = {_value(value)}" for key, value in plain.items() if value is not None]
    for key, value in nested.items():
        lines += ["", f"[{'.'.join((*path, key))}]", *_section((*path, key), value)]
    return lines


def _value(value: object) -> str:
    """A TOML value; JSON's strings, numbers, booleans and arrays of them are TOML's too."""
    return json.dumps(value, ensure_ascii=False)
