#include "resend.h"

static struct reading ring[RING];
static uint8_t oldest, held;
static uint16_t last = 0xFFFF;
uint8_t resend_sent;

void resend_keep(const struct reading *reading) {
    if (held == RING) resend_forget(1);
    ring[(uint8_t)(oldest + held) % RING] = *reading;
    held++;
    last++;
}

const struct reading *resend_at(uint8_t index) { return &ring[(uint8_t)(oldest + index) % RING]; }

uint8_t resend_held(void) { return held; }

uint16_t resend_first(void) { return last + 1 - held; }

uint16_t resend_last(void) { return last; }

void resend_forget(uint8_t count) {
    oldest = (uint8_t)(oldest + count) % RING;
    held -= count;
    resend_sent = resend_sent > count ? resend_sent - count : 0;
}
