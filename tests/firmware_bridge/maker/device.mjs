// A table controller as a maker would write it, from docs/protocol.md alone and in another language: the line is stdin and
// stdout. It has four walls, hand zones, a dealer lamp, dice and lamps; a seeded game plays on its sensors.
// `node device.mjs [seed]`

const VERSION = 1;
const WINDOW = 16;
const RING = 32;
const T = {
  BIRTH: 0x01, TICK: 0x02, TIME_ECHO: 0x03, GONE: 0x04, COMMAND_ACK: 0x05,
  DICE: 0x10, DEALER: 0x11, WALL: 0x13, HAND: 0x14, STATE_END: 0x1f,
  ACK: 0x81, NAK: 0x82, STATE_REQUEST: 0x83, TIME_SYNC: 0x84, LAMP: 0x90, IDENTIFY: 0x95,
};
// dice, dealer, wall, wall_slot, hand_zone, lamp, identify
const CAPABILITIES = 1 << 0 | 1 << 1 | 1 << 3 | 1 << 4 | 1 << 5 | 1 << 16 | 1 << 21;
const DONE = 0, UNKNOWN = 1;

// --- Frame

function crc(bytes, polynomial) {
  let value = 0xffff;
  for (const byte of bytes) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? value >>> 1 ^ polynomial : value >>> 1;
  }
  return value;
}
const x25 = (bytes) => crc(bytes, 0x8408) ^ 0xffff;
const modbus = (bytes) => crc(bytes, 0xa001);

const u16 = (n) => [n & 0xff, n >>> 8 & 0xff];
const u32 = (n) => [...u16(n), ...u16(n >>> 16)];
const readU16 = (bytes, at) => bytes[at] | bytes[at + 1] << 8;
const text = (words, size) => [...Buffer.from(words.padEnd(size, "\0"), "ascii")].slice(0, size);

function stuffed(bytes) {
  const out = [];
  let piece = [];
  for (const byte of [...bytes, 0]) {
    if (byte) piece.push(byte);
    else {
      out.push(piece.length + 1, ...piece);
      piece = [];
    }
  }
  return [...out, 0];
}

function unstuffed(bytes) {
  const out = [];
  for (let at = 0; at < bytes.length;) {
    const next = at + bytes[at];
    if (next > bytes.length) return null;
    out.push(...bytes.slice(at + 1, next));
    if (next < bytes.length) out.push(0);
    at = next;
  }
  return out;
}

function frame(type, seq, fields) {
  const raw = [fields.length + 2, VERSION, type, ...u16(seq), ...fields];
  raw.push(...u16(modbus(raw)));
  raw.push(...u16(x25(raw)));
  return stuffed(raw);
}

function parsed(bytes) {
  if (bytes.length >= 64) return null;
  const raw = unstuffed(bytes);
  if (!raw || raw.length < 9 || raw[0] !== raw.length - 7) return null;
  if (x25(raw.slice(0, -2)) !== readU16(raw, raw.length - 2)) return null;
  if (modbus(raw.slice(0, -4)) !== readU16(raw, raw.length - 4)) return null;
  if (raw[1] !== VERSION) return null;
  return { type: raw[2], seq: readU16(raw, 3), fields: raw.slice(5, -4) };
}

// --- The table

const began = process.hrtime.bigint();
const ticks = () => Number((process.hrtime.bigint() - began) / 1_000_000n % 4294967296n);
const table = { dealer: 0, walls: [34, 34, 34, 34], hands: [0, 0, 0, 0] };

function* states() {
  yield [T.DEALER, [table.dealer]];
  for (const side of [0, 1, 2, 3]) yield [T.WALL, [side, table.walls[side], 0xff]];
  for (const side of [0, 1, 2, 3]) yield [T.HAND, [side, table.hands[side]]];
}

// --- Sequenced readings

const boot = Math.floor(Math.random() * 65536);
let last = 0xffff; // seq of the newest reading
let held = []; // { seq, bytes }, oldest first
let sent = 0; // how many of them, from the oldest, are under way
let resendAt = 0, resendAfter = 500;
let request = 0, telling = null;
let command = 0, result = DONE;
let heard = false, bornAt = 0, tickedAt = 0;

const first = () => last + 1 - held.length & 0xffff;
const write = (bytes) => process.stdout.write(Buffer.from(bytes));

function tell(type, fields, at = ticks()) {
  last = last + 1 & 0xffff;
  if (held.length === RING) {
    held.shift();
    sent = Math.max(sent - 1, 0);
  }
  held.push({ seq: last, bytes: frame(type, last, [...u32(at), ...fields]) });
}

function birth() {
  bornAt = ticks();
  write(frame(T.BIRTH, last, [
    ...u32(ticks()), ...u16(boot), ...u16(request), ...u16(first()), ...u16(command), ...u16(RING),
    ...u32(CAPABILITIES), ...text("Node maker", 16), ...text("0.1", 12),
  ]));
}

function obey(type, fields) {
  if (type === T.LAMP && fields.length >= 6 && fields[0] <= 4) return DONE;
  if (type === T.IDENTIFY && fields.length >= 1) return DONE;
  return UNKNOWN;
}

function hear({ type, seq, fields }) {
  heard = true;
  if (type >= 0x90) {
    if (seq === (command + 1 & 0xffff)) {
      command = seq;
      result = obey(type, fields);
    }
    if (seq === command) write(frame(T.COMMAND_ACK, command, [result]));
  } else if (type === T.ACK) {
    const count = seq + 1 - first() & 0xffff;
    if (count >= 1 && count <= sent) {
      held = held.slice(count);
      sent -= count;
      resendAt = ticks();
      resendAfter = 500;
    }
  } else if (type === T.NAK && fields.length >= 1 && fields[0] >= 1 && fields[0] <= 64) {
    if ((seq - first() & 0xffff) >= 0x8000) return write(frame(T.GONE, first(), []));
    for (const one of held.slice(0, sent)) if ((one.seq - seq & 0xffff) < fields[0]) write(one.bytes);
  } else if (type === T.STATE_REQUEST && fields.length >= 2) {
    const number = readU16(fields, 0);
    if (!number) return;
    const busy = telling && number === request;
    request = number;
    birth();
    if (busy) return;
    telling = [...states()];
    sent = 0;
  } else if (type === T.TIME_SYNC && fields.length >= 8) {
    write(frame(T.TIME_ECHO, last, [...u32(ticks()), ...fields.slice(0, 8)]));
  }
}

function speak() {
  const now = ticks();
  if (!heard && now - bornAt >= 1000) birth();
  while (telling && held.length < WINDOW) {
    const next = telling.shift();
    if (next) tell(...next);
    else {
      telling = null;
      tell(T.STATE_END, u16(request));
    }
  }
  if (sent && now - resendAt >= resendAfter) {
    write(held[0].bytes);
    resendAt = now;
    resendAfter = Math.min(2 * resendAfter, 4000);
  }
  for (; sent < Math.min(held.length, WINDOW); sent++) {
    if (!sent) {
      resendAt = now;
      resendAfter = 500;
    }
    write(held[sent].bytes);
  }
  if (sent === held.length && now - tickedAt >= 250) {
    tickedAt = now;
    write(frame(T.TICK, last, u32(now)));
  }
}

// --- Life

let collected = [];
process.stdin.on("data", (bytes) => {
  for (const byte of bytes) {
    if (byte) {
      if (collected.length < 64) collected.push(byte);
      continue;
    }
    const got = collected.length ? parsed(collected) : null;
    collected = [];
    if (got) hear(got);
  }
  speak();
});
process.stdin.on("end", () => process.exit(0));

let random = Number(process.argv[2] ?? 1);
const draw = (n) => {
  random = (Math.imul(random, 1103515245) + 12345) >>> 0;
  return (random >>> 16) % n;
};
let move = 0;
function play() {
  const side = move++ % 4;
  if (move % 40 === 1) tell(T.DICE, [draw(6) + 1, draw(6) + 1, 0]);
  table.hands[side] = 1 - table.hands[side];
  tell(T.HAND, [side, table.hands[side]]);
  if (table.hands[side]) return;
  table.walls[side] = table.walls[side] ? table.walls[side] - 1 : 34;
  tell(T.WALL, [side, table.walls[side], table.walls[side] >> 1]);
}

birth();
setInterval(play, 700);
setInterval(speak, 5);
