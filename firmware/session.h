/* The device's end of a session, as docs/protocol.md tells it. */
#ifndef SESSION_H
#define SESSION_H

#include <stdint.h>

/* At reset: says who we are. `boot` differs at each reset. */
void session_begin(uint16_t boot, uint32_t now_ms);

/* Hears the host and says what is to be said. */
void session_go_on(uint32_t now_ms);

#endif
