// Moves in the reader's language, from the public actions the engine numbers.

import { seatName } from "/static/board.js";
import { named, t } from "/static/words.js";

const KINDS = {
  drew: (action) => (action.end === "tail" ? "drew.tail" : "drew"),
  discarded: (action) => (action.sideways ? "discarded.ready" : "discarded"),
  konged: (action) => (action.kong === "added" ? "konged.added" : "konged"),
  win_shown: (action) => (action.source === null ? "win_shown.self" : "win_shown"),
};

// One move in words; what has no words here stays as the server wrote it.
export const moveWords = ({ action, says }, view) => {
  const key = `move.${KINDS[action.type]?.(action) ?? action.type}`;
  const seat = action.seat ?? action.dealer;
  const values = {
    who: seat === undefined ? "" : seatName(view.seats[seat]), from: action.source === undefined || action.source === null ? "" : seatName(view.seats[action.source]),
    tile: action.tile ? named("tile", action.tile) : "", was: action.was ? named("tile", action.was) : "", tiles: (action.tiles ?? []).map((code) => named("tile", code)).join(" "),
    call: action.call ? t(`call.${action.call}`) : "", n: action.concealed ?? "",
  };
  const words = t(key, values);
  return words === key ? says : words;
};

// The last move of a board; what the server says where moves are not told.
export const lastWords = (board) => {
  const last = board.moves?.moves.at(-1);
  return last ? moveWords(last, board.view) : board.view.last;
};
