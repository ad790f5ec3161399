"""The site file: one TOML that says which tables, cameras, ports, broker and rule set a venue has.

Every section has a model here, unknown keys are refused, and every complaint names the file and the key.
"""

from __future__ import annotations

import math
import tomllib
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from table_engine.wire.errors import SettingsError
from table_engine.wire.kept import Kept, kept_path, load_kept
from table_engine.wire.layout import Layout, Moves, TileSize
from table_engine.wire.names import Name
from table_engine.wire.topics import check_id

HOLD: Final = "hold"


def _id(text: str) -> str:
    try:
        return check_id(text)
    except SettingsError as error:
        raise ValueError(str(error)) from error


def _number_or_hold(said: object) -> object:
    number = isinstance(said, int | float) and not isinstance(said, bool) and abs(said) < math.inf
    if number or said is None or said == HOLD:
        return said
    raise ValueError(f'is a number, or "{HOLD}": what the camera chooses for itself while it warms up')


Id = Annotated[str, AfterValidator(_id)]
Fixed = Annotated[float | Literal["hold"] | None, BeforeValidator(_number_or_hold)]
"""A number, or `HOLD`: what a camera chooses for itself while it warms up is kept; none: as the camera likes it."""
Point = tuple[float, float]


class Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class BrokerSettings(Section):
    """`embedded` starts our own broker as a child on loopback; `external` uses one that runs already."""

    mode: Literal["embedded", "external"] = "embedded"
    host: str = "127.0.0.1"
    port: int = Field(default=18833, ge=1, le=65535)
    store: Path = Path("var/broker")
    sync_interval: str = Field(default="always", pattern=r"^(always|[1-9][0-9]*(ms|s|m))$")
    """How often the embedded broker syncs its store to the disk. Observations don't depend on it (outbox and journal hold
    them), so a simulation that plays fast may say `10s`: some 3,000 messages a second instead of a few hundred."""
    username: str = ""
    password: str = ""
    """External broker only; the embedded one makes a user and password per role in its store."""


class CameraSettings(Section):
    """One camera of a table. `source`: device path or number, `rtsp://`/`http://` address, video file or folder of pictures."""

    id: Id
    source: str
    role: Literal["overhead", "rack"] = "overhead"
    seat: Literal[0, 1, 2, 3] | None = None
    """Whose standing hand a rack camera sees."""
    fps: float = Field(default=15.0, gt=0, le=120)
    width: int | None = None
    height: int | None = None
    calibration: Literal["markers", "corners"] = "markers"
    corners_px: tuple[Point, Point, Point, Point] | None = None
    """`corners`: where the corners of the layout's square (at felt height) lie in the picture: seat 0's left, seat 0's
    right, seat 2's left (far right), seat 2's right (far left)."""
    turned: Literal[0, 1, 2, 3] = 0
    """Seat 0 sits so many quarter turns counter-clockwise from where markers or corners have it."""
    lens: tuple[float, float, float, float] | None = None
    """Radial distortion k1, k2 and tangential p1, p2 (OpenCV's order); none: no correction."""
    focal_px: float | None = None
    tile_set: str | None = None
    """Enrolled tile set the camera sees (`jantaku enrol`); of a table with two that take turns both, as `green,blue`."""
    exposure: Fixed = None
    """In the camera's own measure (USB: 0.1 ms). So too `white_balance` (K) and `focus`."""
    white_balance: Fixed = None
    focus: Fixed = None
    evidence_seconds: float = Field(default=20.0, ge=0)

    @model_validator(mode="after")
    def _has_corners(self) -> CameraSettings:
        if self.calibration == "corners" and self.corners_px is None:
            raise ValueError("calibration = 'corners' needs corners_px, four [x, y] points")
        if (self.role == "rack") != (self.seat is not None):
            raise ValueError("a rack camera, and only one, needs seat: 0 to 3")
        return self


class BridgeSettings(Section):
    """One automatic table's serial port. `port`: a path (better one of /dev/serial/by-id) or a pyserial URL. `device`: the
    kind of controller, one of `firmware_bridge.devices`. `secret`: it may read the tags of tiles nobody is to see; all it
    says goes to the branch that only the engine may read. Without it no tag is passed on."""

    id: Id
    port: str
    device: Literal["reference", "ascii-line", "modbus"] = "reference"
    baud: int = 115_200
    secret: bool = False


class ZoneSettings(Section):
    """Where a table's zones lie otherwise than usual, mm outwards from the centre to the player (negative: inwards): a table
    whose walls rise further out, or people who keep their ponds close. `pond_wide_mm`: wider to both sides."""

    pond_mm: float = Field(default=0.0, ge=-40, le=30)
    wall_mm: float = Field(default=0.0, ge=-40, le=30)
    meld_mm: float = Field(default=0.0, ge=-40, le=30)
    rack_mm: float = Field(default=0.0, ge=-40, le=30)
    pond_wide_mm: float = Field(default=0.0, ge=-40, le=60)

    @property
    def moves(self) -> Moves:
        return Moves(self.pond_mm, self.wall_mm, self.meld_mm, self.rack_mm, self.pond_wide_mm)


class TableSettings(Section):
    id: Id
    ruleset: str = "riichi"
    overrides: dict[str, object] = Field(default_factory=dict)
    """Rule set settings changed at this table, by their names in the rule set's TOML."""
    tile_width_mm: float = Field(default=26.0, ge=20, le=45)
    players: tuple[Name, Name, Name, Name] = ("", "", "", "")
    tags: Path | None = None
    """Tag book of tiles with tags in them (TOML: `5m = ["00000000000000a1", …]`), for readers under the racks: reader n reads the
    hand of seat n. Their bridge needs `secret`."""
    clock: Path | None = None
    """Shared clock file of a virtual table that keeps its own time; none: the site's `clock`."""
    zones: ZoneSettings = ZoneSettings()
    cameras: tuple[CameraSettings, ...] = ()
    bridges: tuple[BridgeSettings, ...] = ()

    @model_validator(mode="after")
    def _unique(self) -> TableSettings:
        ids = [c.id for c in self.cameras] + [b.id for b in self.bridges]
        if len(set(ids)) != len(ids) or "engine" in ids:
            raise ValueError("ids of cameras and bridges must differ from each other and from 'engine'")
        return self

    def layout(self, tiles: int) -> Layout:
        """Where things lie on this table when it is played with a set of `tiles` tiles."""
        return Layout(TileSize.of_width(self.tile_width_mm), tiles // 8, self.zones.moves)


class WebSettings(Section):
    host: str = "127.0.0.1"
    port: int = Field(default=8137, ge=0, le=65535)
    guests: Literal["none", "viewer"] = "none"
    """What somebody without account and key may see: nothing, or the public picture (never alerts or concealed hands)."""
    names: tuple[str, ...] = ()
    """Host names under which browsers reach the pages, besides IP addresses, `localhost` and the machine's own name."""
    certificate: Path | None = None
    """PEM file of the certificate chain: the pages are then served by TLS. `private_key`: its key, also PEM."""
    private_key: Path | None = None
    proxies: tuple[str, ...] = ()
    """Addresses of reverse proxies whose X-Forwarded headers are believed."""
    evidence_days: int = Field(default=60, ge=1)
    """How long pictures of alerts are kept; older ones go when the engine starts."""
    themes: Path | None = None
    """Folder of the venue's own overlay themes, one CSS file each."""
    demo: str | None = None
    """Address of a running demo's control (POST, JSON acts as in `web/static/demo.js`); set by `jantaku demo` only."""

    @model_validator(mode="after")
    def _has_key(self) -> WebSettings:
        if (self.certificate is None) != (self.private_key is None):
            raise ValueError("certificate and private_key belong together")
        return self


class HookSettings(Section):
    """Where alerts are told outside: a topic of an ntfy server, or any address that takes JSON. `severity`: from which on."""

    url: str = Field(pattern=r"^https?://[^/]+/.+")
    kind: Literal["ntfy", "json"] = "ntfy"
    severity: Literal["check", "foul"] = "foul"
    token: str = Field(default="", repr=False)


class ObsSettings(Section):
    """An OBS (obs-websocket 5) that streams one table: a foul saves its replay buffer, a confirmed one sets a chapter."""

    table: Id
    url: str = Field(default="ws://127.0.0.1:4455", pattern=r"^wss?://")
    password: str = Field(default="", repr=False)


class Site(Section):
    venue: Id = "home"
    data: Path = Path("var")
    """Journals, outboxes and broker store live below it."""
    clock: Path | None = None
    """Shared clock file of a simulation; none: the machine's clock."""
    broker: BrokerSettings = BrokerSettings()
    web: WebSettings = WebSettings()
    homeassistant: bool = False
    """Tells Home Assistant of every table by MQTT discovery."""
    hooks: tuple[HookSettings, ...] = ()
    obs: tuple[ObsSettings, ...] = ()
    tables: tuple[TableSettings, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _unique(self) -> Site:
        ids = [t.id for t in self.tables]
        if len(set(ids)) != len(ids):
            raise ValueError("two tables share an id")
        return self

    def table(self, table: str) -> TableSettings:
        """Raises SettingsError when the site has no such table."""
        for one in self.tables:
            if one.id == table:
                return one
        raise SettingsError(f"no table {table!r} in the site file; it has {', '.join(t.id for t in self.tables)}")

    def clock_of(self, table: str) -> Path | None:
        """Where a table's time is read; none: this machine's clock. Raises SettingsError when the site has no such table."""
        return self.table(table).clock or self.clock


def load_site(path: Path) -> Site:
    """Reads a site file. Raises SettingsError naming file, key and what is expected. Relative paths are taken from the
    file's folder."""
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read ({error.strerror})") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: not valid TOML: {error}") from error
    try:
        site = Site.model_validate(raw)
    except ValidationError as error:
        raise SettingsError(f"{path}: {explain(error)}") from error
    base = path.resolve().parent
    whole = site.model_copy(
        update={
            "data": base / site.data,
            "clock": base / site.clock if site.clock else None,
            "tables": tuple(_based(table, base) for table in site.tables),
            "broker": site.broker.model_copy(update={"store": base / site.broker.store}),
            "web": site.web.model_copy(
                update={
                    name: base / path
                    for name in ("certificate", "private_key", "themes")
                    if (path := getattr(site.web, name)) is not None
                }
            ),
        }
    )
    return with_kept(whole)


def _based(table: TableSettings, base: Path) -> TableSettings:
    """A table whose relative paths are taken from a folder."""
    paths = {name: base / path for name in ("tags", "clock") if (path := getattr(table, name)) is not None}
    return table.model_copy(update=paths)


def with_kept(site: Site) -> Site:
    """A site with what people set on the set-up page (`<data>/setup.json`) in place of what the site file says, and with the
    tables they added there. Raises SettingsError when that cannot hold."""
    kept = load_kept(site.data)
    tables = []
    for table in (*site.tables, *_added(site, kept)):
        said = kept.tables.get(table.id)
        if said is None:
            tables.append(table)
            continue
        raw = table.model_dump()
        if said.zones is not None:
            raw["zones"] = said.zones
        for rows, more in ((raw["cameras"], said.cameras), (raw["bridges"], said.bridges)):
            for row in rows:
                if row["id"] in more:
                    row.update(more[row["id"]].model_dump(exclude_none=True))
        try:
            tables.append(TableSettings.model_validate(raw))
        except ValidationError as error:
            raise SettingsError(f"{kept_path(site.data)}: table {table.id}: {explain(error)}") from error
    return site.model_copy(update={"tables": tuple(tables)})


def _added(site: Site, kept: Kept) -> list[TableSettings]:
    """Tables of the set-up page. One that the site file names too is the site file's."""
    named = {table.id for table in site.tables}
    try:
        return [
            TableSettings.model_validate({**raw, "id": name}) for name, raw in kept.added.items() if name not in named
        ]
    except ValidationError as error:
        raise SettingsError(f"{kept_path(site.data)}: a table added there: {explain(error)}") from error


def explain(error: ValidationError) -> str:
    """A validation error as one line for people: every wrong key with what is wrong about it. What is wrong with the whole
    has no key before it: the caller says whether it is a file, a message or a line."""
    found = error.errors()
    places = [e["loc"] for e in found]
    return "; ".join(
        ": ".join(filter(None, (".".join(map(str, e["loc"])), _words(e))))
        for e in found
        if not (
            e["type"] == "too_short" and any(len(p) > len(e["loc"]) and p[: len(e["loc"])] == e["loc"] for p in places)
        )
    )  # a list is not too short that only lacks what is wrong in itself


def _words(error: ErrorDetails) -> str:
    if error["type"] == "missing":
        return "is missing"
    return f"{error['msg'].removeprefix('Value error, ')} (got {error['input']!r:.60})"
