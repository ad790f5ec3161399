#include "beeper.h"

#include <avr/io.h>

static uint32_t began_ms;
static uint16_t sounding_ms;

static void silence(void) {
    TCCR2A = 0;
    TCCR2B = 0;
    sounding_ms = 0;
}

bool beeper_sound(uint16_t hertz, uint16_t length_ms, uint32_t now_ms) {
    static const uint16_t dividers[] = {1, 8, 32, 64, 128, 256, 1024}; /* clock select 1 and on */
    silence();
    if (!hertz || !length_ms) return true;
    if (hertz > 20000) return false;
    for (uint8_t n = 0; n < sizeof dividers / sizeof *dividers; n++) {
        uint32_t top = F_CPU / 2 / dividers[n] / hertz;
        if (top < 1 || top > 256) continue;
        OCR2A = top - 1;
        TCNT2 = 0;
        TCCR2A = 1 << COM2A0 | 1 << WGM21; /* toggle at compare, clear on compare */
        TCCR2B = n + 1;
        began_ms = now_ms;
        sounding_ms = length_ms;
        return true;
    }
    return false;
}

void beeper_go_on(uint32_t now_ms) {
    if (sounding_ms && now_ms - began_ms >= sounding_ms) silence();
}
