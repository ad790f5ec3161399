#include "readings.h"

#include <string.h>

#include "inputs.h"
#include "messages.h"

#define SEATS 4
#define CALLS 6
#define DICE 2
#define DIE_LAMPS 4
#define DICE_REST_MS 800 /* lamps that have not changed for so long show the roll */
#define WALLS_REST_MS 500 /* from the lift's arrival to the count */
#define FULL_SET (8 * WALL_STACKS)

/* The states as they were told last, in the order in which they are told. */
static struct {
    uint8_t wall[SEATS];
    int8_t slot[SEATS];
    uint8_t discards[SEATS];
    uint8_t dealer; /* SEATS: not known */
    uint8_t counted;
} told;
static uint32_t dice_changed_ms, lift_came_ms;
static bool dice_roll, walls_rest;

enum { WALLS = 0, HANDS = 4, DISCARDS = 8, STICKS = 12, JAMS = 16, DEALER = 22, BAY = 23, COUNTED = 24, STATES = 25 };

static uint8_t count(const uint8_t *group, uint8_t first, uint8_t bits) {
    uint8_t yes = 0;
    while (bits--) yes += input(group, first + bits);
    return yes;
}

static bool any(const uint8_t *group, uint8_t first, uint8_t bits) { return count(group, first, bits) != 0; }

static uint8_t wall(uint8_t side) { return count(inputs_now.wall, side * WALL_STRIDE, 2 * WALL_STACKS); }

static uint8_t discards(uint8_t seat) { return count(inputs_now.discard, seat * DISCARD_STRIDE, DISCARD_STRIDE); }

/* The seat whose lamp alone is lit. */
static uint8_t dealer(void) {
    uint8_t found = SEATS;
    for (uint8_t seat = 0; seat < dealer_bits; seat++) {
        if (!input(inputs_now.dealer, seat)) continue;
        if (found != SEATS) return SEATS;
        found = seat;
    }
    return found;
}

static uint8_t pips(uint8_t die) {
    static const uint8_t worth[DIE_LAMPS] = {1, 2, 2, 2}; /* centre, two diagonals, middle row */
    uint8_t sum = 0;
    for (uint8_t lamp = 0; lamp < DIE_LAMPS; lamp++)
        if (input(inputs_now.die, die * DIE_LAMPS + lamp)) sum += worth[lamp];
    return sum;
}

static void keep(uint32_t now_ms, uint8_t type, uint8_t size, uint8_t a, uint8_t b, uint8_t c) {
    struct reading reading = {.type = type, .size = size, .ticks_ms = now_ms, .field = {a, b, c}};
    resend_keep(&reading);
}

static void keep_state(uint32_t now_ms, uint8_t number) {
    struct reading state;
    if (!readings_state(number, &state)) return;
    state.ticks_ms = now_ms;
    resend_keep(&state);
}

uint32_t readings_capabilities(void) {
    uint32_t can = 0;
    if (wall_bits) can |= CAN_WALL | CAN_WALL_SLOT;
    if (hand_zone_bits) can |= CAN_HAND_ZONE;
    if (discard_bits) can |= CAN_DISCARD_COUNT;
    if (touch_bits) can |= CAN_DISCARD_TOUCH;
    if (button_bits) can |= CAN_BUTTONS;
    if (stick_bits) can |= CAN_READY_STICK;
    if (dealer_bits) can |= CAN_DEALER;
    if (die_bits) can |= CAN_DICE;
    if (bay_bits) can |= CAN_BAY;
    if (jam_bits) can |= CAN_JAM;
    if (lift_top_bits) can |= CAN_SET_COMPLETE;
    if (lift_top_bits && wall_bits) can |= CAN_TILE_MISSING;
    return can;
}

void readings_begin(void) {
    for (uint8_t seat = 0; seat < SEATS; seat++) {
        told.wall[seat] = wall_bits ? wall(seat) : 0;
        told.slot[seat] = -1;
        told.discards[seat] = discard_bits ? discards(seat) : 0;
    }
    told.dealer = dealer();
    told.counted = FULL_SET;
}

static void look_at_walls(uint32_t now_ms) {
    for (uint8_t side = 0; wall_bits && side < SEATS; side++) {
        uint8_t left = wall(side);
        if (left == told.wall[side]) continue;
        told.slot[side] = -1;
        for (uint8_t bit = 0; left < told.wall[side] && bit < 2 * WALL_STACKS; bit++) {
            uint8_t at = side * WALL_STRIDE + bit;
            if (input(inputs_changed.wall, at) && !input(inputs_now.wall, at)) told.slot[side] = bit / 2;
        }
        told.wall[side] = left;
        keep_state(now_ms, WALLS + side);
    }
}

static void look_at_zones(uint32_t now_ms) {
    for (uint8_t seat = 0; seat < SEATS; seat++) {
        if (seat < hand_zone_bits && input(inputs_changed.hand_zone, seat)) keep_state(now_ms, HANDS + seat);
        uint8_t lie = discard_bits ? discards(seat) : 0;
        bool touched = seat < touch_bits && input(inputs_changed.touch, seat);
        if (lie != told.discards[seat] || touched) {
            told.discards[seat] = lie;
            keep_state(now_ms, DISCARDS + seat);
        }
        if (seat < stick_bits && input(inputs_changed.stick, seat)) keep_state(now_ms, STICKS + seat);
        for (uint8_t call = 0; button_bits && call < CALLS; call++) {
            uint8_t bit = seat * BUTTON_STRIDE + call;
            if (input(inputs_changed.button, bit) && input(inputs_now.button, bit))
                keep(now_ms, BUTTON_PRESSED, 2, seat, call, 0);
        }
    }
}

static void look_at_machine(uint32_t now_ms) {
    for (uint8_t place = 0; place < jam_bits; place++)
        if (input(inputs_changed.jam, place)) keep_state(now_ms, JAMS + place);
    if (bay_bits && input(inputs_changed.bay, 0)) keep_state(now_ms, BAY);
    uint8_t seat = dealer();
    if (seat != told.dealer && seat != SEATS) {
        told.dealer = seat;
        keep_state(now_ms, DEALER);
    }
}

static void look_at_dice(uint32_t now_ms) {
    if (die_bits && inputs_changed.die[0]) {
        dice_changed_ms = now_ms;
        dice_roll = true;
    }
    if (!dice_roll || now_ms - dice_changed_ms < DICE_REST_MS) return;
    dice_roll = false;
    uint8_t first = pips(0), second = pips(1);
    if (first >= 1 && first <= 6 && second >= 1 && second <= 6) keep(now_ms, DICE_ROLLED, 3, first, second, 0);
}

/* The lift has brought the walls up: they are counted when they have come to rest. */
static void look_at_lift(uint32_t now_ms) {
    if (lift_top_bits && input(inputs_changed.lift_top, 0)) {
        walls_rest = input(inputs_now.lift_top, 0);
        lift_came_ms = now_ms;
    }
    if (!walls_rest || now_ms - lift_came_ms < WALLS_REST_MS) return;
    walls_rest = false;
    uint8_t counted = wall_bits ? wall(0) + wall(1) + wall(2) + wall(3) : FULL_SET;
    if (counted != told.counted) {
        told.counted = counted;
        keep_state(now_ms, COUNTED);
    }
    if (counted == FULL_SET) keep(now_ms, SET_BUILT, 1, FULL_SET, 0, 0);
}

void readings_look(uint32_t now_ms) {
    inputs_look();
    look_at_walls(now_ms);
    look_at_zones(now_ms);
    look_at_machine(now_ms);
    look_at_dice(now_ms);
    look_at_lift(now_ms);
}

uint8_t readings_states(void) { return STATES; }

/* The fields of a state of one seat, side or place. */
static bool state_of(struct reading *state, uint8_t type, uint8_t size, uint8_t a, uint8_t b, uint8_t c) {
    *state = (struct reading){.type = type, .size = size, .field = {a, b, c}};
    return true;
}

bool readings_state(uint8_t number, struct reading *state) {
    uint8_t at = number % SEATS;
    switch (number) {
    case WALLS ... HANDS - 1:
        return wall_bits && state_of(state, WALL_LEFT, 3, at, told.wall[at], told.slot[at]);
    case HANDS ... DISCARDS - 1:
        return at < hand_zone_bits && state_of(state, HAND_IN_ZONE, 2, at, input(inputs_now.hand_zone, at), 0);
    case DISCARDS ... STICKS - 1:
        return (discard_bits || at < touch_bits) &&
               state_of(state, DISCARDS_LIE, 3, at, told.discards[at], touch_bits && input(inputs_now.touch, at));
    case STICKS ... JAMS - 1:
        return at < stick_bits && state_of(state, READY_SLOT, 2, at, input(inputs_now.stick, at), 0);
    case JAMS ... DEALER - 1:
        at = number - JAMS;
        return at < jam_bits && state_of(state, JAMMED, 2, at, input(inputs_now.jam, at), 0);
    case DEALER:
        return told.dealer != SEATS && state_of(state, DEALER_SET, 1, told.dealer, 0, 0);
    case BAY:
        return bay_bits && state_of(state, BAY_MOVED, 1, input(inputs_now.bay, 0), 0, 0);
    case COUNTED:
        return wall_bits && lift_top_bits && state_of(state, TILES_MISSING, 2, FULL_SET, told.counted, 0);
    default:
        return false;
    }
}

bool readings_in_the_way(void) {
    return any(inputs_now.hand_zone, 0, hand_zone_bits) || any(inputs_now.bay, 0, bay_bits);
}
