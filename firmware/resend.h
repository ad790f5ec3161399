/* Readings until the host has acknowledged them: the newest RING, oldest first. */
#ifndef RESEND_H
#define RESEND_H

#include <avr/io.h>
#include <stdint.h>

#define READING_MAX 3 /* bytes of fields after the ticks; the longest reading of this board */

struct reading {
    uint8_t type;
    uint8_t size; /* bytes in use of `field` */
    uint32_t ticks_ms;
    uint8_t field[READING_MAX];
};

#if RAMEND > 0x1000
#define RING 128
#else
#define RING 64
#endif

/* Keeps a reading; the oldest is overwritten when the ring is full. Gives it the next seq. */
void resend_keep(const struct reading *reading);

/* The reading `index` places after the oldest. */
const struct reading *resend_at(uint8_t index);

uint8_t resend_held(void);

/* seq of the oldest held, one after the last when none is; and of the last kept. */
uint16_t resend_first(void);
uint16_t resend_last(void);

/* How many, from the oldest, have been sent. */
extern uint8_t resend_sent;

/* Forgets the oldest `count`. */
void resend_forget(uint8_t count);

#endif
