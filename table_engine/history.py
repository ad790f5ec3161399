"""Everything that led to a match, so that the past can be amended: moves and acts by hand, each hand with the match as it
was before it. A correction or an undo folds anew from the hand it touches; what a sensor said stays as it was said.

An entry's number is the `state_seq` it was published with, and stays its name. Clocks that ran out are no entries: they
follow from time, and each entry carries how far the table's time had run when it came.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from table_engine.amend import Amendments, amended, amendments, origin, undone
from table_engine.entry import Entry
from table_engine.match import Match, acted, as_move, moved, timed
from table_engine.referee import Changes
from table_engine.rules import RuleSet
from table_engine.wire.actions import Action, Called, Discarded, HandStarted
from table_engine.wire.acts import AddMove, CorrectCall, CorrectSeat, CorrectTile, RefereeAct, RemoveMove, Undo
from table_engine.wire.alerts import Alert, AlertEnded, AlertRaised, AlertUpdated
from table_engine.wire.frozen import replace

HANDS_KEPT: Final = 40
"""So many hands back anything can be amended."""


@dataclass(frozen=True, slots=True)
class Chapter:
    """A hand's entries, from its deal on, with the match as it was before them. What came between two hands belongs to the
    one before."""

    before: Match
    entries: tuple[Entry, ...] = ()


@dataclass(frozen=True, slots=True)
class History:
    """Hands, oldest first, and the acts among their entries."""

    chapters: tuple[Chapter, ...]
    acts: tuple[Entry, ...] = ()

    def add(self, entry: Entry, before: Match) -> History:
        """The history with one more entry; a deal begins a new chapter on the match as it was `before`."""
        if isinstance(entry.what, HandStarted):
            chapters = (*self.chapters[1 - HANDS_KEPT :], Chapter(before, (entry,)))
            first = next((one.number for chapter in chapters for one in chapter.entries), 0)
            acts = self.acts if not self.acts else tuple(act for act in self.acts if act.number >= first)
            return History(chapters, acts)
        last = self.chapters[-1]
        acts = (*self.acts, entry) if isinstance(entry.what, RefereeAct) else self.acts
        return History((*self.chapters[:-1], Chapter(last.before, (*last.entries, entry))), acts)

    def find(self, number: int) -> tuple[int, Entry] | None:
        """The chapter of an entry and the entry, by its number."""
        for n in range(len(self.chapters) - 1, -1, -1):
            for entry in self.chapters[n].entries:
                if entry.number == number:
                    return n, entry
        return None

    def act(self, ident: str) -> tuple[int, Entry] | None:
        """The chapter of an act and its entry, by its id."""
        for entry in reversed(self.acts):
            if isinstance(entry.what, RefereeAct) and entry.what.id == ident:
                return self.find(entry.number)
        return None

    @property
    def amendments(self) -> Amendments:
        """What all acts together change."""
        return amendments(self.acts, self.entries)

    @property
    def entries(self) -> Iterator[Entry]:
        for chapter in self.chapters:
            yield from chapter.entries


def refold(history: History, first: int, now_ms: int, rules: RuleSet) -> tuple[History, Match]:
    """The history from a chapter on as its acts amend it, folded anew up to now."""
    changed = history.amendments
    match = history.chapters[first].before
    chapters = list(history.chapters[:first])
    for chapter in history.chapters[first:]:
        chapters.append(Chapter(match, chapter.entries))
        match = _folded(match, chapter, changed, rules)
    match, _, _ = timed(match, now_ms, rules, ())
    return History(tuple(chapters), history.acts), match


def meant(entry: Entry, history: History, rules: RuleSet) -> Entry:
    """The entry of a correction of a tile with the move that laid the tile."""
    if not isinstance(entry.what, RefereeAct) or not isinstance(entry.what.did, CorrectTile):
        return entry
    did, last = entry.what.did, history.chapters[-1]
    place = (did.seat, did.zone, did.index)
    found = origin(last.entries, last.before.game, history.amendments, place, rules)
    return replace(entry, target=found[0], offset=found[1]) if found else entry


def touched(history: History, entry: Entry) -> int | None:
    """The first chapter an act changes in the past; None for one that only changes what is now."""
    if not isinstance(entry.what, RefereeAct):
        return None
    number: int | None = None
    match entry.what.did:
        case Undo(of=of):
            return _undo_reaches(history, of)
        case CorrectTile():
            number = entry.target
        case CorrectSeat(move=move) | CorrectCall(move=move) | RemoveMove(move=move):
            number = move
        case AddMove(after=after):
            number = after
        case _:
            pass
    found = None if number is None else history.find(number)
    return found[0] if found else None


def _undo_reaches(history: History, of: str) -> int | None:
    """An undone act changes what it had changed, from the earlier of its own place and that of what it amended."""
    found = history.act(of)
    if found is None:
        return None
    chapter, entry = found
    reached = touched(history, entry)
    return chapter if reached is None else min(chapter, reached)


def removed_signs(history: History) -> frozenset[str]:
    """The observations behind moves that a person said never happened."""
    gone = undone(history.acts)
    signs: set[str] = set()
    for entry in history.acts:
        if isinstance(entry.what, RefereeAct) and isinstance(entry.what.did, RemoveMove) and entry.what.id not in gone:
            found = history.find(entry.what.did.move)
            if found and not isinstance(found[1].what, RefereeAct):
                signs.update(found[1].what.evidence)
    return frozenset(signs)


def moves(history: History, *, last_only: bool = False) -> Iterator[tuple[int, Action]]:
    """The moves that count, with their numbers, in order; of the running hand only, where so wished."""
    changed = history.amendments
    for chapter in history.chapters[-1:] if last_only else history.chapters:
        for entry in amended(chapter.entries, changed):
            if isinstance(entry.what, RefereeAct):
                move = as_move(entry.what)
                if move is not None:
                    yield entry.number, move
            else:
                yield entry.number, entry.what


def _folded(match: Match, chapter: Chapter, changed: Amendments, rules: RuleSet) -> Match:
    for entry in amended(chapter.entries, changed):
        match = _one(match, entry, rules)
    return match


def _one(match: Match, entry: Entry, rules: RuleSet) -> Match:
    match, _, _ = timed(match, entry.time_ms, rules, entry.degraded, clocks_ms=_until(entry))
    match what := entry.what:
        case RefereeAct():
            move = as_move(what)
            if move is None:
                return acted(match, what, rules)[0]
            return moved(match, move, rules, entry.degraded)[0]
        case _:
            return moved(match, what, rules, entry.degraded)[0]


def _until(entry: Entry) -> int:
    """How far time had run before an entry; a move that ended a turn in time was told late at worst."""
    if isinstance(entry.what, Discarded | Called):
        return min(entry.time_ms, entry.what.at_ms)
    return entry.time_ms


def differences(old: Match, new: Match, because: str) -> Changes:
    """What has to be told of the alerts after the past was amended: those that no longer hold are taken back visibly."""
    before = {alert.id: alert for alert in old.docket.told}
    after = {alert.id: alert for alert in new.docket.told}
    changes: list[AlertRaised | AlertUpdated | AlertEnded] = []
    for ident, alert in before.items():
        if ident not in after and alert.state != "withdrawn":
            gone = alert.model_copy(update={"state": "withdrawn", "reason": because})
            changes.append(AlertEnded(before=alert, after=gone, reason=because))
    for ident, alert in after.items():
        was = before.get(ident)
        if was == alert:
            continue
        live, was_live = _live(alert), was is not None and _live(was)
        if live and not was_live:
            changes.append(AlertRaised(after=alert))
        elif live and was is not None:
            changes.append(AlertUpdated(before=was, after=alert))
        elif was is None:
            changes.append(AlertRaised(after=alert.model_copy(update={"state": "open"})))
            changes.append(AlertEnded(before=alert, after=alert, reason=alert.reason))
        else:
            changes.append(AlertEnded(before=was, after=alert, reason=alert.reason or because))
    return tuple(changes)


def _live(alert: Alert) -> bool:
    return alert.state in ("open", "acknowledged")
