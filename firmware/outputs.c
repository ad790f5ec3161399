#include "outputs.h"

#include <stdbool.h>
#include <string.h>

#include "beeper.h"
#include "gpio.h"
#include "lamps.h"
#include "messages.h"
#include "readings.h"

#define LIFT_PULSE_MS 300 /* how long the table's own button is held */

static bool lift_pressed;
static uint32_t lift_pressed_ms;

uint32_t outputs_capabilities(void) {
    uint32_t can = 0;
    if (LAMPS) can |= CAN_LAMP | CAN_IDENTIFY;
    if (HAS_BEEPER) can |= CAN_BEEP;
    if (HAS_LIFT) can |= CAN_LIFT;
    if (HAS_LOCK) can |= CAN_LOCK;
    return can;
}

void outputs_begin(void) {
    if (LAMPS) lamps_begin();
    if (HAS_BEEPER) pin_output(BEEPER);
    if (HAS_LIFT) pin_output(LIFT_OUT);
    if (HAS_LOCK) pin_output(LOCK_OUT);
}

static uint8_t lamp(const struct lamp *wanted, uint32_t now_ms) {
    if (wanted->seat >= LAMPS) return RESULT_UNKNOWN;
    lamps_set(wanted->seat, wanted->red, wanted->green, wanted->blue, wanted->blink_ms, now_ms);
    return RESULT_DONE;
}

/* The lift moves by the table's own button; nobody's fingers may be in the way. */
static uint8_t lift(const struct lift *wanted, uint32_t now_ms) {
    if (wanted->up > 1) return RESULT_UNKNOWN;
    if (readings_in_the_way()) return RESULT_REFUSED;
    pin_high(LIFT_OUT);
    lift_pressed = true;
    lift_pressed_ms = now_ms;
    return RESULT_DONE;
}

static uint8_t lock(const struct lock *wanted) {
    if (wanted->locked > 1) return RESULT_UNKNOWN;
    if (wanted->locked) {
        pin_high(LOCK_OUT);
    } else {
        pin_low(LOCK_OUT);
    }
    return RESULT_DONE;
}

uint8_t outputs_do(uint8_t type, const uint8_t *fields, uint8_t size, uint32_t now_ms) {
    if (LAMPS && type == LAMP && size >= sizeof(struct lamp)) return lamp((const struct lamp *)fields, now_ms);
    if (LAMPS && type == IDENTIFY && size >= sizeof(struct identify)) {
        lamps_identify(((const struct identify *)fields)->seconds, now_ms);
        return RESULT_DONE;
    }
    if (HAS_BEEPER && type == BEEP && size >= sizeof(struct beep)) {
        const struct beep *wanted = (const struct beep *)fields;
        return beeper_sound(wanted->hertz, wanted->length_ms, now_ms) ? RESULT_DONE : RESULT_REFUSED;
    }
    if (HAS_LIFT && type == LIFT && size >= sizeof(struct lift)) return lift((const struct lift *)fields, now_ms);
    if (HAS_LOCK && type == LOCK && size >= sizeof(struct lock)) return lock((const struct lock *)fields);
    return RESULT_UNKNOWN;
}

void outputs_go_on(uint32_t now_ms) {
    if (LAMPS) lamps_go_on(now_ms);
    if (HAS_BEEPER) beeper_go_on(now_ms);
    if (lift_pressed && now_ms - lift_pressed_ms >= LIFT_PULSE_MS) {
        lift_pressed = false;
        pin_low(LIFT_OUT);
    }
}
