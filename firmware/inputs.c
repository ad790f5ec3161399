#include "inputs.h"

#include <stddef.h>

#include "gpio.h"

enum { LOW, HIGH };

struct inputs inputs_now, inputs_changed;
static struct inputs low_bits, high_bits; /* a counter of two bits for every input */

static const size_t chained = 0
#define X(name, bits, active) +INPUT_BYTES(bits)
    ON_CHAIN(X)
#undef X
    ;

static void read(struct inputs *raw) {
    uint8_t *byte = (uint8_t *)raw;
    pin_low(CHAIN_LOAD);
    pin_high(CHAIN_LOAD);
    for (size_t n = 0; n < sizeof *raw; n++) {
        byte[n] = 0;
        for (uint8_t bit = 0; bit < 8 && n < chained; bit++) {
            byte[n] <<= 1;
            if (pin_is_high(CHAIN_DATA)) byte[n] |= 1;
            pin_high(CHAIN_CLOCK);
            pin_low(CHAIN_CLOCK);
        }
    }
#define X(group, bit, port, pin) \
    if (pin_is_high(port, pin)) raw->group[(bit) / 8] |= 1 << (bit) % 8;
    PINS(X)
#undef X
#define X(name, bits, active) \
    for (uint8_t n = 0; active == LOW && n < INPUT_BYTES(bits); n++) raw->name[n] ^= 0xFF;
    ON_CHAIN(X)
    ON_PINS(X)
#undef X
}

void inputs_begin(void) {
    pin_output(CHAIN_LOAD);
    pin_output(CHAIN_CLOCK);
    pin_pull_up(CHAIN_DATA);
#define X(group, bit, port, pin) pin_pull_up(port, pin);
    PINS(X)
#undef X
    read(&inputs_now); /* the first one gives the pull-ups time */
    read(&inputs_now);
}

void inputs_look(void) {
    struct inputs raw;
    read(&raw);
    const uint8_t *new = (const uint8_t *)&raw;
    uint8_t *now = (uint8_t *)&inputs_now, *changed = (uint8_t *)&inputs_changed;
    uint8_t *low = (uint8_t *)&low_bits, *high = (uint8_t *)&high_bits;
    for (size_t n = 0; n < sizeof raw; n++) {
        uint8_t differs = new[n] ^ now[n];
        low[n] = ~low[n] & differs; /* counts looks that differ, from 0; the fourth one in a row wraps */
        high[n] = (high[n] ^ (uint8_t)~low[n]) & differs;
        changed[n] = differs & ~low[n] & ~high[n];
        now[n] ^= changed[n];
    }
}
