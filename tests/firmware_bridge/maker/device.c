/* A table with tag readers, written from docs/protocol.md alone and by nothing else: a maker's first program, in C, with the
 * smallest ring that is allowed. The line is stdin and stdout. It has two readers of six places, score trays, riichi slots, a
 * counter of repeats, call buttons, displays, a beeper, a lift and a lock; a seeded hand fiddles with all of it.
 *
 *     cc -O2 device.c -o device && ./device [seed]
 */
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BIRTH = 0x01, TICK, TIME_ECHO, GONE, COMMAND_ACK };
enum { HONBA = 0x12, STICK = 0x1A, TRAY = 0x1B, BUTTON = 0x1C, TAG = 0x1D, STATE_END = 0x1F };
enum { ACK = 0x81, NAK, STATE_REQUEST, TIME_SYNC };
enum { DISPLAY = 0x91, BEEP, LIFT, LOCK };
enum { DONE, UNKNOWN, REFUSED };
enum { RING = 16, UNDER_WAY = 16, READERS = 2, PLACES = 6 };
static const uint32_t capabilities = 1u << 2 | 1u << 12 | 1u << 13 | 1u << 14 | 1u << 15 | 1u << 17 | 1u << 18 | 1u << 19 | 1u << 20;

static uint32_t now_ms(void) {
    static struct timespec began;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!began.tv_sec) began = now;
    return (uint32_t)((now.tv_sec - began.tv_sec) * 1000 + (now.tv_nsec - began.tv_nsec) / 1000000);
}

/* Frame */

static uint16_t crc(const uint8_t *bytes, int size, uint16_t polynomial) {
    uint16_t value = 0xFFFF;
    for (int n = 0; n < size; n++) {
        value ^= bytes[n];
        for (int bit = 0; bit < 8; bit++) value = value & 1 ? value >> 1 ^ polynomial : value >> 1;
    }
    return value;
}

static int put(uint8_t *to, uint64_t number, int bytes) {
    for (int n = 0; n < bytes; n++) to[n] = (uint8_t)(number >> 8 * n);
    return bytes;
}

static uint64_t get(const uint8_t *from, int bytes) {
    uint64_t number = 0;
    for (int n = 0; n < bytes; n++) number |= (uint64_t)from[n] << 8 * n;
    return number;
}

static int framed(uint8_t *wire, uint8_t type, uint16_t seq, const uint8_t *fields, int size) {
    uint8_t raw[64] = {(uint8_t)(size + 2), 1, type};
    put(raw + 3, seq, 2);
    if (size) memcpy(raw + 5, fields, (size_t)size);
    int end = 5 + size, written = 0;
    end += put(raw + end, crc(raw, end, 0xA001), 2);
    end += put(raw + end, (uint16_t)~crc(raw, end, 0x8408), 2);
    for (int from = 0, at = 0; at <= end; at++) {
        if (at < end && raw[at]) continue;
        wire[written++] = (uint8_t)(at - from + 1);
        memcpy(wire + written, raw + from, (size_t)(at - from));
        written += at - from;
        from = at + 1;
    }
    wire[written++] = 0;
    return written;
}

/* Undoes COBS into `raw`; the size, or -1. */
static int unstuffed(const uint8_t *wire, int size, uint8_t *raw) {
    int out = 0;
    for (int at = 0; at < size;) {
        int next = at + wire[at];
        if (next > size) return -1;
        for (at++; at < next; at++) raw[out++] = wire[at];
        if (next < size) raw[out++] = 0;
    }
    return out;
}

static void sent_out(const uint8_t *wire, int size) {
    while (size > 0) {
        ssize_t gone = write(STDOUT_FILENO, wire, (size_t)size);
        if (gone < 0) exit(0);
        wire += gone;
        size -= (int)gone;
    }
}

static void say(uint8_t type, uint16_t seq, const uint8_t *fields, int size) {
    uint8_t wire[64];
    sent_out(wire, framed(wire, type, seq, fields, size));
}

/* Readings */

static struct {
    uint8_t wire[64];
    int size;
} ring[RING];
static uint16_t oldest; /* seq of the oldest held */
static int held, out;   /* `out` of the `held` have been sent */
static uint32_t waited_since, patience = 500;

static uint16_t last(void) { return (uint16_t)(oldest + held - 1); }

static void tell(uint8_t type, const uint8_t *fields, int size) {
    uint8_t all[53];
    put(all, now_ms(), 4);
    memcpy(all + 4, fields, (size_t)size);
    if (held == RING) {
        oldest++;
        held--;
        if (out) out--;
    }
    uint16_t seq = (uint16_t)(oldest + held++);
    ring[seq % RING].size = framed(ring[seq % RING].wire, type, seq, all, size + 4);
}

static void send_held(int index) {
    int at = (uint16_t)(oldest + index) % RING;
    sent_out(ring[at].wire, ring[at].size);
}

static void acknowledged(uint16_t seq) {
    int count = (uint16_t)(seq - oldest) + 1;
    if (count > out) return;
    oldest += (uint16_t)count;
    held -= count;
    out -= count;
    waited_since = now_ms();
    patience = 500;
}

static void missing(uint16_t seq, int count) {
    if ((uint16_t)(seq - oldest) >= 0x8000) {
        say(GONE, oldest, NULL, 0);
        return;
    }
    for (int index = (uint16_t)(seq - oldest); count-- && index < out; index++) send_held(index);
}

/* The table */

static int32_t trays[4] = {25000, 25000, 25000, 25000};
static uint8_t sticks[4], honba, hand_under_lift;
static uint64_t tags[READERS][PLACES];

enum { STATES = 1 + 4 + 4 + READERS * PLACES };

static void tell_state(int number) {
    uint8_t fields[16] = {honba};
    if (number == 0) {
        tell(HONBA, fields, 1);
    } else if (number <= 4) {
        fields[0] = (uint8_t)(number - 1);
        put(fields + 1, (uint32_t)trays[number - 1], 4);
        tell(TRAY, fields, 5);
    } else if (number <= 8) {
        fields[0] = (uint8_t)(number - 5);
        fields[1] = sticks[number - 5];
        tell(STICK, fields, 2);
    } else {
        fields[0] = (uint8_t)((number - 9) / PLACES);
        fields[1] = (uint8_t)((number - 9) % PLACES);
        put(fields + 2, tags[fields[0]][fields[1]], 8);
        tell(TAG, fields, 10);
    }
}

static uint8_t carried_out(uint8_t type, const uint8_t *fields, int size) {
    switch (type) {
    case DISPLAY:
        if (size < 17 || fields[0] > 4) return UNKNOWN;
        for (int n = 1; n < 17 && fields[n]; n++)
            if (fields[n] > 127) return UNKNOWN;
        return DONE;
    case BEEP: return size < 4 ? UNKNOWN : DONE;
    case LIFT: return size < 1 || fields[0] > 1 ? UNKNOWN : hand_under_lift ? REFUSED : DONE;
    case LOCK: return size < 1 || fields[0] > 1 ? UNKNOWN : DONE;
    default: return UNKNOWN;
    }
}

/* The session */

static uint16_t boot, request, command;
static uint8_t result;
static bool heard_host;
static int next_state = -1; /* none is being told */
static uint32_t born, ticked;

static void birth(void) {
    uint8_t fields[46] = {0};
    put(fields, born = now_ms(), 4);
    put(fields + 4, boot, 2);
    put(fields + 6, request, 2);
    put(fields + 8, oldest, 2);
    put(fields + 10, command, 2);
    put(fields + 12, RING, 2);
    put(fields + 14, capabilities, 4);
    memcpy(fields + 18, "C maker", 7);
    memcpy(fields + 34, "0.1", 3);
    say(BIRTH, last(), fields, sizeof fields);
}

static void hear(uint8_t type, uint16_t seq, const uint8_t *fields, int size) {
    heard_host = true;
    if (type >= 0x90) {
        if (seq == (uint16_t)(command + 1)) {
            command = seq;
            result = carried_out(type, fields, size);
        }
        if (seq == command) say(COMMAND_ACK, command, &result, 1);
    } else if (type == ACK) {
        acknowledged(seq);
    } else if (type == NAK && size >= 1 && fields[0] >= 1 && fields[0] <= 64) {
        missing(seq, fields[0]);
    } else if (type == STATE_REQUEST && size >= 2 && get(fields, 2)) {
        bool again = next_state >= 0 && request == get(fields, 2);
        request = (uint16_t)get(fields, 2);
        birth();
        if (again) return;
        out = 0;
        next_state = 0;
    } else if (type == TIME_SYNC && size >= 8) {
        uint8_t echo[12];
        put(echo, now_ms(), 4);
        memcpy(echo + 4, fields, 8);
        say(TIME_ECHO, last(), echo, sizeof echo);
    }
}

static void speak(void) {
    if (!heard_host && now_ms() - born >= 1000) birth();
    while (next_state >= 0 && held < RING) {
        if (next_state < STATES) {
            tell_state(next_state++);
        } else {
            uint8_t number[2];
            put(number, request, 2);
            next_state = -1;
            tell(STATE_END, number, 2);
        }
    }
    if (out && now_ms() - waited_since >= patience) {
        send_held(0);
        waited_since = now_ms();
        patience = patience < 2000 ? patience * 2 : 4000;
    }
    for (; out < held && out < UNDER_WAY; out++) {
        if (!out) {
            waited_since = now_ms();
            patience = 500;
        }
        send_held(out);
    }
    if (out == held && now_ms() - ticked >= 250) {
        uint8_t fields[4];
        put(fields, ticked = now_ms(), 4);
        say(TICK, last(), fields, sizeof fields);
    }
}

static void receive(uint8_t byte) {
    static uint8_t piece[64], raw[64];
    static int size;
    if (byte) {
        if (size < 64) piece[size++] = byte;
        return;
    }
    int got = size;
    size = 0;
    if (got == 0 || got >= 64) return;
    got = unstuffed(piece, got, raw);
    if (got < 9 || raw[0] != got - 7) return;
    if ((uint16_t)~crc(raw, got - 2, 0x8408) != get(raw + got - 2, 2)) return;
    if (crc(raw, got - 4, 0xA001) != get(raw + got - 4, 2)) return;
    if (raw[1] == 1) hear(raw[2], (uint16_t)get(raw + 3, 2), raw + 5, got - 9);
}

/* Somebody plays */

static uint32_t drawn;
static uint32_t draw(uint32_t below) {
    drawn = drawn * 1103515245u + 12345u;
    return (drawn >> 16) % below;
}

static void play(void) {
    uint8_t seat = (uint8_t)draw(4), press[2] = {seat, (uint8_t)draw(6)};
    int place = (int)draw(READERS * PLACES);
    switch (draw(5)) {
    case 0: tell(BUTTON, press, 2); return;
    case 1:
        sticks[seat] = !sticks[seat];
        trays[seat] += sticks[seat] ? -1000 : 1000;
        tell_state(5 + seat);
        tell_state(1 + seat);
        return;
    case 2:
        honba = (uint8_t)(honba + 1) & 7;
        tell_state(0);
        return;
    case 3: hand_under_lift = !hand_under_lift; return; /* nobody is told */
    default:
        tags[place / PLACES][place % PLACES] = tags[place / PLACES][place % PLACES] ? 0 : 0xE004015000000000u + draw(136) + 1;
        tell_state(9 + place);
    }
}

int main(int count, char **words) {
    drawn = count > 1 ? (uint32_t)atoi(words[1]) : 1;
    boot = (uint16_t)(time(NULL) ^ getpid());
    birth();
    for (uint32_t played = 0;;) {
        struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
        uint8_t bytes[256];
        ssize_t got = poll(&in, 1, 5) > 0 ? read(STDIN_FILENO, bytes, sizeof bytes) : -1;
        if (got == 0) return 0;
        for (ssize_t n = 0; n < got; n++) receive(bytes[n]);
        if (now_ms() - played >= 500) {
            played = now_ms();
            play();
        }
        speak();
    }
}
