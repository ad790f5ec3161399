"""Envelopes in one message: whole, in order, never more than brokers and engines bear."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from table_engine.wire.bundle import MOST, bundles, opened
from table_engine.wire.messages import Position

ENVELOPES = st.lists(st.dictionaries(st.text(max_size=3), st.text(max_size=200), max_size=3), max_size=600)


@given(ENVELOPES)
def test_what_is_bundled_comes_out_as_it_went_in(envelopes: list[dict[str, str]]) -> None:
    rows = [(Position(1, n), json.dumps(one)) for n, one in enumerate(envelopes, 1)]
    positions, out = [], []
    for held, payload in bundles(rows):
        parts = [json.loads(part) for part in opened(payload.encode())]
        assert len(held) == len(parts) <= MOST
        positions += held
        out += parts
    assert positions == [position for position, _ in rows]
    assert out == envelopes


def test_a_message_does_not_outgrow_what_brokers_take() -> None:
    rows = [(Position(1, n), json.dumps({"a": "x" * 30_000})) for n in range(1, 6)]
    assert [len(held) for held, _ in bundles(rows)] == [2, 2, 1]
    long = [(Position(1, 1), json.dumps({"a": "x" * 200_000}))]
    assert [len(held) for held, _ in bundles(long)] == [1], "a single one goes whatever its length"


def test_one_alone_is_no_list() -> None:
    assert list(bundles([(Position(3, 1), "{}")])) == [([Position(3, 1)], "{}")]
