"""One hand from the tags of Tenhou's XML, with all hands visible (mjlog) or as one client saw it.

INIT seed="round,honba,sticks,die-1,die-1,indicator"; draws T U V W, discards D E F G (seat 0 to 3, tile 0..135); N who m (a
set packed in bits); REACH step 1 before the ready discard; DORA; AGARI (one per winner); RYUUKYOKU. A client is dealt `hai`
only, sees others draw nothing (`<U/>`) and their discards of the tile just drawn in small letters.
The bit layout of `m` is the one of Tenhou's published client; the tests compare it with mjai events of the same game.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, TypeVar

from table_engine.records.build import HandBuilder, ImpossibleMoveError
from table_engine.records.model import BREAKS_OFF, HandRecord, WinRecord, riichi_title
from table_engine.records.tenhou_words import LIMIT_NUMBERS, YAKU, shares
from table_engine.wire.seats import SEATS, Seat
from table_engine.wire.tiles import UNKNOWN, Tile

_T = TypeVar("_T")
Attributes = Mapping[str, str]
_MOVE = re.compile(r"([TUVWDEFGefg])(\d{0,3})")
_RED_IDS = (16, 52, 88)
ENDINGS = {
    "yao9": "nine terminals",
    "kaze4": "four winds",
    "kan4": "four kongs",
    "reach4": "four ready",
    "ron3": "triple win",
    "nm": "all terminals discarded",
}


class TenhouHand:
    """One hand while it is read. Seats are turned so that the game's first dealer is player 0."""

    def __init__(self, init: Attributes, *, reds: bool) -> None:
        self._reds = reds
        seed = numbers(init, "seed")
        self.number, self.honba, self.sticks = seed[0], seed[1], seed[2]
        self.dice = (seed[3] + 1, seed[4] + 1)
        dealer = int(init["oya"])
        self.turned = (dealer - self.number) % 4
        self.scores = self._seated([100 * n for n in numbers(init, "ten")])
        self.deltas: tuple[int, ...] | None = None
        self.final: tuple[int, ...] | None = None
        self.ura: tuple[Tile, ...] = ()
        self.shown: list[tuple[Tile, ...] | None] = []
        self.ended = ""
        self._ready: Seat | None = None
        self._ids: dict[Seat, int] = {}
        hands = [[UNKNOWN] * 13 for _ in SEATS]
        for seat in range(4):
            dealt = numbers(init, f"hai{seat}") or (numbers(init, "hai") if seat == 0 and "hai" in init else [])
            if "hai" not in init and len(dealt) != 13:
                raise ValueError(f"seat {seat} is dealt {len(dealt)} tiles")
            if dealt:
                hands[self.seat(seat)] = [self._tile(n) for n in dealt]
        self.build = HandBuilder("riichi", self.seat(dealer), hands)
        self.build.dora(self._tile(seed[5]))

    def seat(self, number: int) -> Seat:
        """Raises ValueError for a number that is no seat."""
        if number not in range(4):
            raise ValueError(f"seat {number} is not in 0..3")
        return SEATS[(number - self.turned) % 4]

    def move(self, name: str, tag: Attributes) -> None:
        """Takes one tag; tags that move nothing are passed over."""
        if found := _MOVE.fullmatch(name):
            self._tile_moved(found[1], int(found[2]) if found[2] else None)
        elif name == "N" and "m" in tag:
            self._set(self.seat(int(tag["who"])), int(tag["m"]))
        elif name == "DORA":
            self.build.dora(self._tile(int(tag["hai"])))
        elif name == "REACH" and tag.get("step") == "1":
            self._ready = self.seat(int(tag["who"]))
        elif name in ("AGARI", "RYUUKYOKU"):
            self._end(name, tag)

    def _tile_moved(self, letter: str, number: int | None) -> None:
        if letter in "TUVW":
            seat = self.seat("TUVW".index(letter))
            self._ids[seat] = -1 if number is None else number
            self.build.draw(seat, UNKNOWN if number is None else self._tile(number))
            return
        if number is None:
            raise ValueError(f"a discard <{letter}> without a tile")
        seat = self.seat("DEFG".index(letter.upper()))
        was = self._ids.pop(seat, -1)
        drawn = letter.islower() or was == number
        self.build.discard(seat, self._tile(number), sideways=self._ready == seat, drawn=drawn)
        self._ready = None

    def _end(self, name: str, tag: Attributes) -> None:
        if name == "AGARI":
            self.ended = "won"
            self._won(tag)
            self.ura = self.ura or tuple(self._tile(n) for n in numbers(tag, "doraHaiUra"))
        elif not self.ended:
            self.ended = ENDINGS.get(tag.get("type", ""), "exhaustive draw")
            shown = [tuple(self._tile(n) for n in numbers(tag, f"hai{seat}")) or None for seat in range(4)]
            self.shown = list(self._seated(shown)) if any(shown) else []
        pairs = numbers(tag, "sc")
        if len(pairs) == 8:
            after = self._seated([100 * (a + b) for a, b in zip(pairs[::2], pairs[1::2], strict=True)])
            self.deltas = tuple(a - b for a, b in zip(after, self.scores, strict=True))
        if owari := tag.get("owari", ""):
            self.final = self._seated([100 * int(n) for n in owari.split(",")[::2]])

    def _won(self, tag: Attributes) -> None:
        seat, source = self.seat(int(tag["who"])), self.seat(int(tag["fromWho"]))
        machi = int(tag["machi"])
        held = [self._tile(n) for n in numbers(tag, "hai") if n != machi]
        fu, points, limit = (*numbers(tag, "ten"), 0, 0, 0)[:3]
        yaku, yakuman = numbers(tag, "yaku"), numbers(tag, "yakuman")
        items = [(YAKU[n], han) for n, han in zip(yaku[::2], yaku[1::2], strict=True) if n < 52 or han]
        han = sum(han for _, han in items)
        changes = numbers(tag, "sc")[1::2]
        pao = int(tag["paoWho"]) if "paoWho" in tag else None
        worth = WinRecord(
            seat=seat,
            source=None if source == seat else source,
            deltas=self._seated([100 * n for n in changes]) if len(changes) == 4 else None,
            points=points,
            payments=shares(points, dealer=seat == self.build.dealer) if source == seat else (),
            fu=fu or None,
            han=None if yakuman else han,
            yakuman=len(yakuman),
            limit="counted yakuman" if limit == 5 and not yakuman else LIMIT_NUMBERS[limit],
            items=(*items, *((YAKU[n], None) for n in yakuman)),
            liable=None if pao is None else self.seat(pao),
        )
        self.build.win(seat, source, self._tile(machi), hand=held, worth=worth)

    def finish(self) -> HandRecord:
        """Raises ImpossibleMoveError when the hand holds more tiles of a kind than a set."""
        if not self.ended:
            self.build.notes.append(BREAKS_OFF)
        ending = "" if self.ended == "won" else self.ended
        return self.build.finish(
            title=riichi_title(self.number // 4, self.number % 4 + 1, self.honba, ending),
            ending=ending,
            round_wind=self.number // 4,
            honba=self.honba,
            sticks=self.sticks,
            scores=self.scores,
            deltas=self.deltas,
            dice=self.dice,
            ura=self.ura,
            shown=tuple(self.shown),
        )

    def _seated(self, values: list[_T]) -> tuple[_T, ...]:
        return tuple(values[(seat + self.turned) % 4] for seat in range(4))

    def _set(self, seat: Seat, bits: int) -> None:
        if bits & 0x4:
            first, called = divmod(bits >> 10, 3)
            base = (first // 7 * 9 + first % 7) * 4
            ids = [base + 4 * n + (bits >> (3 + 2 * n) & 3) for n in range(3)]
            self._call(seat, "chow", ids, ids[called])
        elif bits & 0x18:
            base, called = divmod(bits >> 9, 3)
            spare = base * 4 + (bits >> 5 & 3)
            if bits & 0x10:
                self.build.kong(seat, "added", self._tile(spare))
                return
            ids = [n for n in range(base * 4, base * 4 + 4) if n != spare]
            self._call(seat, "pung", ids, ids[called])
        elif bits & 0x20:
            raise ValueError("a north set aside, which only three-player games have")
        else:
            called = bits >> 8
            base = called // 4 * 4
            if bits & 0x3:
                self._call(seat, "kong", list(range(base, base + 4)), called)
            else:
                self.build.kong(seat, "concealed", self._tile(called))

    def _call(self, seat: Seat, call: Literal["chow", "pung", "kong"], ids: list[int], called: int) -> None:
        if self.build.offer is None or self.build.offer[1] != self._tile(called):
            raise ImpossibleMoveError(f"seat {int(seat)} calls {self._tile(called)}, which does not lie open")
        self.build.call(seat, call, [self._tile(n) for n in ids if n != called])

    def _tile(self, number: int) -> Tile:
        if not 0 <= number < 136:
            raise ValueError(f"tile number {number} is not in 0..135")
        suit, rank = divmod(number // 4, 9)
        if self._reds and number in _RED_IDS:
            return Tile("0" + "mps"[suit])
        return Tile(f"{rank + 1}{'mpsz'[suit]}")


def numbers(tag: Attributes, key: str) -> list[int]:
    """A comma-separated attribute as whole numbers (Tenhou writes fractions only in `owari`)."""
    value = tag.get(key, "")
    return [int(part) for part in value.split(",")] if value else []
