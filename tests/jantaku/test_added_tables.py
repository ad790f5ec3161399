"""A house follows the tables that people add and take away: broker and engine begin anew, sensors come and go."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

import jantaku.house
from jantaku.house import changes, sensors, watch
from jantaku.supervisor import Child, Supervisor
from table_engine.wire.kept import Kept, kept_path, load_kept
from table_engine.wire.settings import load_site

FOREVER = "import time\nwhile True: time.sleep(0.05)"
SAYS = {"cameras": [{"id": "overhead", "source": "0"}], "bridges": [{"id": "controller", "port": "loop://"}]}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "site.toml"
    file.write_text('data = "data"\n[[tables]]\nid = "one"\n')
    return file


def _within(seconds: float, true) -> bool:
    pause = threading.Event()
    for _ in range(round(seconds / 0.02)):
        if true():
            return True
        pause.wait(0.02)
    return False


def test_added_tables_get_their_sensors_and_lose_them_again(config: Path, tmp_path: Path, monkeypatch) -> None:
    def asleep(table, _config, prefix):
        return [Child(child.name, (sys.executable, "-c", FOREVER)) for child in sensors(table, config, prefix)]

    monkeypatch.setattr(jantaku.house, "sensors", asleep)
    words: list[str] = []
    supervisor = Supervisor(
        [Child(name, (sys.executable, "-c", FOREVER)) for name in ("broker", "engine", "one/cam")],
        lambda _, line: words.append(line),
        pauses_s=(0.05,),
    )
    supervisor.start()
    kept = {name: supervisor.pid(name) for name in supervisor.names}
    thread = threading.Thread(target=watch, args=(supervisor, load_site(config), config))
    thread.start()
    data = tmp_path / "data"
    try:
        load_kept(data).with_table("two", SAYS).save(data)
        assert _within(30, lambda: supervisor.names[3:] == ("two/controller", "two/overhead"))
        assert _within(30, lambda: all(supervisor.pid(name) for name in supervisor.names))
        assert supervisor.pid("one/cam") == kept["one/cam"]
        anew = {name: supervisor.pid(name) for name in ("broker", "engine")}
        assert all(anew[name] != kept[name] for name in anew)

        load_kept(data).with_zones("two", {"pond_mm": 3.0}).save(data)  # no table came or went: nobody begins anew
        kept_path(data).write_text("{")
        assert _within(30, lambda: any("remove it and set up again" in line for line in words))
        assert {name: supervisor.pid(name) for name in anew} == anew

        Kept().save(data)
        assert _within(30, lambda: supervisor.names == ("broker", "engine", "one/cam"))
    finally:
        supervisor.stop_soon()
        thread.join(30)
        supervisor.stop()


def test_a_file_that_came_changed_or_went_is_a_change_once(tmp_path: Path) -> None:
    changed = changes(tmp_path / "a")
    assert not changed()
    (tmp_path / "a").write_text("1")
    assert (changed(), changed()) == (True, False)
    (tmp_path / "a").unlink()
    assert (changed(), changed()) == (True, False)
