/* Frames on the line: COBS(len | ver | type | seq | fields | guard | check) 0x00, see docs/protocol.md. */
#ifndef FRAME_H
#define FRAME_H

#include <stdbool.h>
#include <stdint.h>

struct frame {
    uint8_t type;
    uint16_t seq;
    uint8_t size; /* bytes of fields */
    const uint8_t *fields;
};

/* Takes one byte that came in. The good frame of our version that it ended, valid until the next call, or NULL. */
const struct frame *frame_take(uint8_t byte);

/* Bytes on the line of a frame with so many bytes of fields. */
#define FRAME_WIRE(size) ((uint8_t)(11 + (size)))

/* Sends a frame, or nothing when there is no room for it: false. */
bool frame_send(uint8_t type, uint16_t seq, const void *fields, uint8_t size);

#endif
