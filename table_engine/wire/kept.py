"""What people set on the set-up page. It is kept in `<data>/setup.json`, beside the site file's own words, and goes before
them: where a camera looks from, which tile sets it sees, which port a bridge has. Remove the file, and the site file holds."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from table_engine.wire.errors import SettingsError
from table_engine.wire.whole import write_whole

Point = tuple[float, float]


class _Kept(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    @property
    def said(self) -> dict[str, object]:
        """What it does not leave to the site file."""
        return self.model_dump(exclude_none=True)


class CameraKept(_Kept):
    """Settings of one camera as in the site file; None: as the site file says."""

    source: str | None = None
    calibration: str | None = None
    corners_px: tuple[Point, Point, Point, Point] | None = None
    turned: int | None = None
    tile_set: str | None = None


class BridgeKept(_Kept):
    port: str | None = None
    device: str | None = None


class TableKept(_Kept):
    zones: dict[str, float] | None = None
    """Where the zones lie, all of them; None: as the site file says."""
    cameras: dict[str, CameraKept] = Field(default_factory=dict)
    bridges: dict[str, BridgeKept] = Field(default_factory=dict)


class Kept(_Kept):
    tables: dict[str, TableKept] = Field(default_factory=dict)
    added: dict[str, dict[str, object]] = Field(default_factory=dict)
    """Tables besides those of the site file, by id: what `[[tables]]` would say of them there."""

    def with_table(self, table: str, says: dict[str, object]) -> Kept:
        """With one more table."""
        return self.model_copy(update={"added": {**self.added, table: says}})

    def without_table(self, table: str) -> Kept:
        """Without a table that was added, and all that was set of it."""
        left = {name: one for name, one in self.added.items() if name != table}
        return Kept(tables={name: one for name, one in self.tables.items() if name != table}, added=left)

    def with_camera(self, table: str, camera: str, more: CameraKept) -> Kept:
        """With what `more` says of a camera; what it leaves open stays."""
        at = self.tables.get(table, TableKept())
        one = at.cameras.get(camera, CameraKept()).model_copy(update=more.said)
        return self._with(table, at.model_copy(update={"cameras": {**at.cameras, camera: one}}))

    def with_bridge(self, table: str, bridge: str, more: BridgeKept) -> Kept:
        at = self.tables.get(table, TableKept())
        one = at.bridges.get(bridge, BridgeKept()).model_copy(update=more.said)
        return self._with(table, at.model_copy(update={"bridges": {**at.bridges, bridge: one}}))

    def with_zones(self, table: str, zones: dict[str, float]) -> Kept:
        return self._with(table, self.tables.get(table, TableKept()).model_copy(update={"zones": zones}))

    def _with(self, table: str, now: TableKept) -> Kept:
        return self.model_copy(update={"tables": {**self.tables, table: now}})

    def save(self, data: Path) -> Path:
        """Writes it whole or not at all. Raises SettingsError when it cannot be written."""
        path = kept_path(data)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, self.model_dump_json(indent=1, exclude_none=True))
        except OSError as error:
            raise SettingsError(f"{path}: cannot be written ({error.strerror}); free space or give rights") from error
        return path


def kept_path(data: Path) -> Path:
    """Where it lies below a site's data."""
    return data / "setup.json"


def load_kept(data: Path) -> Kept:
    """What was set; nothing where there is no file. Raises SettingsError when the file cannot be understood."""
    path = kept_path(data)
    try:
        return Kept.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return Kept()
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read ({error.strerror})") from error
    except ValidationError as error:
        raise SettingsError(f"{path}: is not what the set-up page writes; remove it and set up again") from error
