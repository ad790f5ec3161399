"""Files of what goes wrong: everything the module's docstring shows is understood, mistakes are named with their key."""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path

import pytest

from jantaku import faults
from jantaku.commands.faults import document
from jantaku.faults import CameraEvent, Faults, KillEvent, load_faults
from table_engine.wire.errors import SettingsError

EXAMPLES = Path(__file__).resolve().parents[2] / "config" / "faults"


def test_the_example_in_the_docstring_loads(tmp_path: Path) -> None:
    example = textwrap.dedent("\n".join(faults.__doc__.split("\n\nPerfect")[0].splitlines()[2:]))
    path = tmp_path / "faults.toml"
    path.write_text(example)
    read = load_faults(path)
    assert [foul.what for foul in read.foul] == ["too_many"]
    assert read.serial.dead == ("wall",)
    assert (read.camera.drop, read.camera.dim) == (0.05, 0.6)
    camera, kill = read.event
    assert isinstance(camera, CameraEvent)
    assert isinstance(kill, KillEvent)
    assert (camera.fault, kill.process) == ("cover", "engine")


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda p: p.name)
def test_the_shipped_examples_load(path: Path) -> None:
    assert load_faults(path) != Faults()


def test_the_page_is_what_the_command_says(repo: Path) -> None:
    assert (repo / "docs" / "faults.md").read_text() == document(), "run: jantaku faults > docs/faults.md"


def test_every_example_on_the_page_loads(tmp_path: Path) -> None:
    blocks = re.findall(r"(?m)(?:^(?: {4}.*)?\n)+", document())
    examples = [textwrap.dedent(block) for block in blocks if re.match(r"\s*\[", block)]
    assert len(examples) >= 4
    path = tmp_path / "faults.toml"
    for example in examples:
        path.write_text(example)
        assert load_faults(path) != Faults()


def test_json_of_the_same_shape_loads(tmp_path: Path) -> None:
    path = tmp_path / "faults.json"
    path.write_text(json.dumps({"serial": {"noise": 0.5}}))
    assert load_faults(path).serial.noise == 0.5


def test_an_empty_file_is_a_table_on_which_nothing_goes_wrong(tmp_path: Path) -> None:
    path = tmp_path / "none.toml"
    path.write_text("")
    assert load_faults(path) == Faults()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[serial]\ndrop = 2", "serial.drop"),
        ("[serial]\nhum = 1", "serial.hum"),
        ("[[foul]]\nwhat = 'shout'\nseat = 1", "foul.0.what"),
        ("[[event]]\nat_s = 1\nact = 'camera'\nfault = 'unplug'", "event.0.camera.fault"),
        ("[[event]]\nat_s = -1\nact = 'kill'\nprocess = 'engine'", "event.0.kill.at_s"),
        ("[serial", "not valid TOML or JSON"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "faults.toml"
    path.write_text(text)
    with pytest.raises(SettingsError, match=re.escape(says)) as caught:
        load_faults(path)
    assert str(path) in str(caught.value)


def test_what_needs_a_line_or_processes_is_refused_for_perfect_sensors() -> None:
    assert Faults.model_validate({"camera": {"misread": 0.5}}).perfect().camera.misread == 0.5
    event = {"at_s": 1, "act": "kill", "process": "engine"}
    for wrong in ({"serial": {"noise": 0.1}}, {"camera": {"dim": 0.5}}, {"event": [event]}):
        with pytest.raises(SettingsError, match=r"serial\.noise|camera\.dim|event"):
            Faults.model_validate(wrong).perfect()


def test_what_pictures_cannot_show_is_refused_for_them() -> None:
    Faults.model_validate({"camera": {"misread": 0.5, "silent_from_ms": 1}}).check_pictures()
    with pytest.raises(SettingsError, match=r"camera\.unknown"):
        Faults.model_validate({"camera": {"unknown": 0.5}}).check_pictures()
