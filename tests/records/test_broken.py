"""What is broken names file and place; what is cut says what is missing and keeps what is whole; packed files and archives."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import re
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from at_hand import files

from table_engine.records import cut_json
from table_engine.records.export import export
from table_engine.records.load import FORMATS, UnknownFormatError, load
from table_engine.records.model import BREAKS_OFF
from table_engine.wire.actions import HandEnded
from table_engine.wire.errors import RecordError

START = (
    '{"type":"start_game","names":["a","b","c","d"]}\n'
    '{"type":"start_kyoku","bakaze":"E","dora_marker":"1s","kyoku":1,"honba":0,"kyotaku":0,"oya":0,'
    '"scores":[25000,25000,25000,25000],"tehais":['
    '["1m","2m","3m","4m","5m","6m","7m","8m","9m","E","E","E","S"],["?","?","?","?","?","?","?","?","?","?","?","?","?"],'
    '["?","?","?","?","?","?","?","?","?","?","?","?","?"],["?","?","?","?","?","?","?","?","?","?","?","?","?"]]}\n'
)
SIX = (
    '{"name":["a","b","c","d"],"rule":{"disp":"","aka":1},"log":[[[0,0,0],[25000,25000,25000,25000],[31],[],'
    "[11,12,13,14,15,16,17,18,19,41,41,41,42],%s,%s,[21,22,23,24,25,26,27,28,29,43,43,43,44],[],[],"
    "[31,32,33,34,35,36,37,38,39,45,45,45,46],[],[],[11,12,13,14,15,16,17,18,19,47,47,47,44],[],[],%s]]}"
)
HU = '{"game_title":{"rule":"%s"},"game_round":{"round_index_1":%s}}'


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        (
            "m.jsonl",
            START + '{"type":"tsumo","actor":1,"pai":"1p"}\n',
            "line 3, hand 1: seat 1 draws before the dealer",
        ),
        ("m.jsonl", START + '{"type":"tsumo","actor":0,"pai":"9x"}\n', "line 3, hand 1: '9x' is not a tile of mjai"),
        ("m.jsonl", START + '{"type":"tsumo","actor":7,"pai":"9p"}\n', "actor 7 is not in 0..3"),
        ("m.jsonl", START + '{"type":"tsumo","actor":0}\n', "'pai' is missing"),
        ("m.jsonl", START + "{]\n" + '{"type":"end_game"}\n', "line 3: not valid JSON"),
        ("m.jsonl", START + '{"type":"nukidora","actor":0}\n', "three-player"),
        ("m.jsonl", '{"type":"start_game","names":["a","b","c"]}\n', "three-player"),
        ("m.jsonl", '{"type":"start_game"}\n', "without a hand"),
        (
            "m.jsonl",
            START + '{"type":"tsumo","actor":0,"pai":"1p"}\n{"type":"dahai","actor":0,"pai":"9p","tsumogiri":false}\n',
            "line 4, hand 1: seat 0 plays 9p, which it does not hold",
        ),
        ("t.json", SIX % ("[21]", "[99]", '["流局",[0,0,0,0]]'), "hand 1: 99 is not a tile number"),
        ("t.json", SIX % ("[21]", "[22]", '["流局",[0,0,0,0]]'), "hand 1: seat 0 plays 2p, which it does not hold"),
        ("t.json", SIX % ("[21,22]", "[60]", '["流局",[0,0,0,0]]'), "do not fit together beyond 2 of 3"),
        ("t.json", SIX % ('["cat"]', "[60]", '["流局"]'), "'cat' is no call"),
        ("t.json", SIX % ('["f44"]', "[60]", '["流局"]'), "three-player"),
        ("t.json", '{"log":[[[0,0,0],[1,2,3,4]]]}', "hand 1: it has 2 rows instead of 17"),
        ("t.json", '{"log":[[[0,0,0],[1,2,3,4]] oops]}', "not valid JSON"),
        (
            "k.json",
            '[{"log":[[{"qipai":{"zhuangfeng":0,"jushu":0,"defen":[],"shoupai":["m1"],"baopai":"m1"}}]]}]',
            "hand 1, event 1",
        ),
        (
            "s.json",
            '[{"name":".lq.RecordNewRound","data":{"chang":0,"scores":[1,2,3]}}]',
            "hand 1, RecordNewRound: a three-player",
        ),
        ("s.json", '[{"name":".lq.RecordNewRound","data":{"chang":0}}]', "'scores' is missing"),
        ("p.pmn", '[Deal "c1 c2 c3 c4"]\n[Play "T0c1"]\n', "tags from line 1: player 0 is dealt 1 tiles instead of 13"),
        ("p.pmn", '[Deal "c1"]\n[Play "T0c1"]\n', "the deal has 1 hands instead of 4"),
        ("p.pmn", '[Event "x"]\n[Deal "x"]\nnonsense [Play\n', "line 3: 'nonsense [Play' is no PMN tag"),
        ("o.json", HU % ("sichuan", "{}"), "a game of 'sichuan'; read are guobiao, riichi"),
        ("o.json", HU % ("guobiao", '{"action_ticks":[]}'), "hand 1: 'p0_tiles' is missing"),
        ("j.jsonl", '{"jantaku":9,"source":"x","ruleset":"riichi","names":[]}\n', "line 1: a record of version 9"),
        (
            "j.jsonl",
            '{"jantaku":1,"source":"x","ruleset":"riichi","names":[]}\n{"move":{}}\n',
            "line 2: 'move' outside a hand",
        ),
        ("b.jsonl", '{"initdata":{},"logs":[{"output":{"content":{"0":"2 W1"},"display":{}}}]}', "line 1, move 2"),
        ("c.log", 'Get: <GO type="9"/>\nGet: <UN/>\n', "without a whole hand"),
        ("c.log", 'Get: <GO type="25"/>\n', "three-player"),
        ("c.log", 'Get: <INIT seed="0,0,0,1,2,3" ten="250,250,250,250" oya="0" hai="1,2"/>\nGet: <D5/>', "tag <D5>"),
    ],
)
def test_broken_records_name_file_and_place(tmp_path: Path, name: str, text: str, says: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RecordError, match=re.escape(says)) as error:
        list(load(path))
    assert name in str(error.value)
    assert not isinstance(error.value, UnknownFormatError)


def test_a_file_of_no_known_format_names_all_that_are_known(tmp_path: Path) -> None:
    for name, text in {"a.txt": "a letter to my aunt", "b.json": '{"log": "book"}', "empty": ""}.items():
        path = tmp_path / name
        path.write_text(text)
        with pytest.raises(UnknownFormatError, match=name) as error:
            list(load(path))
        assert all(form.title in str(error.value) for form in FORMATS.values())


@pytest.mark.parametrize(
    "form",
    [
        *("tenhou-xml", "tenhou6", "mjai", "majsoul", "majiang"),
        *("open-mahjong", "taiwan-jsonl", "botzone", "botzone-judge"),
    ],
)
def test_a_cut_file_keeps_what_is_whole(shared: Path, tmp_path: Path, form: str) -> None:
    """At two thirds of the text: the hands before are there as they were, and it is said that something is missing."""
    path = max(files(shared, form), key=lambda p: p.stat().st_size)
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    whole = list(load(path))
    text = raw.decode()
    cut = tmp_path / path.name.removesuffix(".gz")
    cut.write_text(text[: len(text) * 2 // 3], encoding="utf-8")
    games = list(load(cut))
    hands = [hand for game in games for hand in game.hands]
    before = [hand for game in whole for hand in game.hands]
    last = hands[-1]
    complete = len(hands) - (BREAKS_OFF in last.notes)
    assert 0 < complete < len(before)
    keys = ("hands", "moves", "dealer", "ending")
    for one, other in zip(hands[:complete], before, strict=False):
        assert [getattr(one, key) for key in keys] == [getattr(other, key) for key in keys]
    if BREAKS_OFF in last.notes:
        other = before[complete]
        assert last.hands == other.hands
        assert last.moves[:-1] == other.moves[: len(last.moves) - 1]
        assert isinstance(last.moves[-1], HandEnded)
    assert BREAKS_OFF in last.notes or games[-1].notes


def test_a_cut_play_string_is_played_as_far_as_it_goes(shared: Path, tmp_path: Path) -> None:
    path = files(shared, "pmn")[0]
    text = path.read_text(encoding="utf-8")
    cut = tmp_path / "cut.pmn"
    cut.write_text(text[: text.index("[Play") + 102], encoding="utf-8")
    (game,), (whole,) = load(cut), load(path)
    assert game.hands[0].notes == (BREAKS_OFF,)
    assert game.hands[0].moves[:-1] == whole.hands[0].moves[: len(game.hands[0].moves) - 1]
    assert len(game.hands[0].moves) > 10


def test_cut_json_closes_what_is_open() -> None:
    (one,) = cut_json.values('{"a": [1, 2, {"b": "c')
    assert one == cut_json.Value({"a": [1, 2, {}]}, 1, whole=False)
    two = list(cut_json.values('{"a": 1}\n\n{"b": [1, [2, 3'))
    assert two == [cut_json.Value({"a": 1}, 1, whole=True), cut_json.Value({"b": [1, [2]]}, 3, whole=False)]
    (text,) = cut_json.values('["a]\\"", "b')
    assert text.value == ['a]"']
    for wrong in ('{"a": 1 "b": 2}', "[1, 2}", '["a" oops, [1, 2', "nothing"):
        with pytest.raises(ValueError, match="line 1, column"):
            list(cut_json.values(wrong))


PACKERS: dict[str, Callable[[bytes], bytes]] = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}


@pytest.mark.parametrize("packer", PACKERS)
def test_packed_files_are_read(shared: Path, tmp_path: Path, packer: str) -> None:
    plain = files(shared, "tenhou6")[0]
    packed = tmp_path / f"{plain.name}.{packer}"
    packed.write_bytes(PACKERS[packer](plain.read_bytes()))
    assert [game.hands for game in load(packed)] == [game.hands for game in load(plain)]
    packed.write_bytes(PACKERS[packer](plain.read_bytes() * 9)[:60])
    with pytest.raises(RecordError, match=rf"{re.escape(packed.name)}: the \w+ data in it is damaged"):
        list(load(packed))


def _tar(members: dict[str, bytes], mode: str) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as tar:
        for name, raw in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(raw)
            tar.addfile(info, io.BytesIO(raw))
    return out.getvalue()


def _zip(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, raw in members.items():
            packed.writestr(name, raw)
    return out.getvalue()


@pytest.mark.parametrize("kind", ["tar", "tar.gz", "zip"])
def test_archives_are_read_file_by_file(shared: Path, tmp_path: Path, kind: str) -> None:
    mjlog, json6 = files(shared, "tenhou-xml")[0], files(shared, "tenhou6")[0]
    members = {
        "games/a.mjlog": mjlog.read_bytes(),
        "games/b.json.gz": gzip.compress(json6.read_bytes()),
        "README.txt": b"nothing to play",
        "picture.png": b"\x89PNG\xff\xfe\x00",
    }
    path = tmp_path / f"all.{kind}"
    path.write_bytes(_zip(members) if kind == "zip" else _tar(members, "w:gz" if kind == "tar.gz" else "w"))
    games = list(load(path))
    assert [game.source for game in games] == [f"all.{kind}/games/a.mjlog", f"all.{kind}/games/b.json.gz"]
    assert [g.hands for g in games] == [g.hands for plain in (mjlog, json6) for g in load(plain)]


def test_one_broken_file_of_an_archive_leaves_the_others(shared: Path, tmp_path: Path) -> None:
    mjlog = files(shared, "tenhou-xml")[0]
    members = {"a.mjlog": b"<mjloggm></mjloggm>", "b.mjlog": mjlog.read_bytes()}
    path = tmp_path / "all.tar.gz"
    path.write_bytes(_tar(members, "w:gz"))
    told: list[RecordError] = []
    assert [game.source for game in load(path, told.append)] == ["all.tar.gz/b.mjlog"]
    assert [str(error) for error in told] == ["all.tar.gz/a.mjlog: no hand in it (no INIT tag)"]
    with pytest.raises(RecordError, match=r"all\.tar\.gz/a\.mjlog"):
        list(load(path))


def test_an_archive_without_records_says_so(tmp_path: Path) -> None:
    path = tmp_path / "notes.tar.gz"
    path.write_bytes(_tar({"notes.txt": b"nothing to see"}, "w:gz"))
    with pytest.raises(UnknownFormatError, match=r"notes.tar.gz: holds no game record"):
        list(load(path))
    path.write_bytes(gzip.compress(_tar({"a": b"x" * 5000}, "w")[:1500]))
    with pytest.raises(RecordError, match="damaged"):
        list(load(path))


def test_several_games_in_one_file(shared: Path, tmp_path: Path) -> None:
    """Every text format may hold one game after the other."""
    for form in ("tenhou-xml", "tenhou6", "mjai", "majiang", "botzone", "pmn", "open-mahjong", "taiwan-jsonl"):
        one, other = (files(shared, form) * 2)[:2]
        path = tmp_path / f"both-{form}"
        path.write_text("\n".join(p.read_text(encoding="utf-8").strip() for p in (one, other)) + "\n", encoding="utf-8")
        expected = [game.hands for p in (one, other) for game in load(p)]
        assert [game.hands for game in load(path)] == expected, form
    jantaku = "".join(export(game, "jantaku") for path in files(shared, "pmn") for game in load(path))
    (tmp_path / "all.jsonl").write_text(jantaku, encoding="utf-8")
    assert list(load(tmp_path / "all.jsonl")) == [game for path in files(shared, "pmn") for game in load(path)]


def test_links_of_the_log_editor_are_read(shared: Path, tmp_path: Path) -> None:
    from urllib.parse import quote

    plain = files(shared, "tenhou6")[0]
    path = tmp_path / "links.txt"
    link = "https://tenhou.net/6/#json=" + quote(json.dumps(json.loads(plain.read_text(encoding="utf-8"))))
    path.write_text(f"{link}\n{link}&ts=0\n")
    (hands,) = [game.hands for game in load(plain)]
    assert [game.hands for game in load(path)] == [hands, hands]


def test_mjai_may_be_one_list_or_lists_by_line(shared: Path, tmp_path: Path) -> None:
    plain = files(shared, "mjai")[0]
    events = [json.loads(line) for line in plain.read_text(encoding="utf-8").splitlines()]
    forms = {
        "list": json.dumps(events),
        "indented": json.dumps(events, indent=1),
        "by lines": "\n".join(json.dumps(events[n : n + 5]) for n in range(0, len(events), 5)),
    }
    for name, text in forms.items():
        path = tmp_path / name
        path.write_text(text)
        assert [g.hands for g in load(path)] == [g.hands for g in load(plain)], name
