"""One table of the running engine: its journal, its fold, and what is still to be told about it. No wire, no clock.

The order is always: journal, then state, then the world. A desk that fails keeps its fault on show and takes part no
more; it never raises into the loop over all tables. One that a full disk kept from opening is opened by `open` later.
"""

from __future__ import annotations

import contextlib
import logging
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from table_engine import agreement
from table_engine.account import clocks_view, ledger_view, moves_view, result_view, rulings
from table_engine.assignment import choose, in_force
from table_engine.engine import Engine, Outputs, begin, refusal, step
from table_engine.events import Event, SourcePresence
from table_engine.hands import hands
from table_engine.journal import Journal, JournalFullError
from table_engine.portrait import portrait, public
from table_engine.rules import RuleSet, load_ruleset
from table_engine.tags import TagHands, load_tags
from table_engine.wire.actions import Action, ClockRan, HandEnded, HandStarted, WinShown
from table_engine.wire.acts import Answer, RefereeAct, SeatPlayers, Wish
from table_engine.wire.alerts import Alert, AlertChange, Fault
from table_engine.wire.errors import RecordError, SettingsError
from table_engine.wire.hands import HandsView
from table_engine.wire.messages import Position
from table_engine.wire.observations import Envelope, HandFaces, Health, TagSeen, Wired
from table_engine.wire.seats import Seat
from table_engine.wire.settings import TableSettings
from table_engine.wire.view import TableView
from table_engine.words import words

_log = logging.getLogger(__name__)
FULL, DAMAGED = "disk_full", "journal"
_PARTS: dict[str, Callable[[Engine, RuleSet], Wired]] = {
    "clocks": clocks_view,
    "ledger": ledger_view,
    "moves": moves_view,
    "docket": rulings,
    "result": result_view,
}
_COUNTED = (HandStarted, HandEnded, WinShown, ClockRan)


@dataclass(slots=True)
class News:
    """What has to be told since it was asked for last."""

    actions: list[tuple[int, Action]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    changes: list[AlertChange] = field(default_factory=list)
    state: bool = False


class Desk:
    """Follows one table. Use from one thread."""

    def __init__(self, settings: TableSettings, path: Path) -> None:
        """Opens the journal and folds it, as `open` does.

        Raises SettingsError when the rule set or its overrides are wrong, or not those the journal was begun with."""
        self._site_settings = settings
        self._path = path
        self._play_by(in_force(settings, path.parent))
        self._tags = load_tags(settings.tags) if settings.tags else {}
        self._journal: Journal | None = None
        self._begin()
        self.open(0)

    def _begin(self) -> None:
        """Knows nothing yet."""
        self.engine = begin(self.settings.id, told=True)
        self.news = News(state=True)
        self._whys: dict[str, str] = {}
        self._faults: dict[str, Fault] = {}
        self._waiting: list[Event] = []
        self._stale: set[str] = set(_PARTS)
        self._faces: dict[Seat, HandFaces] = {}
        self._tagged = TagHands(self._tags)
        self._devices: dict[str, Health] = {}

    def _play_by(self, settings: TableSettings) -> None:
        self.settings = settings
        self.rules = load_ruleset(settings.ruleset, settings.overrides)

    def choose_rules(self, ruleset: str, by: str, now_ms: int) -> Answer:
        """Plays by other rules from the next match on: the journal is laid aside and another one begun, in which the players sit
        as before. Refused while a hand or a match goes on, an alert waits, or the choice cannot be kept."""
        if why := self._bound():
            return Answer(ok=False, error=f"table {self.settings.id}: {why}")
        journal, ledger = self._journal, self.engine.match.ledger
        if journal is None:
            return Answer(ok=False, error=f"the rules cannot be changed: {self._no_journal}")
        try:
            load_ruleset(ruleset)
            agreement.keep(self._path, journal.boot, agreement.count(self.told))
            kept = journal.lay_aside()
            self._play_by(choose(self._site_settings, self._path.parent, ruleset))
        except (SettingsError, RecordError) as error:
            if journal.closed:
                self.open(now_ms)
            return Answer(ok=False, error=str(error))
        _log.info(
            "%s: %s from now on, by %s; played so far: %s", self.settings.id, ruleset, by or "?", kept or "nothing"
        )
        opened = self.open(now_ms)
        if opened and any(ledger.names):
            seated = SeatPlayers(names=ledger.names, substitutes=ledger.substitutes)
            return self.act(Wish(by=by, role="operator", did=seated), now_ms)
        return Answer(ok=opened, error="" if opened else self._no_journal)

    def lay_evidence_aside(self) -> None:
        """Alerts are counted from the first hand again: their pictures must not be mistaken for those of a journal before."""
        pictures = self._path.parents[1] / "evidence" / self.settings.id
        with contextlib.suppress(FileNotFoundError):
            pictures.rename(pictures.with_name(f"{self.settings.id}.{self.boot}"))

    def _bound(self) -> str:
        """Why the rules cannot be changed now; empty when they can."""
        if self.engine.game.running:
            return "a hand is being played; rules change between two matches: let the hand end, then end the match"
        account = ledger_view(self.engine, self.rules)
        if account.hands and not account.over:
            return "the match is not over; end it, then change the rules"
        if waiting := len([a for a in self.told if a.state in ("open", "acknowledged") or a.appeal == "open"]):
            return f"{waiting} alert{'s wait' if waiting > 1 else ' waits'} for a ruling; rule on every one, then change the rules"
        return ""

    def open(self, now_ms: int) -> bool:
        """Opens the journal and folds it from its beginning. False when it cannot be used: the desk is `closed` then, with a
        fault, and `crowded_out` when more room on the disk may help.

        Raises SettingsError when the journal was begun under other rules."""
        try:
            journal = Journal(self._path, self.settings.id, self.settings.ruleset, self.settings.overrides)
        except RecordError as error:
            return self._not_journalled(error, now_ms)
        self._begin()
        self._journal = journal
        try:
            for event in journal.events():
                self._fold(event)
        except RecordError as error:
            return self._not_journalled(error, now_ms)
        self.news = News(state=True)
        return True

    @property
    def closed(self) -> bool:
        """No journal, no game: nothing is taken."""
        return self._journal is None

    @property
    def crowded_out(self) -> bool:
        """It could not be opened because the disk was full."""
        return self.closed and FULL in self._faults

    @property
    def boot(self) -> int:
        return self._journal.boot if self._journal else 0

    @property
    def behind(self) -> bool:
        """Something could not be journalled yet; it is kept and tried again with the next batch."""
        return bool(self._waiting)

    def positions(self) -> Mapping[str, Position]:
        return self._journal.positions() if self._journal else {}

    def take(self, events: Iterable[Event], now_ms: int) -> bool:
        """Journals and folds a batch. True when all that was ever given is on disk and may be acknowledged."""
        self._waiting += events
        if self._journal is None:
            self._waiting.clear()
            return False
        if not self._waiting:
            return True
        try:
            new = self._journal.append(self._waiting)
        except RecordError as error:
            return self._not_journalled(error, now_ms)
        self._waiting.clear()
        self.lift_fault(FULL)
        for event in new:
            self._fold(event)
        return True

    def act(self, wish: Wish, now_ms: int) -> Answer:
        """Carries out what a referee or operator wishes: journalled, then folded. One that was taken before is taken once."""
        ident = wish.id or uuid.uuid4().hex
        act = RefereeAct(id=ident, by=wish.by, role=wish.role, at_ms=now_ms, did=wish.did)
        if self.closed:
            return Answer(ok=False, id=ident, error=f"the act could not be journalled: {self._no_journal}")
        if self.engine.history.act(ident):
            return Answer(ok=True, id=ident)
        try:
            reason = refusal(self.engine, act, self.rules)
        except Exception as trouble:  # noqa: BLE001 - a mistake of ours must not end the engine of all tables
            _log.exception("%s: the act %s could not be looked at", self.settings.id, act)
            reason = f"the engine stumbled over it ({trouble}); please report it"
        if reason:
            return Answer(ok=False, id=ident, error=reason)
        if self.take((act,), now_ms):
            followed = self.engine.history.act(ident) is not None
            error = "" if followed else "the engine could not follow it; see the faults of the table, and report it"
            return Answer(ok=followed, id=ident, error=error)
        why = self._no_journal if self.closed else "it is kept and counts as soon as the journal can be written"
        return Answer(ok=False, id=ident, error=f"the act could not be journalled: {why}")

    @property
    def _no_journal(self) -> str:
        return (self._faults.get(DAMAGED) or self._faults[FULL]).says

    def parts(self) -> dict[str, Wired]:
        """What is counted of the table and has changed since this was asked last, by name: clocks, ledger, moves of the
        running hand, docket."""
        stale, self._stale = self._stale, set()
        return {part: _PARTS[part](self.engine, self.rules) for part in sorted(stale)}

    def hands(self) -> HandsView:
        """The concealed hands: for the pages' keys that have the right, never for the wire."""
        return hands(self._faces, self.engine.game, self.rules)

    @property
    def devices(self) -> Mapping[str, Health]:
        """What every source said about itself last."""
        return self._devices

    @property
    def told(self) -> tuple[Alert, ...]:
        """Every alert of the journal's matches, whatever became of it, oldest first."""
        return (*self.engine.retracted, *self.engine.docket.told)

    def raise_fault(self, code: str, says: str, since_ms: int, source: str = "engine") -> None:
        """Shows a trouble of equipment until it is lifted."""
        if self._show(code, says, since_ms, source):
            _log.warning("%s: %s", self.settings.id, says)

    def _show(self, code: str, says: str, since_ms: int, source: str) -> bool:
        """Whether it is news."""
        old = self._faults.get(code)
        if old is not None and old.says == says:
            return False
        self._faults[code] = Fault(source=source, code=code, says=says, since_ms=since_ms)
        self.news.state = True
        return True

    def lift_fault(self, code: str) -> None:
        if self._faults.pop(code, None):
            self.news.state = True

    def lift_older(self, code_prefix: str, before_ms: int) -> None:
        """Lets go of faults of this sort that were seen before a moment."""
        for code, fault in list(self._faults.items()):
            if code.startswith(code_prefix) and fault.since_ms < before_ms:
                self.lift_fault(code)

    def tell_news(self) -> News:
        """What is to be told now; asked again it begins anew."""
        news, self.news = self.news, News()
        return news

    def view(self) -> TableView:
        """The public picture."""
        seated = self.engine.match.ledger.names
        return portrait(self.engine, self.rules, seated if any(seated) else self.settings.players, self.sensors)

    def waits_for(self, src: str) -> bool:
        """The source is known to be there."""
        source = self.engine.merge.sources.get(src)
        return source is not None and source.online

    @property
    def sensors(self) -> dict[str, str]:
        """The state of every source in words."""
        sources = self.engine.merge.sources
        return {src: "online" if s.online else self._whys.get(src, "offline") for src, s in sources.items()}

    @property
    def alerts(self) -> tuple[Alert, ...]:
        return self.engine.docket.open

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Troubles of the engine's surroundings and what the sensors say about themselves; what the engine therefore does
        not know is in the view."""
        return (*self._faults.values(), *self._absent())

    def _absent(self) -> Iterator[Fault]:
        """Sensors of the site file that are not there, unless the view tells of them. A closed table listens to none."""
        if self.closed:
            return
        sources, told = (
            self.engine.merge.sources,
            {fault.source for fault in self.engine.faults if fault.code == "silent"},
        )
        for src in (*(camera.id for camera in self.settings.cameras), *(bridge.id for bridge in self.settings.bridges)):
            source = sources.get(src)
            if src in told or f"health {src}" in self._faults or (source is not None and source.online):
                continue
            why = "has never been heard" if source is None else self._whys.get(src, "offline")
            says = why if ";" in why else f"{why}; does its process run and reach the broker?"
            yield Fault(source=src, code=f"absent {src}", says=says, since_ms=0)

    def _note_health(self, envelope: Envelope, health: Health) -> None:
        code = f"health {envelope.src}"
        if health.state == "ok" and not health.degraded:
            self.lift_fault(code)
        else:
            self._show(code, "; ".join(health.degraded) or health.state, envelope.at_ms, envelope.src)

    def close(self) -> None:
        if self._journal:
            self._journal.close()

    def _fold(self, event: Event) -> None:
        if isinstance(event, SourcePresence):
            self._whys[event.src] = event.why or "offline"
            self.news.state = True
        elif isinstance(event, Envelope) and isinstance(event.data, Health):
            self._devices[event.src] = event.data
            self._note_health(event, event.data)
        elif isinstance(event, Envelope) and isinstance(event.data, HandFaces):
            self._faces[event.data.seat] = event.data
            self.news.state = True
        elif isinstance(event, Envelope) and isinstance(event.data, TagSeen) and self._tags:
            self._tagged.see(event.data)
            self._faces |= self._tagged.hands()
            self.news.state = True
        self.engine, outputs = step(self.engine, event, self.rules)
        for stumble in outputs.stumbles:
            _log.error("%s: %s could not be followed", self.settings.id, stumble.envelope, exc_info=stumble.error)
        self._note(self.engine, outputs)

    def _note(self, engine: Engine, outputs: Outputs) -> None:
        if outputs.nothing:
            return
        self.news.actions += ((seq, public(action, self.rules)) for seq, action in outputs.actions)
        self.news.said += (words(action, engine.game, self.rules) for _, action in outputs.actions)
        self.news.changes += outputs.changes
        self.news.state = True
        if any(isinstance(action, HandStarted) for _, action in outputs.actions):
            self._faces = self._tagged.hands()
        self._stale.add("clocks")
        if outputs.actions or outputs.act:
            self._stale.add("moves")
        if outputs.act or outputs.changes or any(isinstance(a, _COUNTED) for _, a in outputs.actions):
            self._stale |= {"ledger", "docket", "result"}

    def _not_journalled(self, error: RecordError, now_ms: int) -> bool:
        """A full disk is waited out, with a fault; a journal that cannot be used closes the table. Always False."""
        if isinstance(error, JournalFullError):
            self.raise_fault(FULL, str(error), now_ms)
        else:
            self._fail(error, now_ms)
        return False

    def _fail(self, error: RecordError, now_ms: int) -> None:
        if self._journal:
            self._journal.close()
            self._journal = None
        self._waiting.clear()
        self.lift_fault(FULL)
        self.raise_fault(DAMAGED, str(error), now_ms)
