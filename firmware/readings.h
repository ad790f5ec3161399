/* What the sensors say, as readings of docs/protocol.md. */
#ifndef READINGS_H
#define READINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "resend.h"

/* What this board can sense: the low half of the capability bits. */
uint32_t readings_capabilities(void);

/* Takes what the sensors say now as known. */
void readings_begin(void);

/* Looks at the sensors once and keeps what is new. */
void readings_look(uint32_t now_ms);

/* The states, counted from 0: how many there are, and the one with a number; false when it is not known. */
uint8_t readings_states(void);
bool readings_state(uint8_t number, struct reading *state);

/* Something is in one of the wall zones, or the bay is open: nothing may move. */
bool readings_in_the_way(void);

#endif
