"""Players' names, whatever somebody types."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table_engine.wire.acts import SeatPlayers
from table_engine.wire.names import LONGEST, shown


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("Aki", "Aki"),
        ("  Aki\tvan\n der  Berg ", "Aki van der Berg"),
        ("寿限無", "寿限無"),
        ("👩‍👩‍👧‍👦", "👩‍👩‍👧‍👦"),
        ("עמית", "עמית"),
        ("\u202eevil", "evil"),
        ("a\x00b\x1b[31m", "ab[31m"),
        ("<b>x</b>", "<b>x</b>"),
        ("\u3000 \u202d", ""),
        ("W" * 500, "W" * LONGEST),
    ],
)
def test_a_name_is_one_line_that_can_be_shown(typed: str, name: str) -> None:
    assert shown(typed) == name
    assert SeatPlayers(names=(typed, "b", "c", "d")).names[0] == name


@given(st.text())
def test_what_is_shown_stays_as_it_is(typed: str) -> None:
    name = shown(typed)
    assert shown(name) == name
    assert len(name) <= LONGEST
    assert name.isprintable() or not name.isascii()
