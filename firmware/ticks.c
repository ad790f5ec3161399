#include "ticks.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/atomic.h>

static volatile uint32_t ticks;

ISR(TIMER1_COMPA_vect) { ticks++; }

void ticks_begin(void) {
    TCCR1A = 0;
    OCR1A = F_CPU / 64 / 1000 - 1;
    TCCR1B = 1 << WGM12 | 1 << CS11 | 1 << CS10; /* clear on compare, clock / 64 */
    TIMSK1 = 1 << OCIE1A;
}

uint32_t ticks_ms(void) {
    uint32_t now;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { now = ticks; }
    return now;
}
