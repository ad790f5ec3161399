/* The serial line behind two ring buffers. Nothing here ever waits. */
#ifndef UART_H
#define UART_H

#include <stdbool.h>
#include <stdint.h>

void uart_begin(void);

/* The next byte that has come in, or false. Bytes that nobody takes in time are lost, as on any line. */
bool uart_read(uint8_t *byte);

/* How many bytes may be written now. */
uint8_t uart_room(void);

/* Writes one byte; the caller has looked at uart_room(). */
void uart_write(uint8_t byte);

#endif
