"""The words all rooms share: tiles, seats, topics, layout, clock, site file."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from table_engine.wire import tiles
from table_engine.wire.clock import SharedClock, SystemClock, clock_of
from table_engine.wire.errors import SettingsError
from table_engine.wire.layout import Layout, TileSize, Zone, to_seat, to_table
from table_engine.wire.messages import Availability
from table_engine.wire.observations import OBSERVATION, Envelope, Health, TileSeen, ZoneSeen
from table_engine.wire.seats import SEATS, Seat, Wind, wind_of
from table_engine.wire.settings import explain, load_site
from table_engine.wire.topics import Topics, any_table, check_id


def test_a_full_set_of_faces() -> None:
    assert len(tiles.KINDS) == 34
    assert sum(tiles.copies(t) for t in (*tiles.KINDS, *tiles.FLOWERS)) == 144
    assert len(tiles.CODES) == 34 + 3 + 8 + 2
    for code in tiles.CODES:
        assert tiles.parse(code) == code
        assert TileSeen(code=code).code == code


@pytest.mark.parametrize("text", ["", "5", "m5", "8z", "0z", "9f", "0f", "10m", "5M", " 5m", "bb", "5m "])
def test_what_is_no_tile_is_refused_everywhere(text: str) -> None:
    with pytest.raises(ValueError, match="is not a tile: expected 1m-9m"):
        tiles.parse(text)
    with pytest.raises(ValidationError):
        TileSeen(code=text)


def test_red_fives_are_fives() -> None:
    red, plain = tiles.parse("0p"), tiles.parse("5p")
    assert tiles.kind(red) == plain
    assert tiles.is_same([red, plain, plain])
    assert tiles.is_run([tiles.parse("6p"), red, tiles.parse("4p")])
    assert sorted([plain, red, tiles.parse("4p")], key=tiles.order) == ["4p", "0p", "5p"]


@pytest.mark.parametrize(
    ("run", "is_run"), [("123m", True), ("321s", True), ("124m", False), ("12m", False), ("123z", False)]
)
def test_runs(run: str, is_run: bool) -> None:
    assert tiles.is_run(tiles.parse(rank + run[-1]) for rank in run[:-1]) is is_run


def test_play_goes_round_and_winds_with_it() -> None:
    assert [Seat.S3.step(n) for n in range(5)] == [3, 0, 1, 2, 3]
    assert (Seat.S0.next, Seat.S0.opposite, Seat.S0.upper) == (1, 2, 3)
    assert [wind_of(seat, Seat.S2) for seat in SEATS] == [Wind.WEST, Wind.NORTH, Wind.EAST, Wind.SOUTH]


@given(st.sampled_from(SEATS), st.floats(-500, 500), st.floats(-500, 500))
def test_table_and_seat_frames_are_each_others_inverse(seat: Seat, u: float, v: float) -> None:
    assert to_seat(seat, *to_table(seat, u, v)) == pytest.approx((u, v))


def test_the_next_seat_sits_at_the_right() -> None:
    assert to_table(Seat.S1, 0.0, -100.0) == (100.0, 0.0)
    assert to_seat(Seat.S0, *to_table(Seat.S1, 0.0, -100.0))[0] > 0


@pytest.mark.parametrize("width", [26.0, 30.0, 38.0])
@pytest.mark.parametrize("stacks", [17, 18])
def test_zones_of_the_four_seats_lie_apart(width: float, stacks: int) -> None:
    """But for a few millimetres of slack, far less than a tile."""
    layout = Layout(TileSize.of_width(width), stacks)
    slack = 0.2 * width
    boxes = []
    for seat in SEATS:
        for zone in (Zone.POND, Zone.WALL, Zone.MELD, Zone.RACK):
            rect = layout.zone(zone)
            (x0, y0), (x1, y1) = to_table(seat, rect.u0, rect.v0), to_table(seat, rect.u1, rect.v1)
            boxes.append((seat, zone, min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)))
    for seat, zone, *box in boxes:
        assert min(box) >= -layout.half
        assert max(box) <= layout.half
        for other_seat, other_zone, *other in boxes:
            if seat == other_seat and zone != other_zone:
                across = min(box[2], other[2]) - max(box[0], other[0])
                along = min(box[3], other[3]) - max(box[1], other[1])
                assert min(across, along) <= slack, (seat, zone, other_zone)
    assert layout.wall_u(0) == pytest.approx(-layout.wall_u(stacks - 1))
    assert layout.zone(Zone.WALL).holds(layout.wall_u(0), layout.wall_v)


@pytest.mark.parametrize("text", ["", "Cam1", "cam.1", "cam/1", "cam+", "#", "cam 1", "a" * 33, "cäm", "cam1\n"])
def test_ids_that_mean_something_to_brokers_are_refused(text: str) -> None:
    with pytest.raises(SettingsError, match="use 1 to 32 of a-z, 0-9 and '-'"):
        check_id(text)
    for make in (lambda: Topics(text, "t1"), lambda: Topics("v", text), lambda: Topics("v", "t1").events(text)):
        with pytest.raises(SettingsError):
            make()


def test_topics() -> None:
    topics = Topics("hall", "t-1")
    assert topics.events("cam1") == "mj/v1/hall/t-1/cam1/ev"
    assert topics.ack == "mj/v1/hall/t-1/engine/ack"
    assert topics.command("cam1", "rebirth") == "mj/v1/hall/t-1/cam1/cmd/rebirth"
    assert topics.any_node("ev") == "mj/v1/hall/t-1/+/ev"
    assert any_table("hall", "ev") == "mj/v1/hall/+/+/ev"


def test_an_envelope_comes_back_as_it_was() -> None:
    seen = ZoneSeen(
        zone=Zone.POND, seat=Seat.S2, tiles=(TileSeen(code="0p", candidates=(("5p", 0.4),), sideways=True),)
    )
    said = Envelope.of("cam1", 3, 9, -5, 10, seen)
    assert Envelope.model_validate_json(said.model_dump_json()) == said
    assert said.id == "cam1:3:9"


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_numbers_that_json_has_not_are_refused(number: float) -> None:
    with pytest.raises(ValidationError):
        Health(state="ok", counters={"load": number})
    with pytest.raises(ValidationError):
        TileSeen(code="5m", u_mm=number)


def test_unknown_keys_and_kinds_are_refused() -> None:
    for payload in ('{"type":"bay","open":true,"x":1}', '{"type":"song"}', '{"open":true}', "null"):
        with pytest.raises(ValidationError):
            OBSERVATION.validate_json(payload)


def test_a_simulations_processes_share_one_clock(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="start the virtual table first"):
        clock_of(tmp_path / "clock")
    writer = SharedClock(tmp_path / "clock", create=True)
    reader = clock_of(tmp_path / "clock")
    for at_ms in (0, 1_700_000_000_123, -5):
        writer.set_ms(at_ms)
        assert reader.now_ms() == at_ms


def test_without_a_simulation_it_is_the_machines_clock() -> None:
    clock = clock_of(None)
    assert isinstance(clock, SystemClock)
    assert abs(clock.now_ms() - time.time() * 1000) < 60_000


SITE = """
venue = "hall"
[broker]
store = "broker"
[[tables]]
id = "t1"
[[tables.cameras]]
id = "cam1"
source = "/dev/video0"
[[tables.bridges]]
id = "ctl"
port = "/dev/ttyUSB0"
"""


def test_a_site_file_is_read_from_its_own_folder(tmp_path: Path) -> None:
    (tmp_path / "site.toml").write_text(SITE)
    site = load_site(tmp_path / "site.toml")
    assert site.broker.store == tmp_path / "broker"
    assert site.data == tmp_path / "var"
    assert site.table("t1").cameras[0].id == "cam1"
    with pytest.raises(SettingsError, match="no table 't9' in the site file; it has t1"):
        site.table("t9")


@pytest.mark.parametrize(
    ("was", "now", "says"),
    [
        ('venue = "hall"', 'venue = "Hall 1"', "venue: "),
        ('venue = "hall"', "venue = ", "not valid TOML"),
        ('id = "ctl"', 'id = "cam1"', "must differ from each other"),
        ('id = "ctl"', 'id = "engine"', "must differ from each other and from 'engine'"),
        ('source = "/dev/video0"', 'sauce = "/dev/video0"', "tables.0.cameras.0.sauce: Extra inputs are not permitted"),
        ('store = "broker"', "port = 99999", "broker.port: Input should be less than or equal to 65535 (got 99999)"),
        ('store = "broker"', 'mode = "magic"', "broker.mode: "),
        ('store = "broker"', 'sync_interval = "never"', "broker.sync_interval: "),
        ('source = "/dev/video0"', 'source = "x"\ncalibration = "corners"', "needs corners_px, four [x, y] points"),
        ("[[tables]]", '[[tables]]\nid = "t1"\n[[tables]]', "site.toml: two tables share an id"),
    ],
)
def test_a_broken_site_file_names_file_key_and_value(tmp_path: Path, was: str, now: str, says: str) -> None:
    path = tmp_path / "site.toml"
    path.write_text(SITE.replace(was, now))
    with pytest.raises(SettingsError) as raised:
        load_site(path)
    assert str(raised.value).startswith(f"{path}: ")
    assert says in str(raised.value)


@pytest.mark.parametrize(
    ("payload", "says"),
    [
        ("", "Invalid JSON: EOF while parsing"),
        ("[]", "Input should be an object (got [])"),
        ('{"state":"online","boot":-1}', "boot: Input should be greater than or equal to 0 (got -1)"),
    ],
)
def test_a_complaint_about_a_message_speaks_of_no_file(payload: str, says: str) -> None:
    with pytest.raises(ValidationError) as raised:
        Availability.model_validate_json(payload)
    assert explain(raised.value).startswith(says)


def test_a_missing_site_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"site\.toml: cannot be read \(No such file"):
        load_site(tmp_path / "site.toml")
