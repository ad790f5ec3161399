"""The demo's control does what it is asked and says plainly when it cannot."""

from __future__ import annotations

import json
import urllib.error
import urllib.request

import pytest

from jantaku.control import Control
from table_engine.wire.errors import DeviceError


@pytest.fixture
def control():
    def unplug(asked):
        raise DeviceError(f"no cable to unplug for {asked['seconds']} s")

    one = Control({"kill": lambda asked: f"killed {asked['process']}", "serial": unplug})
    yield one
    one.close()


def _post(address: str, body: bytes) -> tuple[int, dict]:
    try:
        with urllib.request.urlopen(urllib.request.Request(address, data=body), timeout=10) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_it_does_what_it_is_asked(control) -> None:
    assert _post(control.address, b'{"act": "kill", "process": "engine"}') == (200, {"says": "killed engine"})


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        (b'{"act": "serial", "seconds": 5}', 400, "no cable to unplug for 5 s"),
        (b'{"act": "dance"}', 400, "no act 'dance'; there are kill, serial"),
        (b"[1]", 400, "not an object"),
        (b"{", 400, "not JSON"),
        (b"\xff\xfe", 400, "not JSON"),
        (b" " * 5000, 413, "too long for an act"),
    ],
)
def test_it_says_why_it_cannot(control, body: bytes, status: int, says: str) -> None:
    assert _post(control.address, body) == (status, {"error": says})
