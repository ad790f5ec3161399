/* The firmware's codec as a filter: each good frame of stdin goes to stdout again, encoded anew. */
#include <stdio.h>

#include "frame.h"
#include "uart.h"

bool uart_read(uint8_t *byte) {
    int got = getchar();
    *byte = (uint8_t)got;
    return got != EOF;
}

uint8_t uart_room(void) { return 127; }

void uart_write(uint8_t byte) { putchar(byte); }

int main(void) {
    uint8_t byte;
    while (uart_read(&byte)) {
        const struct frame *frame = frame_take(byte);
        if (frame && !frame_send(frame->type, frame->seq, frame->fields, frame->size)) return 1;
    }
    return 0;
}
