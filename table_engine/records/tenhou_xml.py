"""Tenhou's mjlog XML with all four hands visible → game records.

Tags: INIT seed="round,honba,sticks,die-1,die-1,indicator"; draws T U V W, discards D E F G (seat 0 to 3, tile 0..135);
N who m (a set packed in bits); REACH step 1 before the ready discard; DORA; AGARI (one per winner); RYUUKYOKU.
The bit layout of `m` is the one of Tenhou's published client; the tests compare it with mjai events of the same game.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal
from urllib.parse import unquote
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

from table_engine.records.build import HandBuilder, ImpossibleMoveError
from table_engine.records.model import GameRecord, HandRecord
from table_engine.wire.errors import RecordError
from table_engine.wire.seats import SEATS, WINDS, Seat
from table_engine.wire.tiles import Tile

_MOVE = re.compile(r"([TUVWDEFG])(\d{1,3})")
_RED_IDS = (16, 52, 88)
_NO_REDS, _THREE_PLAYERS = 0x02, 0x10
_ENDINGS = {
    "yao9": "nine terminals",
    "kaze4": "four winds",
    "kan4": "four kongs",
    "reach4": "four ready",
    "ron3": "triple win",
    "nm": "all terminals discarded",
}


def recognises(head: str) -> bool:
    return "<mjloggm" in head


def read(text: str, source: str) -> Iterator[GameRecord]:
    """The one game of a file. Raises RecordError naming file and hand."""
    try:
        root = fromstring(text)
    except (ParseError, DefusedXmlException) as error:
        raise RecordError(f"{source}: not valid XML: {error}") from error
    if root.tag != "mjloggm":
        raise RecordError(f"{source}: XML with root <{root.tag}>, expected Tenhou's <mjloggm>")
    reader = _Reader(source)
    for tag in root:
        reader.feed(tag)
    reader.close()
    if not reader.hands:
        raise RecordError(f"{source}: no hand in it (no INIT tag)")
    yield GameRecord(source=source, ruleset="riichi", hands=tuple(reader.hands), names=reader.names)


class _Reader:
    """Folds the tags of one file into hands."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.hands: list[HandRecord] = []
        self.names: tuple[str, ...] = ("", "", "", "")
        self._reds = True
        self._hand: _Hand | None = None

    def feed(self, tag: Element) -> None:
        try:
            self._feed(tag)
        except (ImpossibleMoveError, KeyError, ValueError, IndexError) as error:
            where = f"hand {len(self.hands) + 1}, tag <{tag.tag}>"
            raise RecordError(f"{self.source}, {where}: {error}; the file is damaged or edited") from error

    def _feed(self, tag: Element) -> None:
        match tag.tag:
            case "GO":
                kind_of_game = int(tag.get("type", "0"))
                if kind_of_game & _THREE_PLAYERS:
                    raise ValueError("a three-player game; only four-player games are supported")
                self._reds = not kind_of_game & _NO_REDS
            case "UN" if tag.get("n0") is not None and not any(self.names):
                self.names = tuple(unquote(tag.get(f"n{n}", "")) for n in range(4))
            case "INIT":
                self.close()
                self._hand = _Hand(tag, reds=self._reds)
            case "AGARI" | "RYUUKYOKU" if self._hand:
                self._hand.end(tag)
            case _ if self._hand:
                if self._hand.ended:
                    return
                self._hand.move(tag)

    def close(self) -> None:
        if self._hand:
            hand, self._hand = self._hand, None
            try:
                self.hands.append(hand.finish())
            except ImpossibleMoveError as error:
                where = f"{self.source}, hand {len(self.hands) + 1}"
                raise RecordError(f"{where}: {error}; the file is damaged or edited") from error


class _Hand:
    """One hand while it is read."""

    def __init__(self, init: Element, *, reds: bool) -> None:
        self._reds = reds
        seed = _numbers(init, "seed")
        self.number, self.honba, self.sticks = seed[0], seed[1], seed[2]
        self.dice = (seed[3] + 1, seed[4] + 1)
        self.scores = tuple(100 * n for n in _numbers(init, "ten"))
        self.deltas: tuple[int, ...] | None = None
        self.ura: tuple[Tile, ...] = ()
        self.ended = ""
        self._ready: Seat | None = None
        hands = [[self._tile(n) for n in _numbers(init, f"hai{seat}")] for seat in range(4)]
        for seat, hand in enumerate(hands):
            if len(hand) != 13:
                raise ValueError(f"seat {seat} is dealt {len(hand)} tiles")
        self.build = HandBuilder("riichi", Seat(int(init.attrib["oya"])), hands)
        self.build.dora(self._tile(seed[5]))

    def move(self, tag: Element) -> None:
        if found := _MOVE.fullmatch(tag.tag):
            letter, tile = found[1], self._tile(int(found[2]))
            if letter in "TUVW":
                self.build.draw(SEATS["TUVW".index(letter)], tile)
            else:
                seat = SEATS["DEFG".index(letter)]
                self.build.discard(seat, tile, sideways=self._ready == seat)
                self._ready = None
        elif tag.tag == "N":
            self._set(SEATS[int(tag.attrib["who"])], int(tag.attrib["m"]))
        elif tag.tag == "DORA":
            self.build.dora(self._tile(int(tag.attrib["hai"])))
        elif tag.tag == "REACH" and tag.get("step") == "1":
            self._ready = SEATS[int(tag.attrib["who"])]

    def end(self, tag: Element) -> None:
        if tag.tag == "AGARI":
            self.ended = "won"
            seat, source = SEATS[int(tag.attrib["who"])], SEATS[int(tag.attrib["fromWho"])]
            self.build.win(seat, source, self._tile(int(tag.attrib["machi"])))
            self.ura = self.ura or tuple(self._tile(n) for n in _numbers(tag, "doraHaiUra"))
        else:
            self.ended = _ENDINGS.get(tag.get("type", ""), "exhaustive draw")
        pairs = _numbers(tag, "sc")
        if len(pairs) == 8:
            self.deltas = tuple(
                100 * (before + change) - start
                for before, change, start in zip(pairs[::2], pairs[1::2], self.scores, strict=True)
            )

    def finish(self) -> HandRecord:
        if not self.ended:
            self.build.notes.append("the record breaks off inside this hand")
        title = f"{WINDS[self.number // 4 % 4]} {self.number % 4 + 1}, honba {self.honba}"
        ending = "" if self.ended == "won" else self.ended
        return self.build.finish(
            title=f"{title}, {ending}" if ending else title,
            ending=ending,
            round_wind=self.number // 4,
            honba=self.honba,
            sticks=self.sticks,
            scores=self.scores,
            deltas=self.deltas,
            dice=self.dice,
            ura=self.ura,
        )

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


def _numbers(tag: Element, key: str) -> list[int]:
    """A comma-separated attribute as whole numbers (Tenhou writes fractions only in `owari`)."""
    value = tag.get(key, "")
    return [int(part) for part in value.split(",")] if value else []
