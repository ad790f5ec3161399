/* Written by firmware_bridge/header.py from the bridge's own codec; do not edit. The words are in docs/protocol.md. */
#ifndef MESSAGES_H
#define MESSAGES_H

#include <stdint.h>

#define PROTOCOL_VERSION 1
#define MAX_WIRE 64
#define MAX_FIELDS 53
#define WINDOW 16
#define TICK_MS 250

enum { CALL_CHOW, CALL_PUNG, CALL_KONG, CALL_WIN, CALL_READY, CALL_REFEREE };
enum { PLACE_TABLE, PLACE_WASHER, PLACE_CONVEYOR, PLACE_LIFT, PLACE_BAY, PLACE_SHUFFLER };
enum { RESULT_DONE, RESULT_UNKNOWN, RESULT_REFUSED };

#define CAN_DICE (UINT32_C(1) << 0)
#define CAN_DEALER (UINT32_C(1) << 1)
#define CAN_HONBA (UINT32_C(1) << 2)
#define CAN_WALL (UINT32_C(1) << 3)
#define CAN_WALL_SLOT (UINT32_C(1) << 4)
#define CAN_HAND_ZONE (UINT32_C(1) << 5)
#define CAN_DISCARD_TOUCH (UINT32_C(1) << 6)
#define CAN_DISCARD_COUNT (UINT32_C(1) << 7)
#define CAN_SET_COMPLETE (UINT32_C(1) << 8)
#define CAN_BAY (UINT32_C(1) << 9)
#define CAN_JAM (UINT32_C(1) << 10)
#define CAN_TILE_MISSING (UINT32_C(1) << 11)
#define CAN_READY_STICK (UINT32_C(1) << 12)
#define CAN_SCORE_TRAY (UINT32_C(1) << 13)
#define CAN_BUTTONS (UINT32_C(1) << 14)
#define CAN_TAGS (UINT32_C(1) << 15)
#define CAN_LAMP (UINT32_C(1) << 16)
#define CAN_DISPLAY (UINT32_C(1) << 17)
#define CAN_BEEP (UINT32_C(1) << 18)
#define CAN_LIFT (UINT32_C(1) << 19)
#define CAN_LOCK (UINT32_C(1) << 20)
#define CAN_IDENTIFY (UINT32_C(1) << 21)

/* Who the device is and where its numbering stands */
#define BIRTH 0x01
struct birth { uint32_t ticks_ms; uint16_t boot; uint16_t request; uint16_t first; uint16_t command; uint16_t ring; uint32_t capabilities; char model[16]; char firmware[12]; } __attribute__((packed));

/* Device time, each 250 ms, sent only when every message issued has been sent */
#define TICK 0x02
struct tick { uint32_t ticks_ms; } __attribute__((packed));

/* Answer to a time sync, at once */
#define TIME_ECHO 0x03
struct time_echo { uint32_t ticks_ms; int64_t host_ms; } __attribute__((packed));

/* Answer to a NAK for what the ring no longer holds */
#define GONE 0x04

/* The command with the frame's seq was received; says what came of it */
#define COMMAND_ACK 0x05
struct command_ack { uint8_t result; } __attribute__((packed));

/* The dice came to rest */
#define DICE_ROLLED 0x10
struct dice_rolled { uint32_t ticks_ms; uint8_t first; uint8_t second; uint8_t third; } __attribute__((packed));

/* The dealer lamp stands at a seat */
#define DEALER_SET 0x11
struct dealer_set { uint32_t ticks_ms; uint8_t seat; } __attribute__((packed));

/* The counter of repeats was set */
#define HONBA_SET 0x12
struct honba_set { uint32_t ticks_ms; uint8_t count; } __attribute__((packed));

/* Tiles left in one side of the wall */
#define WALL_LEFT 0x13
struct wall_left { uint32_t ticks_ms; uint8_t side; uint8_t count; int8_t slot; } __attribute__((packed));

/* Something is in the wall zone in front of a side, or no longer */
#define HAND_IN_ZONE 0x14
struct hand_in_zone { uint32_t ticks_ms; uint8_t side; uint8_t present; } __attribute__((packed));

/* Tiles in a seat's discard zone */
#define DISCARDS_LIE 0x15
struct discards_lie { uint32_t ticks_ms; uint8_t seat; uint8_t count; uint8_t touched; } __attribute__((packed));

/* The walls stand: a new hand may begin */
#define SET_BUILT 0x16
struct set_built { uint32_t ticks_ms; uint8_t tiles; } __attribute__((packed));

/* The bay for used tiles opened or closed */
#define BAY_MOVED 0x17
struct bay_moved { uint32_t ticks_ms; uint8_t open; } __attribute__((packed));

/* Tiles are stuck, or no longer */
#define JAMMED 0x18
struct jammed { uint32_t ticks_ms; uint8_t place; uint8_t present; } __attribute__((packed));

/* The machine counted a set that is not whole; both numbers equal: it is whole again */
#define TILES_MISSING 0x19
struct tiles_missing { uint32_t ticks_ms; uint8_t expected; uint8_t counted; } __attribute__((packed));

/* A seat's riichi slot holds a stick, or not */
#define READY_SLOT 0x1A
struct ready_slot { uint32_t ticks_ms; uint8_t seat; uint8_t present; } __attribute__((packed));

/* Points in a seat's tray of score sticks */
#define SCORE_TRAY 0x1B
struct score_tray { uint32_t ticks_ms; uint8_t seat; int32_t points; } __attribute__((packed));

/* A call button went down */
#define BUTTON_PRESSED 0x1C
struct button_pressed { uint32_t ticks_ms; uint8_t seat; uint8_t call; } __attribute__((packed));

/* A tag reader sees a tile's tag (0: none) */
#define TAG_READ 0x1D
struct tag_read { uint32_t ticks_ms; uint8_t reader; uint8_t slot; uint64_t tag; } __attribute__((packed));

/* The state asked for has been told in full */
#define STATE_END 0x1F
struct state_end { uint32_t ticks_ms; uint16_t request; } __attribute__((packed));

/* Everything up to and including the frame's seq has been received and stored; the device may forget it */
#define ACK 0x81

/* Messages from the frame's seq on are missing: send them again */
#define NAK 0x82
struct nak { uint8_t count; } __attribute__((packed));

/* Answer with a birth, send again all that is held, then tell every state and close with `StateEnd` */
#define STATE_REQUEST 0x83
struct state_request { uint16_t request; } __attribute__((packed));

/* Asks for a time echo */
#define TIME_SYNC 0x84
struct time_sync { int64_t host_ms; } __attribute__((packed));

/* Lights a lamp; all colours 0 puts it out */
#define LAMP 0x90
struct lamp { uint8_t seat; uint8_t red; uint8_t green; uint8_t blue; uint16_t blink_ms; } __attribute__((packed));

/* Shows a text at a seat; empty clears it */
#define DISPLAY 0x91
struct display { uint8_t seat; char text[16]; } __attribute__((packed));

/* Sounds a tone */
#define BEEP 0x92
struct beep { uint16_t hertz; uint16_t length_ms; } __attribute__((packed));

/* Raises the built walls, or lowers the lift */
#define LIFT 0x93
struct lift { uint8_t up; } __attribute__((packed));

/* Locks the table's own buttons while a referee rules */
#define LOCK 0x94
struct lock { uint8_t locked; } __attribute__((packed));

/* Lets the table show itself by blinking */
#define IDENTIFY 0x95
struct identify { uint8_t seconds; } __attribute__((packed));

#endif
