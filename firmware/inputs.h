/* All sensors as debounced bits, grouped as pins.h says. 1 is "yes". */
#ifndef INPUTS_H
#define INPUTS_H

#include <stdbool.h>
#include <stdint.h>

#include "pins.h"

#define INPUT_BYTES(bits) (((bits) + 7) / 8)

struct inputs {
#define X(name, bits, active) uint8_t name[INPUT_BYTES(bits)];
    ON_CHAIN(X)
    ON_PINS(X)
    NOT_FITTED(X)
#undef X
};

/* Bits in each group: WALL_BITS is wall_bits here. */
enum {
#define X(name, bits, active) name##_bits = bits,
    ON_CHAIN(X)
    ON_PINS(X)
#undef X
#define X(name, bits, active) name##_bits = 0,
    NOT_FITTED(X)
#undef X
};

/* Makes the pins ready and takes what they say as it is. */
void inputs_begin(void);

/* Looks once; call it each INPUTS_EVERY_MS. A bit follows its pin when four looks in a row agree. */
#define INPUTS_EVERY_MS 5
void inputs_look(void);

/* What is so, and which bits the last look changed. */
extern struct inputs inputs_now, inputs_changed;

static inline bool input(const uint8_t *group, uint8_t bit) { return group[bit / 8] >> bit % 8 & 1; }

#endif
