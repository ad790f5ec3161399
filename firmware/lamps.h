/* Lamps on an APA102 strip (also sold as SK9822): clocked, so no interrupt ever has to wait for them. */
#ifndef LAMPS_H
#define LAMPS_H

#include <stdint.h>

void lamps_begin(void);
void lamps_set(uint8_t lamp, uint8_t red, uint8_t green, uint8_t blue, uint16_t blink_ms, uint32_t now_ms);

/* All lamps blink white for so many seconds, then show what they showed. */
void lamps_identify(uint8_t seconds, uint32_t now_ms);
void lamps_go_on(uint32_t now_ms);

#endif
