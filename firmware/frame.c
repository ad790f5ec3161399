#include "frame.h"

#include <string.h>
#include <util/crc16.h>

#include "messages.h"
#include "uart.h"

#define HEADER 5
#define CHECKS 4

static uint16_t x25(const uint8_t *data, uint8_t size) {
    uint16_t crc = 0xFFFF;
    while (size--) crc = _crc_ccitt_update(crc, *data++);
    return ~crc;
}

static uint16_t modbus(const uint8_t *data, uint8_t size) {
    uint16_t crc = 0xFFFF;
    while (size--) crc = _crc16_update(crc, *data++);
    return crc;
}

static uint16_t word(const uint8_t *at) { return at[0] | (uint16_t)at[1] << 8; }

/* Undoes COBS in place. Returns the size, 0 when it does not work out. A block of 254 cannot occur in a frame this short. */
static uint8_t unstuff(uint8_t *data, uint8_t size) {
    uint8_t from = 0, to = 0;
    while (from < size) {
        uint8_t code = data[from++];
        if (code - 1 > size - from) return 0;
        while (--code) data[to++] = data[from++];
        if (from < size) data[to++] = 0;
    }
    return to;
}

static const struct frame *check(uint8_t *raw, uint8_t size) {
    static struct frame frame;
    size = unstuff(raw, size);
    if (size < HEADER + CHECKS || raw[0] != size - HEADER - 2) return NULL;
    if (x25(raw, size - 2) != word(raw + size - 2)) return NULL;
    if (modbus(raw, size - 4) != word(raw + size - 4)) return NULL;
    if (raw[1] != PROTOCOL_VERSION) return NULL;
    frame = (struct frame){.type = raw[2], .seq = word(raw + 3), .size = raw[0] - 2, .fields = raw + HEADER};
    return &frame;
}

const struct frame *frame_take(uint8_t byte) {
    static uint8_t held[MAX_WIRE], size;
    if (byte) {
        if (size < MAX_WIRE) held[size++] = byte;
        return NULL;
    }
    uint8_t ended = size;
    size = 0;
    return ended && ended < MAX_WIRE ? check(held, ended) : NULL;
}

bool frame_send(uint8_t type, uint16_t seq, const void *fields, uint8_t size) {
    uint8_t raw[MAX_WIRE];
    uint8_t end = HEADER + size;
    if (size > MAX_FIELDS || uart_room() < FRAME_WIRE(size)) return false;
    raw[0] = size + 2;
    raw[1] = PROTOCOL_VERSION;
    raw[2] = type;
    raw[3] = seq & 0xFF;
    raw[4] = seq >> 8;
    if (size) memcpy(raw + HEADER, fields, size);
    uint16_t crc = modbus(raw, end);
    raw[end++] = crc & 0xFF;
    raw[end++] = crc >> 8;
    crc = x25(raw, end);
    raw[end++] = crc & 0xFF;
    raw[end++] = crc >> 8;
    for (uint8_t at = 0; at <= end;) {
        uint8_t run = 0;
        while (at + run < end && raw[at + run]) run++;
        uart_write(run + 1);
        for (uint8_t n = 0; n < run; n++) uart_write(raw[at + n]);
        at += run + 1;
    }
    uart_write(0);
    return true;
}
