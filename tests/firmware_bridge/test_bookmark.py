"""The outbox keeps a device's place together with what the device said."""

import pytest

from firmware_bridge.link_events import Place
from table_engine.wire.observations import Dice
from table_engine.wire.outbox import Outbox


def test_stored_with_the_observations_or_not_at_all(tmp_path):
    path = tmp_path / "outbox.sqlite3"
    with Outbox(path, "serial") as outbox:
        assert outbox.bookmark == ""
        outbox.put_all([(1, Dice(dice=(1, 2)))], bookmark="7 1 1")
        outbox.put_all([(2, Dice(dice=(1, 2)))])
        outbox.put_all([], bookmark="7 3 2")
        outbox._db.execute("create trigger full before insert on message begin select raise(abort, 'full'); end")
        with pytest.raises(Exception, match="full"):
            outbox.put_all([(3, Dice(dice=(1, 2)))], bookmark="7 4 3")
        assert outbox.bookmark == "7 3 2"
        outbox._db.execute("drop trigger full")
    with Outbox(path, "serial") as outbox:
        assert (outbox.bookmark, len(outbox)) == ("7 3 2", 2)


@pytest.mark.parametrize("text", ["", "7", "7 1", "7 1 x", "7 1 1 1", "a b c", "½ 1 1"])
def test_what_is_no_place_is_none(text):
    assert Place.parse(text) is None


def test_a_place_reads_back():
    assert Place.parse(str(Place(65535, 0, -5))) == Place(65535, 0, -5)
