/* A passive beeper at OC2A, driven by timer 2. */
#ifndef BEEPER_H
#define BEEPER_H

#include <stdbool.h>
#include <stdint.h>

/* Sounds a tone; false when the pitch is out of the timer's reach (31 Hz to 20 kHz). */
bool beeper_sound(uint16_t hertz, uint16_t length_ms, uint32_t now_ms);
void beeper_go_on(uint32_t now_ms);

#endif
