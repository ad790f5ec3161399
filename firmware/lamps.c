#include "lamps.h"

#include <stdbool.h>

#include "gpio.h"

#define DIM 0xE4 /* 4 of 31: bright enough at arm's length */
#define IDENTIFY_BLINK_MS 400

static struct {
    uint8_t red, green, blue;
    bool dark;
    uint16_t blink_ms;
    uint32_t turned_ms;
} lamps[LAMPS];
static uint32_t identify_began_ms, identify_ms;
static bool stale;

static void send(uint8_t byte) {
    for (uint8_t bit = 0; bit < 8; bit++, byte <<= 1) {
        if (byte & 0x80) {
            pin_high(LAMP_DATA);
        } else {
            pin_low(LAMP_DATA);
        }
        pin_high(LAMP_CLOCK);
        pin_low(LAMP_CLOCK);
    }
}

static void frame(uint8_t byte) {
    for (uint8_t n = 0; n < 4; n++) send(byte);
}

static void show(uint32_t now_ms) {
    bool white = identify_ms && (now_ms - identify_began_ms) / (IDENTIFY_BLINK_MS / 2) % 2 == 0;
    frame(0);
    for (uint8_t n = 0; n < LAMPS; n++) {
        bool lit = !identify_ms && !lamps[n].dark;
        send(DIM);
        send(white ? 0xFF : lit ? lamps[n].blue : 0);
        send(white ? 0xFF : lit ? lamps[n].green : 0);
        send(white ? 0xFF : lit ? lamps[n].red : 0);
    }
    frame(0xFF);
}

void lamps_begin(void) {
    pin_output(LAMP_CLOCK);
    pin_output(LAMP_DATA);
    show(0);
}

void lamps_set(uint8_t lamp, uint8_t red, uint8_t green, uint8_t blue, uint16_t blink_ms, uint32_t now_ms) {
    lamps[lamp].red = red;
    lamps[lamp].green = green;
    lamps[lamp].blue = blue;
    lamps[lamp].dark = false;
    lamps[lamp].blink_ms = blink_ms;
    lamps[lamp].turned_ms = now_ms;
    stale = true;
}

void lamps_identify(uint8_t seconds, uint32_t now_ms) {
    identify_began_ms = now_ms;
    identify_ms = 1000UL * seconds;
    stale = true;
}

void lamps_go_on(uint32_t now_ms) {
    static uint32_t beat;
    for (uint8_t n = 0; n < LAMPS; n++) {
        if (lamps[n].blink_ms && now_ms - lamps[n].turned_ms >= lamps[n].blink_ms / 2) {
            lamps[n].turned_ms = now_ms;
            lamps[n].dark = !lamps[n].dark;
            stale = true;
        }
    }
    if (identify_ms) {
        uint32_t now_beat = (now_ms - identify_began_ms) / (IDENTIFY_BLINK_MS / 2);
        if (now_beat != beat) stale = true;
        beat = now_beat;
        if (now_ms - identify_began_ms >= identify_ms) {
            identify_ms = 0;
            stale = true;
        }
    }
    if (stale) show(now_ms);
    stale = false;
}
