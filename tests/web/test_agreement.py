"""How often referees agreed with the alerts: every ruling counts, after a restart and under other rules too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import boards
from hall import Hall
from play import Game
from playwright.sync_api import expect

from table_engine import agreement
from table_engine.web.grants import Role
from table_engine.web.hub import ENDED_KEPT, Hub
from table_engine.wire.alerts import AlertEnded


def test_rulings_are_counted_over_restarts_and_rule_sets(tmp_path: Path, come: Any) -> None:
    with Hall(tmp_path / "data") as hall:
        alert = Game(hall).foul_from_the_deal()
        assert hall.do("table-1", act="confirm", alert=alert.id).ok
        hall.until(lambda: _counts(hall) == {alert.code: (0, 1, 0)})
    with Hall(tmp_path / "data") as hall:  # restarted
        hall.until(lambda: _counts(hall) == {alert.code: (0, 1, 0)})
        assert hall.do("table-1", act="hand_ended", how="ruling").ok
        assert hall.do("table-1", act="match_end").ok
        assert hall.hub.choose_rules("table-1", "taiwan16", "Kai").result(timeout=20).ok
        assert _counts(hall) == {alert.code: (0, 1, 0)}
        again = Game(hall, "taiwan16").foul_from_the_deal()
        assert _counts(hall) == {alert.code: (1, 1, 0)}  # the same foul under other rules
        assert hall.do("table-1", act="dismiss", alert=again.id, reason="seen otherwise").ok
        hall.until(lambda: _counts(hall) == {alert.code: (0, 1, 1)})
        venue = come(hall, "venue", Role.OPERATOR)
        expect(venue.locator("#counts")).to_contain_text("50 %")
        with venue.expect_download() as taken:
            venue.locator("#take-counts").click()
        lines = Path(taken.value.path()).read_text(encoding="utf-8").split()
        assert lines == ["code,open,confirmed,dismissed,overturned,withdrawn", f"{alert.code},0,1,1,0,0"]
    with Hall(tmp_path / "data", ruleset="riichi") as hall:  # as the site file says; the choice of the page holds
        hall.until(lambda: _counts(hall) == {alert.code: (0, 1, 1)})


def test_more_rulings_than_the_console_lists_are_counted() -> None:
    hub = Hub(("table-1",))
    for n in range(ENDED_KEPT + 50):
        ruled = boards.alert(id=f"a{n}", state="confirmed")
        hub.publish_alert("table-1", AlertEnded(before=ruled, after=ruled, reason=""))
    assert hub.verdicts("table-1")["tile_count"]["confirmed"] == ENDED_KEPT + 50


def test_a_spoiled_or_orphaned_count_is_left_out(tmp_path: Path) -> None:
    counts = agreement.count([boards.alert(state="confirmed")])
    for boot in (1, 2, 3):
        agreement.keep(tmp_path / "table-1.sqlite3", boot, counts)
        (tmp_path / f"table-1.{boot}.sqlite3").touch()
    agreement.keep(tmp_path / "table-10.sqlite3", 4, counts)
    (tmp_path / "table-10.4.sqlite3").touch()
    (tmp_path / "table-1.1.alerts.json").write_text("{broken", encoding="utf-8")
    (tmp_path / "table-1.2.sqlite3").unlink()
    assert agreement.kept(tmp_path, "table-1") == counts


def _counts(hall: Hall) -> dict[str, tuple[int, int, int]]:
    _, rows, _ = hall.served.ask("api/precision", hall.served.key(Role.OPERATOR))
    return {row["code"]: (row["open"], row["confirmed"], row["dismissed"]) for row in rows}
