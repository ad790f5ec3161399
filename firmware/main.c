/* The reference controller: looks at the sensors each 5 ms, talks to the host in between. */
#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <avr/wdt.h>

#include "inputs.h"
#include "outputs.h"
#include "readings.h"
#include "session.h"
#include "ticks.h"
#include "uart.h"

static uint16_t boots EEMEM;

/* After a reset by the watchdog it still runs, at its shortest time: it has to be stopped before anything else. */
void stop_watchdog(void) __attribute__((naked, used, section(".init3")));
void stop_watchdog(void) {
    MCUSR = 0;
    wdt_disable();
}

static uint16_t next_boot(void) {
    uint16_t boot = eeprom_read_word(&boots) + 1;
    eeprom_update_word(&boots, boot);
    return boot;
}

int main(void) {
    uint32_t looked_ms = 0;
    ticks_begin();
    uart_begin();
    inputs_begin();
    outputs_begin();
    readings_begin();
    uint16_t boot = next_boot();
    set_sleep_mode(SLEEP_MODE_IDLE);
    sei();
    wdt_enable(WDTO_1S);
    session_begin(boot, ticks_ms());
    for (;;) {
        uint32_t now_ms = ticks_ms();
        wdt_reset();
        if (now_ms - looked_ms >= INPUTS_EVERY_MS) {
            looked_ms = now_ms;
            readings_look(now_ms);
            outputs_go_on(now_ms);
        }
        session_go_on(now_ms);
        sleep_mode(); /* the clock, each millisecond, or the line ends it */
    }
}
