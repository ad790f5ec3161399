/* What the host may have the table do. */
#ifndef OUTPUTS_H
#define OUTPUTS_H

#include <stdint.h>

/* The high half of the capability bits. */
uint32_t outputs_capabilities(void);

void outputs_begin(void);

/* Carries out a command; RESULT_DONE, RESULT_UNKNOWN (not known, not fitted or malformed) or RESULT_REFUSED. */
uint8_t outputs_do(uint8_t type, const uint8_t *fields, uint8_t size, uint32_t now_ms);

/* Blinks and ends what has to end. */
void outputs_go_on(uint32_t now_ms);

#endif
