"""The tags of Tenhou's XML, folded into the hands of one game."""

from __future__ import annotations

from urllib.parse import unquote

from table_engine.records.build import ImpossibleMoveError, wrong_with
from table_engine.records.chain import game_of_hands
from table_engine.records.model import GameRecord, HandRecord
from table_engine.records.tenhou_hand import Attributes, TenhouHand
from table_engine.wire.errors import RecordError
from table_engine.wire.seats import SEATS

_NO_REDS, _THREE_PLAYERS = 0x02, 0x10


class TenhouGame:
    """One game while it is read. `notes` may be added to."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.notes: list[str] = []
        self._hands: list[HandRecord] = []
        self._names: tuple[str, ...] = ("", "", "", "")
        self._final: tuple[int, ...] | None = None
        self._reds = True
        self._hand: TenhouHand | None = None
        self._turned = 0

    @property
    def begun(self) -> bool:
        """A hand has been dealt."""
        return bool(self._hands) or self._hand is not None

    def feed(self, name: str, tag: Attributes) -> None:
        """Takes one tag. Raises RecordError naming file and hand."""
        try:
            self._feed(name, tag)
        except (ImpossibleMoveError, KeyError, ValueError, IndexError) as error:
            where = f"hand {len(self._hands) + 1}, tag <{name}>"
            raise RecordError(f"{self.source}, {where}: {wrong_with(error)}; the file is damaged or edited") from error

    def _feed(self, name: str, tag: Attributes) -> None:
        match name:
            case "GO":
                kind_of_game = int(tag.get("type", "0"))
                if kind_of_game & _THREE_PLAYERS:
                    raise ValueError("a three-player game; only four-player games are supported")
                self._reds = not kind_of_game & _NO_REDS
            case "UN" if tag.get("n0") is not None and not any(self._names):
                self._names = tuple(unquote(tag.get(f"n{n}", "")) for n in range(4))
            case "INIT":
                self._close()
                self._hand = TenhouHand(tag, reds=self._reds)
            case "REINIT":
                self._close()
                self.notes.append(f"the hand after hand {len(self._hands)} was joined in its middle and is left out")
            case "AGARI" | "RYUUKYOKU" if self._hand:
                self._hand.move(name, tag)
                self._final = self._hand.final or self._final
            case _ if self._hand and not self._hand.ended:
                self._hand.move(name, tag)

    def _close(self) -> None:
        if self._hand:
            hand, self._hand = self._hand, None
            self._turned = hand.turned
            self._hands.append(hand.finish())

    def finish(self) -> GameRecord | None:
        """The game; None if no hand of it is there. Raises RecordError for an impossible last hand."""
        try:
            self._close()
        except ImpossibleMoveError as error:
            where = f"{self.source}, hand {len(self._hands) + 1}"
            raise RecordError(f"{where}: {error}; the file is damaged or edited") from error
        if not self._hands:
            return None
        names = tuple(self._names[seat.step(self._turned)] for seat in SEATS)
        return game_of_hands(self.source, self._hands, names=names, final=self._final, notes=self.notes)
