#include "session.h"

#include <stdbool.h>
#include <string.h>

#include "frame.h"
#include "messages.h"
#include "outputs.h"
#include "pins.h"
#include "readings.h"
#include "resend.h"
#include "uart.h"

#define BIRTH_EVERY_MS 1000
#define RESEND_MS 500
#define RESEND_MAX_MS 4000
/* Room on the line that is kept for answers when readings are sent. */
#define ANSWER_ROOM FRAME_WIRE(sizeof(struct time_echo))

static uint16_t boot, request, command;
static uint8_t result;
static bool heard, telling, birth_due;
static uint8_t next_state;
static uint32_t born_ms, ticked_ms, resent_ms;
static uint16_t resend_after_ms = RESEND_MS;

static void send_birth(uint32_t now_ms) {
    struct birth birth = {
        .ticks_ms = now_ms,
        .boot = boot,
        .request = request,
        .first = resend_first(),
        .command = command,
        .ring = RING,
        .capabilities = readings_capabilities() | outputs_capabilities(),
    };
    strncpy(birth.model, MODEL, sizeof birth.model);
    strncpy(birth.firmware, FIRMWARE, sizeof birth.firmware);
    born_ms = now_ms;
    birth_due = !frame_send(BIRTH, resend_last(), &birth, sizeof birth);
}

static bool send_reading(uint8_t index) {
    const struct reading *reading = resend_at(index);
    uint8_t fields[sizeof reading->ticks_ms + READING_MAX];
    uint8_t size = sizeof reading->ticks_ms + reading->size;
    memcpy(fields, &reading->ticks_ms, sizeof reading->ticks_ms);
    memcpy(fields + sizeof reading->ticks_ms, reading->field, reading->size);
    if (uart_room() < FRAME_WIRE(size) + ANSWER_ROOM) return false;
    return frame_send(reading->type, resend_first() + index, fields, size);
}

static void acknowledged(uint16_t seq, uint32_t now_ms) {
    uint16_t count = seq + 1 - resend_first();
    if (!count || count > resend_sent) return;
    resend_forget(count);
    resent_ms = now_ms;
    resend_after_ms = RESEND_MS;
}

/* What finds no room on the line now is asked for again. */
static void missing(uint16_t seq, uint8_t count) {
    for (; count; count--, seq++) {
        uint16_t index = seq - resend_first();
        if (index < resend_sent) {
            send_reading(index);
        } else if (index >= 0x8000) {
            frame_send(GONE, resend_first(), NULL, 0);
            return;
        }
    }
}

static void asked(uint16_t number) {
    bool busy = telling && number == request;
    request = number;
    birth_due = true;
    if (busy) return;
    telling = true;
    next_state = 0;
    resend_sent = 0;
}

static void obey(const struct frame *frame, uint32_t now_ms) {
    if (frame->seq == (uint16_t)(command + 1)) {
        command = frame->seq;
        result = outputs_do(frame->type, frame->fields, frame->size, now_ms);
    }
    if (frame->seq == command) frame_send(COMMAND_ACK, command, &result, sizeof result);
}

static void hear(const struct frame *frame, uint32_t now_ms) {
    const void *fields = frame->fields;
    heard = true;
    if (frame->type >= LAMP) {
        obey(frame, now_ms);
    } else if (frame->type == ACK) {
        acknowledged(frame->seq, now_ms);
    } else if (frame->type == NAK && frame->size >= sizeof(struct nak)) {
        uint8_t count = ((const struct nak *)fields)->count;
        if (count >= 1 && count <= 64) missing(frame->seq, count);
    } else if (frame->type == STATE_REQUEST && frame->size >= sizeof(struct state_request)) {
        uint16_t number = ((const struct state_request *)fields)->request;
        if (number) asked(number);
    } else if (frame->type == TIME_SYNC && frame->size >= sizeof(struct time_sync)) {
        struct time_echo echo = {.ticks_ms = now_ms, .host_ms = ((const struct time_sync *)fields)->host_ms};
        frame_send(TIME_ECHO, resend_last(), &echo, sizeof echo);
    }
}

/* Tells the states one by one, as long as all that is held may be under way at once. */
static void tell(uint32_t now_ms) {
    while (telling && resend_held() < WINDOW) {
        struct reading reading;
        bool last = next_state == readings_states();
        if (last) {
            reading = (struct reading){.type = STATE_END, .size = 2, .field = {request & 0xFF, request >> 8}};
            telling = false;
        } else if (!readings_state(next_state++, &reading)) {
            continue;
        }
        reading.ticks_ms = now_ms;
        resend_keep(&reading);
    }
}

static void speak(uint32_t now_ms) {
    if (birth_due || (!heard && now_ms - born_ms >= BIRTH_EVERY_MS)) send_birth(now_ms);
    if (birth_due) return;
    tell(now_ms);
    if (resend_sent && now_ms - resent_ms >= resend_after_ms && send_reading(0)) {
        resent_ms = now_ms;
        resend_after_ms = resend_after_ms * 2 < RESEND_MAX_MS ? resend_after_ms * 2 : RESEND_MAX_MS;
    }
    while (resend_sent < resend_held() && resend_sent < WINDOW && send_reading(resend_sent)) {
        if (!resend_sent) {
            resent_ms = now_ms;
            resend_after_ms = RESEND_MS;
        }
        resend_sent++;
    }
    if (now_ms - ticked_ms >= TICK_MS && resend_sent == resend_held()) {
        struct tick tick = {.ticks_ms = now_ms};
        if (frame_send(TICK, resend_last(), &tick, sizeof tick)) ticked_ms = now_ms;
    }
}

void session_begin(uint16_t boot_number, uint32_t now_ms) {
    boot = boot_number;
    send_birth(now_ms);
}

void session_go_on(uint32_t now_ms) {
    uint8_t byte;
    while (uart_room() >= ANSWER_ROOM && uart_read(&byte)) {
        const struct frame *frame = frame_take(byte);
        if (frame) hear(frame, now_ms);
    }
    speak(now_ms);
}
