/* The board: what is wired where. This is the one file a table maker edits; docs/wiring.md explains each line.
 *
 * Every kind of sensor is a group of inputs. A group is wired to the chain of 74HC165 shift registers, or to pins of the
 * controller, or not fitted; move its line between the three lists accordingly. Each group on the chain takes whole chips,
 * in the order of the list, the first one next to the controller; input A of a chip is bit 0. LOW means that a pin at 0 V
 * says "yes": switches to ground, open collectors and opto-couplers, all with a pull-up.
 */
#ifndef PINS_H
#define PINS_H

#define MODEL "Jantaku board" /* at most 16 characters */
#define FIRMWARE "1.0.0"      /* at most 12 characters */

/* Tiles of the set: eight times the stacks of a side (17 for 136 tiles, 18 for 144). */
#define WALL_STACKS 17

/* Bits from one seat to the next within a group, so that every seat has chips of its own. */
#define WALL_STRIDE 40    /* two bits a stack, from the player's right: 2n lower tile of stack n, 2n + 1 upper tile */
#define DISCARD_STRIDE 24 /* one bit a place where a discard may lie */
#define BUTTON_STRIDE 8   /* chow, pung, kong, win, ready, referee */

/*    name       bits                  "yes" is */
#define ON_CHAIN(X)                             \
    X(wall,      4 * WALL_STRIDE,      LOW)     \
    X(discard,   4 * DISCARD_STRIDE,   LOW)     \
    X(button,    4 * BUTTON_STRIDE,    LOW)     \
    X(stick,     4,                    LOW)     \
    X(dealer,    4,                    LOW)     \
    X(die,       8,                    LOW)     /* per die: centre, one diagonal, the other, middle row */ \
    X(touch,     4,                    LOW)     /* something in a discard zone */ \
    X(jam,       6,                    LOW)     /* table, washer, conveyor, lift, bay, shuffler */
#define ON_PINS(X)                              \
    X(hand_zone, 4,                    LOW)     \
    X(bay,       1,                    LOW)     /* yes: open */ \
    X(lift_top,  1,                    LOW)     /* yes: the walls are raised */
#define NOT_FITTED(X)

#if defined(__AVR_ATmega2560__) /* Arduino Mega: pins 22 and on */
#define CHAIN_LOAD A, 0  /* 22, to SH/LD of all chips */
#define CHAIN_CLOCK A, 1 /* 23, to CLK of all chips */
#define CHAIN_DATA A, 2  /* 24, from QH of the chip next to the controller */
/*    group, bit, port, pin */
#define PINS(X)                                       \
    X(hand_zone, 0, C, 0)  X(hand_zone, 1, C, 1)      \
    X(hand_zone, 2, C, 2)  X(hand_zone, 3, C, 3)      \
    X(bay, 0, C, 4)        X(lift_top, 0, C, 5)
#define LAMP_CLOCK A, 3  /* 25, APA102 strip: clock */
#define LAMP_DATA A, 4   /* 26, APA102 strip: data */
#define BEEPER B, 4      /* 10, is OC2A: not to be moved */
#define LIFT_OUT A, 5    /* 27, relay across the table's own lift button */
#define LOCK_OUT A, 6    /* 28, relay in the line of the table's own buttons */
#else                    /* ATmega328P: Arduino Uno and Nano */
#define CHAIN_LOAD D, 4  /* 4 */
#define CHAIN_CLOCK D, 5 /* 5 */
#define CHAIN_DATA D, 6  /* 6 */
#define PINS(X)                                       \
    X(hand_zone, 0, C, 0)  X(hand_zone, 1, C, 1)      \
    X(hand_zone, 2, C, 2)  X(hand_zone, 3, C, 3)      \
    X(bay, 0, C, 4)        X(lift_top, 0, C, 5)       /* A0 to A5 */
#define LAMP_CLOCK D, 7  /* 7 */
#define LAMP_DATA B, 0   /* 8 */
#define BEEPER B, 3      /* 11, is OC2A: not to be moved */
#define LIFT_OUT B, 1    /* 9 */
#define LOCK_OUT B, 2    /* 10 */
#endif

/* Lamps on the strip: seats 0 to 3, then the middle. 0: no strip. */
#define LAMPS 5

/* What is fitted besides the sensors; 0 when it is not. */
#define HAS_BEEPER 1
#define HAS_LIFT 1
#define HAS_LOCK 1

#define BAUD UINT32_C(115200)

#endif
