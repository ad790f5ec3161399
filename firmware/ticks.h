/* Milliseconds since reset; wraps after 49.7 days. */
#ifndef TICKS_H
#define TICKS_H

#include <stdint.h>

void ticks_begin(void);
uint32_t ticks_ms(void);

#endif
