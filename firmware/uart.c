#include "uart.h"

#include <avr/interrupt.h>
#include <avr/io.h>

#include "pins.h"

#define SIZE 128 /* a power of two */

#if defined(USART0_RX_vect)
#define RX_vect USART0_RX_vect
#define UDRE_vect USART0_UDRE_vect
#else
#define RX_vect USART_RX_vect
#define UDRE_vect USART_UDRE_vect
#endif

/* Each index is written by one side only and is a single byte, so neither side needs to lock out the other. */
static volatile uint8_t in[SIZE], in_head, in_tail;
static volatile uint8_t out[SIZE], out_head, out_tail;

ISR(RX_vect) {
    uint8_t byte = UDR0;
    uint8_t next = (in_head + 1) % SIZE;
    if (next != in_tail) {
        in[in_head] = byte;
        in_head = next;
    }
}

ISR(UDRE_vect) {
    if (out_head == out_tail) {
        UCSR0B &= (uint8_t)~(1 << UDRIE0);
        return;
    }
    UDR0 = out[out_tail];
    out_tail = (out_tail + 1) % SIZE;
}

void uart_begin(void) {
    UBRR0 = (F_CPU + BAUD * 4) / (BAUD * 8) - 1;
    UCSR0A = 1 << U2X0;
    UCSR0C = 1 << UCSZ01 | 1 << UCSZ00;
    UCSR0B = 1 << RXEN0 | 1 << TXEN0 | 1 << RXCIE0;
}

bool uart_read(uint8_t *byte) {
    if (in_tail == in_head) return false;
    *byte = in[in_tail];
    in_tail = (in_tail + 1) % SIZE;
    return true;
}

uint8_t uart_room(void) { return (uint8_t)(out_tail - out_head - 1) % SIZE; }

void uart_write(uint8_t byte) {
    out[out_head] = byte;
    out_head = (out_head + 1) % SIZE;
    UCSR0B |= 1 << UDRIE0;
}
