"""The engine's process: every table's messages from the wire into its journal, its fold, and out to wire and pages."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import JsonValue

from table_engine import scoring
from table_engine.desk import Desk, News
from table_engine.events import Event, SourcePresence
from table_engine.orders import Orders
from table_engine.vigil import SILENT_S, SILENT_SIMULATED_S, Vigil
from table_engine.web.accounts import Accounts, access_path
from table_engine.web.evidence import prune
from table_engine.web.hooks import hook
from table_engine.web.hub import Chosen, Hub
from table_engine.web.obs import obs
from table_engine.web.server import WebServer
from table_engine.wire.access import ENGINE_ROLE, door
from table_engine.wire.acts import Answer
from table_engine.wire.alerts import Alert, AlertEnded, AlertRaised, Fault
from table_engine.wire.clock import Clock, SystemClock, clock_of
from table_engine.wire.consumer import EngineNode
from table_engine.wire.homeassistant import discovery
from table_engine.wire.observations import HandFaces, TagSeen
from table_engine.wire.received import (
    Birth,
    Connection,
    Gap,
    Observed,
    Presence,
    Received,
    Unreadable,
    Wished,
)
from table_engine.wire.settings import Site

_log = logging.getLogger(__name__)
_POLL_S = 0.05
_PICTURE_EVERY_S = 0.1
_UNREADABLE_SHOWN_MS = 30_000
_BEFORE_MS, _AFTER_MS = 6_000, 3_000
"""How much of an alert's time before and after its moment pictures are kept of."""
_PICTURES_S = 60.0
_DAY_S = 86_400
_ROOM_EVERY_S = 1.0
"""How often a table that a full disk keeps closed is tried."""


def journal_path(site: Site, table: str) -> Path:
    """Where a table's journal is."""
    return site.data / "journal" / f"{table}.sqlite3"


def run(site: Site, stop: threading.Event) -> None:
    """Runs the engine of all tables of a site until `stop` is set.

    Raises SettingsError for a wrong rule set or a taken web address and BrokerError when the broker's passwords are not
    there. What goes wrong with one table, or later on the wire, is shown as a fault and waited out; so is a full disk."""
    clock = clock_of(site.clock)
    clocks = {table.id: clock_of(table.clock) for table in site.tables if table.clock is not None}
    with contextlib.ExitStack() as stack:
        desks = {}
        for table in site.tables:
            desks[table.id] = Desk(table, journal_path(site, table.id))
            stack.callback(desks[table.id].close)
        hub = Hub(tuple(desks), table_ms=lambda table: clocks.get(table, clock).now_ms())
        accounts = Accounts(access_path(site.data))
        stack.callback(accounts.close)
        prune(site.data / "evidence", time.time() - site.web.evidence_days * _DAY_S)
        server = WebServer(hub, site, accounts)
        stack.callback(server.close)
        _log.info("pages at %s", server.address)
        for told in site.hooks:
            messenger, listener = hook(told, server.address)
            stack.callback(messenger.close)
            hub.on_alert(listener)
        for streamed in site.obs:
            director, listener = obs(streamed)
            stack.callback(director.close)
            hub.on_alert(listener)
        if secret := accounts.first_secret():
            _log.info(
                "first start: open %senter#%s within a day to make the first account (said once)",
                server.address,
                secret,
            )
        scoring.prepare()
        silent_s = SILENT_SIMULATED_S if site.clock else SILENT_S
        service = Service(desks, _node(site, desks, clock), hub, clock, silent_s, clocks)
        while not stop.is_set():
            with service.node:
                while not stop.is_set() and not (service.room_again() or service.rules_changed()):
                    service.round(_POLL_S)
                service.tell(at_once=True)
            if not stop.is_set():
                service.hear(_node(site, desks, clock))


def _node(site: Site, desks: dict[str, Desk], clock: Clock) -> EngineNode:
    """Our end of the wire, from where the journals end."""
    return EngineNode(
        door(site, ENGINE_ROLE),
        site.venue,
        tuple(desks),
        boot=max(desk.boot for desk in desks.values()),
        positions={(table, src): at for table, desk in desks.items() for src, at in desk.positions().items()},
        clock=clock,
        births=[discovery(site.venue, table) for table in desks] if site.homeassistant else (),
    )


class Service:
    """The loop's body: desks on one side, wire and pages on the other."""

    def __init__(
        self,
        desks: dict[str, Desk],
        node: EngineNode,
        hub: Hub,
        clock: Clock,
        silent_s: float = SILENT_S,
        clocks: Mapping[str, Clock] | None = None,
    ) -> None:
        """`clocks`: of tables that keep a time of their own."""
        self.node = node
        self._desks = desks
        self._hub = hub
        self._clock = clock
        self._clocks = dict(clocks or {})
        self._held: dict[str, list[Received]] = defaultdict(list)
        self._vigils = {table: Vigil(silent_s) for table in desks}
        self._up = False
        self._pictured_s: dict[str, float] = {}
        self._said: dict[str, list[str]] = defaultdict(list)
        self._faults: dict[str, tuple[Fault, ...]] = {}
        self._look_for_room_s = time.monotonic() + _ROOM_EVERY_S
        self._rules_changed = False
        self._orders = Orders()
        for desk in desks.values():
            self._tell_begin(desk)

    def _now_ms(self, table: str) -> int:
        return self._clocks.get(table, self._clock).now_ms()

    def room_again(self) -> bool:
        """Opens the tables that a full disk kept closed, once there is room. True when one was opened: then everything must
        be heard anew from where the journals end, see `hear`."""
        now_s = time.monotonic()
        if now_s < self._look_for_room_s:
            return False
        self._look_for_room_s = now_s + _ROOM_EVERY_S
        opened = [desk for table, desk in self._desks.items() if desk.crowded_out and desk.open(self._now_ms(table))]
        for desk in opened:
            self._tell_begin(desk)
        return bool(opened)

    def rules_changed(self) -> bool:
        """Whether a table has begun another journal under other rules since this was asked last: then everything must be heard
        anew, see `hear`."""
        changed, self._rules_changed = self._rules_changed, False
        return changed

    def hear(self, node: EngineNode) -> None:
        """Goes on with another end of the wire."""
        self.node, self._up = node, False
        self._held.clear()
        for table, desk in self._desks.items():
            desk.news.state = True
            self._tell_alerts(table, desk)

    def _tell_begin(self, desk: Desk) -> None:
        """What the journal had told before we came."""
        table = desk.settings.id
        self._tell_alerts(table, desk)
        for alert in desk.told:
            open_ = alert.state in ("open", "acknowledged")
            ended = AlertEnded(before=alert, after=alert, reason=alert.reason)
            self._hub.publish_alert(table, AlertRaised(after=alert) if open_ else ended)

    def round(self, timeout_s: float) -> None:
        """Takes what has come, journals, folds, acknowledges, tells."""
        batch = self.node.poll(timeout_s)
        by_table: dict[str, list[Received]] = defaultdict(list)
        for received in batch:
            by_table[received.table].append(received)
        for table, desk in self._desks.items():
            came = by_table.get(table, [])
            now_ms, now_s = self._now_ms(table), time.monotonic()
            events = [event for one in came if (event := self._event(desk, one, now_ms, now_s))]
            events += self._gone(desk, now_ms, now_s)
            if came or events or desk.behind:
                self._take(desk, came, events, now_ms)
            self._grant(desk, came, now_ms)
        self._orders.give(self.node, self._hub.orders())
        self._orders.hear(batch)
        for asked in self._hub.wishes():
            asked.answer.set_result(self._desks[asked.table].act(asked.wish, self._now_ms(asked.table)))
        for chosen in self._hub.choices():
            chosen.answer.set_result(self._change_rules(chosen))
        self.tell()

    def _change_rules(self, chosen: Chosen) -> Answer:
        desk = self._desks[chosen.table]
        answer = desk.choose_rules(chosen.ruleset, chosen.by, self._now_ms(chosen.table))
        if answer.ok:
            self._held.pop(chosen.table, None)
            desk.lay_evidence_aside()
            self._hub.begin_anew(chosen.table)
            self._tell_begin(desk)
            self._rules_changed = True
        return answer

    def _grant(self, desk: Desk, came: Sequence[Received], now_ms: int) -> None:
        """Acts asked for over the wire."""
        for received in came:
            if isinstance(received, Wished):
                wish = received.wish
                answer = desk.act(wish, now_ms) if wish else Answer(ok=False, error=received.error)
                self.node.respond(received.table, received.transaction, answer)

    def _take(self, desk: Desk, came: Sequence[Received], events: Sequence[Event], now_ms: int) -> None:
        table = desk.settings.id
        self._held[table] += came
        if desk.take(events, now_ms):
            self.node.acknowledge(self._held.pop(table, []))
        elif desk.closed:
            self._held.pop(table, None)

    def _gone(self, desk: Desk, now_ms: int, now_s: float) -> list[Event]:
        """Sources that need not be waited for any longer."""
        sources = desk.engine.merge.sources
        if not self._up:
            return []
        return [
            SourcePresence(src=src, boot=sources[src].boot, online=False, why=why, at_ms=now_ms)
            for src, why in self._vigils[desk.settings.id].gone(sources, now_s)
        ]

    def _event(self, desk: Desk, received: Received, now_ms: int, now_s: float) -> Event | None:
        vigil = self._vigils[desk.settings.id]
        match received:
            case Observed(src=src, envelope=envelope, secret=secret):
                vigil.hear(src, now_s)
                if isinstance(envelope.data, HandFaces | TagSeen) and not secret:
                    says = f"{src} tells concealed hands where everybody reads them; update that sensor or take it off"
                    desk.raise_fault(f"open {src}", says, now_ms, src)
                return envelope
            case Presence(src=src, boot=boot, online=online, trouble=trouble):
                code = f"node {src}"
                if trouble:
                    desk.raise_fault(code, "; ".join(trouble), now_ms, src)
                else:
                    desk.lift_fault(code)
                vigil.hear(src, now_s, spoke=False)
                if desk.waits_for(src) == online or (not online and vigil.awaits(src)):
                    return None
                return SourcePresence(src=src, boot=boot, online=online, at_ms=now_ms)
            case Birth(info=info):
                vigil.born(info)
            case Unreadable(src=src, fault=fault):
                desk.raise_fault(f"unreadable {src}", fault.says, now_ms, src)
            case Gap(src=src, expected=expected, seen=seen, state="open"):
                says = f"messages {expected} to {seen} of {src} are missing and were asked for again"
                desk.raise_fault(f"gap {src}", says, now_ms, src)
            case Gap(src=src):
                desk.lift_fault(f"gap {src}")
            case Connection(up=True):
                self._up = True
                vigil.forgive(now_s, desk.engine.merge.sources)
                desk.lift_fault("broker")
            case Connection(says=says):
                self._up = False
                desk.raise_fault("broker", says, now_ms)
            case _:
                pass
        return None

    def tell(self, *, at_once: bool = False) -> None:
        """Tells the world the news of every table: moves and alerts at once, the whole picture ten times a second."""
        now_s = time.monotonic()
        for table, desk in self._desks.items():
            now_ms = self._now_ms(table)
            desk.lift_older("unreadable", now_ms - _UNREADABLE_SHOWN_MS)
            self._look_at_clock(desk, now_ms)
            news = desk.tell_news()
            self._tell_moves(table, desk, news)
            if not (news.state or self._said[table]):
                continue
            if at_once or now_s - self._pictured_s.get(table, 0.0) >= _PICTURE_EVERY_S:
                self._pictured_s[table] = now_s
                self._tell_picture(table, desk)
            else:
                desk.news.state = True

    def _look_at_clock(self, desk: Desk, now_ms: int) -> None:
        if back_ms := self._clock.set_back_ms if isinstance(self._clock, SystemClock) else 0:
            says = f"this computer's clock was set back by {back_ms / 1000:.0f} s; times go on as they were until Jantaku is started anew"
            desk.raise_fault("clock", f"{says}; let one service set the clock (NTP)", now_ms)
        else:
            desk.lift_fault("clock")

    def _tell_moves(self, table: str, desk: Desk, news: News) -> None:
        for seq, action in news.actions:
            self.node.publish_action(table, seq, action)
        for change in news.changes:
            self.node.publish_alert(table, change)
            self._hub.publish_alert(table, change)
            if isinstance(change, AlertRaised):
                self._ask_for_pictures(desk, change.after)
        if news.changes:
            self._tell_alerts(table, desk)
        self._said[table] += news.said

    def _ask_for_pictures(self, desk: Desk, alert: Alert) -> None:
        """Has every camera of the table keep what it saw around an alert, for the referee."""
        for camera in desk.settings.cameras:
            before_ms = min(_BEFORE_MS, round(camera.evidence_seconds * 600))
            asked: dict[str, JsonValue] = {
                "key": alert.id,
                "at_ms": alert.at_ms,
                "from_ms": alert.at_ms - before_ms,
                "to_ms": alert.at_ms + min(_AFTER_MS, round(camera.evidence_seconds * 300)),
            }
            if camera.role == "overhead" and desk.waits_for(camera.id):  # a rack camera shows hands
                self.node.command(desk.settings.id, camera.id, "evidence", asked, timeout_s=_PICTURES_S)

    def _tell_picture(self, table: str, desk: Desk) -> None:
        view = desk.view()
        self.node.publish_state(table, view.state_seq, view.at_ms, view.model_dump(mode="json"))
        for said in self._said.pop(table, None) or [""]:
            self._hub.publish_view(table, view, said)
        for part, value in desk.parts().items():
            self._hub.publish(table, part, value)
        self._hub.publish_hands(table, desk.hands())
        self._hub.publish_devices(table, desk.devices)
        self._hub.publish_faults(table, desk.faults)
        if desk.faults != self._faults[table]:
            self._tell_alerts(table, desk)

    def _tell_alerts(self, table: str, desk: Desk) -> None:
        self._faults[table] = desk.faults
        self.node.publish_alerts(table, desk.alerts, desk.faults)
