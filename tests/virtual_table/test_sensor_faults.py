"""Faulty sensors lose, double, delay and misread as much as they are told to, and never lie about how far they are."""

from __future__ import annotations

import pytest
from virtual_hands import own_records

from table_engine.wire.errors import SettingsError
from table_engine.wire.layout import Zone
from table_engine.wire.observations import DiscardZone, HandZone, TileSeen, WallCount, Watermark, ZoneSeen
from table_engine.wire.seats import Seat
from virtual_table.customs import customs_of
from virtual_table.disguise import Disguise
from virtual_table.faults import CameraFaults, Faults, faulty, load_faults
from virtual_table.perfect import Sighting, observe
from virtual_table.sensing import zone_at
from virtual_table.simulation import Simulation


@pytest.fixture(scope="module")
def game() -> list[Sighting]:
    return list(observe(own_records("riichi", seed=2, hands=2)))


def _with(game: list[Sighting], raw: dict, seed: int = 1) -> list[Sighting]:
    return list(faulty(game, Faults.model_validate(raw), seed))


def _plain(game: list[Sighting]) -> list[Sighting]:
    return [s for s in game if not isinstance(s[2], Watermark)]


def test_no_faults_change_nothing(game):
    assert _with(game, {}) == game


def test_drop_and_duplicate(game):
    serial = [s for s in _plain(game) if s[0] == "serial"]
    lost = [s for s in _plain(_with(game, {"serial": {"drop": 0.3}})) if s[0] == "serial"]
    assert 0.6 * len(serial) < len(lost) < 0.8 * len(serial)
    twice = [s for s in _plain(_with(game, {"serial": {"duplicate": 0.3}})) if s[0] == "serial"]
    assert 1.2 * len(serial) < len(twice) < 1.4 * len(serial)
    assert [s for s in _with(game, {"serial": {"drop": 0.3}}) if s[0] == "camera"] == [
        s for s in game if s[0] == "camera"
    ]


def test_same_seed_same_faults(game):
    raw = {"serial": {"drop": 0.1, "delay_ms": 400}, "camera": {"misread": 0.1, "duplicate": 0.1}}
    assert _with(game, raw) == _with(game, raw)
    assert _with(game, raw) != _with(game, raw, seed=2)


def test_late_readings_keep_their_moment_and_watermarks_stay_true(game):
    late = _with(game, {"serial": {"delay_ms": 900}})
    assert sorted(map(repr, _plain(late))) == sorted(map(repr, _plain(game)))
    assert _plain(late) != _plain(game)
    mark = 0
    for source, at_ms, seen in late:
        if source == "serial":
            assert at_ms >= mark
            mark = at_ms if isinstance(seen, Watermark) else mark


def test_dead_sensors_and_silent_sources(game):
    dead = _with(game, {"serial": {"dead": ["hand_zone", "discard_count"]}})
    assert not [s for s in dead if isinstance(s[2], HandZone | DiscardZone)]
    assert [s for s in dead if isinstance(s[2], WallCount)]
    silent = _with(game, {"camera": {"silent_from_ms": 20_000, "silent_to_ms": 40_000}})
    camera = [t for s, t, _ in silent if s == "camera"]
    assert not [t for t in camera if 20_000 <= t < 40_000]
    assert [t for t in camera if t >= 40_000]


def test_misread_tiles_stay_misread_while_they_lie(game):
    table = {"1z": {"7z": 1.0}}
    read = _with(game, {"camera": {"misread": 0.5, "confusion": table}})
    ponds = [s for _, _, s in read if isinstance(s, ZoneSeen) and s.zone is Zone.POND and s.seat == Seat.S0]
    first = [s.tiles[0] for s in ponds if s.tiles]
    hand = first[: next((i for i, t in enumerate(first) if t.u_mm != first[0].u_mm), len(first))]
    assert len({t.code for t in hand}) == 1
    true = [s for _, _, s in game if isinstance(s, ZoneSeen)]
    wrong = right = 0
    for mine, theirs in zip([s for _, _, s in read if isinstance(s, ZoneSeen)], true, strict=True):
        for a, b in zip(mine.tiles, theirs.tiles, strict=True):
            wrong, right = wrong + (a.code != b.code), right + (a.code == b.code)
            if a.code != b.code:
                assert dict(a.candidates)[b.code] > 0
                assert a.confidence < 1
                if b.code == "1z":
                    assert a.code == "7z"
    assert 0.35 < wrong / (wrong + right) < 0.65
    unknown = _with(game, {"camera": {"unknown": 0.3}})
    assert any(t.code == "?" for _, _, s in unknown if isinstance(s, ZoneSeen) for t in s.tiles)


def test_a_hidden_zone_is_told_afterwards(game):
    raw = {"camera": {"occlusion": [{"zone": "pond", "seat": 1, "from_ms": 20_000, "to_ms": 50_000}]}}
    hidden = _with(game, raw)

    def pond(sightings):
        return [(t, s) for _, t, s in sightings if isinstance(s, ZoneSeen) and s.zone is Zone.POND and s.seat == 1]

    assert [s for t, s in pond(game) if 20_000 <= t < 50_000]
    assert not [s for t, s in pond(hidden) if 20_000 <= t < 50_000]
    before = [s for t, s in pond(game) if t < 50_000][-1]
    assert next(s for t, s in pond(hidden) if t >= 50_000) == before


def test_a_disguised_tile_shows_the_face_it_is_taken_for():
    simulation = Simulation.of_players(customs_of("riichi"), hands=1, seed=4)
    faults = CameraFaults.model_validate(
        {
            "misread": 0.4,
            "confusion": {"1z": {"7z": 1.0}},
            "occlusion": [{"zone": "pond", "seat": 2, "from_ms": 40_000, "to_ms": 60_000}],
        }
    )
    disguise = Disguise(simulation.layout, faults, seed=3)
    shown = {}
    for _ in range(70):
        simulation.step(1000)
        table = simulation.snapshot()
        seen = disguise.seen(table)
        for mine, theirs in zip(seen.tiles, table.tiles, strict=True):
            assert mine.place == theirs.place
            assert shown.setdefault(mine.id, mine.face) == mine.face, "a tile keeps its false face"
        lies = [a for a in seen.arms if a not in table.arms]
        assert bool(lies) == (40_000 <= simulation.at_ms < 60_000)
        assert all(zone_at(simulation.layout, a.palm_x, a.palm_y) == (Seat.S2, Zone.POND) for a in lies)
    true = {t.id: t.face for t in table.tiles}
    wrong = {i: f for i, f in shown.items() if f != true[i]}
    assert 30 < len(wrong) < 80
    assert all(f == "7z" for i, f in wrong.items() if true[i] == "1z")


def test_fault_files(tmp_path):
    path = tmp_path / "faults.toml"
    path.write_text('[serial]\ndrop = 0.01\n[camera]\nmisread = 0.02\n[camera.confusion]\n"6s" = { "8s" = 3 }\n')
    assert load_faults(path).camera.confusion == {"6s": {"8s": 3.0}}
    path.write_text("[serial]\ndrop = 2\n")
    with pytest.raises(SettingsError, match=r"faults.toml: not a fault file: serial\.drop"):
        load_faults(path)
    with pytest.raises(SettingsError, match="cannot be read"):
        load_faults(tmp_path / "none.toml")


def test_a_tile_read_wrongly_is_read_right_when_it_is_looked_at_again() -> None:
    tile = TileSeen(code="5p", u_mm=1.0, v_mm=2.0)
    seen = ZoneSeen(zone=Zone.POND, seat=Seat.S1, tiles=(tile,))
    faults = Faults(camera=CameraFaults(misread=1.0, again_ms=1_500))
    later = Watermark()
    out = list(faulty([("camera", 1_000, seen), ("camera", 2_000, later), ("camera", 3_000, later)], faults))
    read = [(at_ms, one.tiles[0].code) for _, at_ms, one in out if isinstance(one, ZoneSeen)]
    assert read[0][0] == 1_000
    assert read[0][1] in ("4p", "6p")
    assert read[1] == (2_500, "5p")
