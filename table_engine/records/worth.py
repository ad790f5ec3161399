"""What the wins of a hand are worth: as its record tells, else as our own scoring sees them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from table_engine.records.model import HandRecord, WinRecord
from table_engine.records.tenhou_words import shares
from table_engine.scoring import Context, Hand, NoWin, Score, score
from table_engine.scoring.chinese import MissingFanError
from table_engine.state import Meld
from table_engine.wire.actions import Action, Called, Discarded, DoraShown, Drew, FlowersShown, Konged, WinShown
from table_engine.wire.seats import WINDS, Seat
from table_engine.wire.tiles import UNKNOWN, Tile, kind

_YAKUMAN_HAN = 13


def worths(record: HandRecord) -> list[WinRecord]:
    """One for each win shown. A win that nobody can score (tiles unknown, no valid win) has no items."""
    wins = [move for move in record.moves if isinstance(move, WinShown)]
    told = list(record.wins) if len(record.wins) == len(wins) else [WinRecord(win.seat, win.source) for win in wins]
    if record.ruleset not in ("riichi", "chinese_official") or all(win.items and win.points for win in told):
        return told
    course = _Course(record)
    out: list[WinRecord] = []
    for move in record.moves:
        if isinstance(move, WinShown):
            known = told[len(out)]
            out.append(known if known.items and (known.points or known.fan) else _scored(course, move, known))
        course.take(move)
    return out


def _scored(course: _Course, win: WinShown, told: WinRecord) -> WinRecord:
    if UNKNOWN in (*win.hand, win.tile):
        return told
    record = course.record
    hand = Hand(win.hand, win.tile, tuple(course.melds[win.seat]), tuple(course.flowers[win.seat]))
    try:
        outcome = score(hand, course.context(win), record.rules())
    except MissingFanError:  # without that library fan cannot be counted, and a record does without them
        return told
    if isinstance(outcome, NoWin):
        return told
    return _told(outcome, win, record)


def _told(outcome: Score, win: WinShown, record: HandRecord) -> WinRecord:
    if record.ruleset == "chinese_official":
        items = tuple((item.name, item.value) for item in outcome.items)
        return WinRecord(win.seat, win.source, deltas=outcome.payments, items=items, fan=outcome.total)
    yakuman = "yakuman" in outcome.limit and "kazoe" not in outcome.limit
    limit = "yakuman" if yakuman else "counted yakuman" if "yakuman" in outcome.limit else outcome.limit
    return WinRecord(
        seat=win.seat,
        source=win.source,
        deltas=outcome.payments,
        points=outcome.points,
        payments=shares(outcome.points, dealer=win.seat == record.dealer) if win.source is None else (),
        fu=outcome.fu or None,
        han=None if yakuman else outcome.total,
        yakuman=max(1, outcome.total // _YAKUMAN_HAN) if yakuman else 0,
        limit=limit if limit in ("mangan", "haneman", "baiman", "sanbaiman", "counted yakuman", "yakuman") else "",
        items=tuple((item.name, None if yakuman else item.value) for item in outcome.items),
    )


@dataclass(slots=True)
class _Course:
    """What has happened in a hand so far, as far as a win's worth depends on it."""

    record: HandRecord
    melds: list[list[Meld]] = field(default_factory=lambda: [[], [], [], []])
    flowers: list[list[Tile]] = field(default_factory=lambda: [[], [], [], []])
    dora: list[Tile] = field(default_factory=list)
    ready: dict[Seat, bool] = field(default_factory=dict)
    """Who has declared ready, and whether with the first discard before any call."""
    fresh: set[Seat] = field(default_factory=set)
    """Whose ready declaration is less than a go-round and no call ago."""
    before: set[Seat] = field(default_factory=set)
    """`fresh` as it was before the last interruption: robbing a kong comes before the kong counts."""
    discarded: set[Seat] = field(default_factory=set)
    called: bool = False
    draws: int = 0
    last: Action | None = None

    def take(self, move: Action) -> None:
        match move:
            case Drew():
                self.draws += 1
            case Discarded(seat=seat, sideways=sideways):
                self.fresh.discard(seat)
                if sideways:
                    self.ready[seat] = not self.called and seat not in self.discarded
                    self.fresh.add(seat)
                self.discarded.add(seat)
            case Called(seat=seat, call=call, tile=tile, source=source, tiles=tiles):
                self._interrupted()
                self.melds[seat].append(Meld(call, tiles, tile, source))
            case Konged(seat=seat, kong="added", tile=tile):
                self._interrupted()
                self.melds[seat] = [_with(meld, tile) for meld in self.melds[seat]]
            case Konged(seat=seat, tile=tile):
                self._interrupted()
                self.melds[seat].append(Meld("concealed", self._four(seat, tile)))
            case FlowersShown(seat=seat, tiles=tiles):
                self.flowers[seat] += tiles
            case DoraShown(tile=tile):
                self.dora.append(tile)
            case _:
                pass
        if not isinstance(move, DoraShown | WinShown):
            self.last = move

    def context(self, win: WinShown) -> Context:
        rules, record, seat = self.record.rules(), self.record, win.seat
        dealt = 4 * rules.set.hand + 1
        left = rules.set.tiles - dealt - self.draws - rules.set.reserved
        robbing = isinstance(self.last, Konged)
        stands = not (isinstance(self.last, Discarded) and self.last.sideways and win.source is not None)
        laid = len(self.ready) - (0 if stands else 1)
        return Context(
            winner=seat,
            source=win.source,
            dealer=record.dealer,
            seat_wind=WINDS[(seat - record.dealer) % 4],
            round_wind=WINDS[record.round_wind % 4],
            ready=seat in self.ready,
            double_ready=self.ready.get(seat, False),
            one_round=seat in (self.before if robbing else self.fresh),
            last_tile=left <= 0 and not robbing,
            replacement=win.source is None and isinstance(self.last, Drew) and self.last.end == "tail",
            robbing=robbing,
            first_turn=not self.called and seat not in self.discarded,
            dora=tuple(self.dora),
            ura=record.ura if seat in self.ready else (),
            honba=record.honba,
            sticks=record.sticks + laid,
        )

    def _interrupted(self) -> None:
        self.called = True
        self.before, self.fresh = self.fresh, set()

    def _four(self, seat: Seat, tile: Tile) -> tuple[Tile, ...]:
        """The four of a concealed kong, a red five among them where the seat ever held it."""
        red = Tile("0" + tile[1])
        had = [*self.record.hands[seat], *(m.tile for m in self.record.moves if isinstance(m, Drew) and m.seat == seat)]
        return (red, tile, tile, tile) if kind(tile)[0] == "5" and red in had else (tile,) * 4


def _with(meld: Meld, tile: Tile) -> Meld:
    if meld.call == "pung" and meld.added is None and kind(meld.tiles[0]) == kind(tile):
        return replace(meld, tiles=(*meld.tiles, tile), added=tile)
    return meld
