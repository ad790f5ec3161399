/* The reference firmware on an emulated board: UART on a pty, sensors on pins that the tests move. A test tool only: simavr
 * is under the GPL and never part of the product.
 *
 *     emulator controller.elf atmega328p eeprom.bin
 *
 * Built once per processor with the firmware's own pins.h, so that what is wired where is written once. It says on stdout
 *     pty PATH | lift 0|1 | lock 0|1 | lamps RRGGBB ... (when they change) | played
 * and takes from stdin
 *     set GROUP BIT 0|1      moves one input; 1 is "yes"
 *     play COUNT PERIOD_MS   discards laid seat after seat, one each so many ms of the board's time; each 25th clears a seat
 *     more COUNT             so many more of them
 *     bounce GROUP BIT       an input turns to "yes" after 30 ms of bouncing, each 3 ms
 *     reset | hang           the reset button; a program run wild
 * The board's time runs with the clock, or slower when this computer is busy.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include <avr_eeprom.h>
#include <avr_ioport.h>
#include <avr_uart.h>
#include <sim_avr.h>
#include <sim_elf.h>

#include "pins.h"

#define HZ 16000000UL
#define LOOK_CYCLES (HZ / 4000) /* how often the outside world is looked at */
#define PIN_(port, pin) avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ(#port[0]), pin)
#define PIN(...) PIN_(__VA_ARGS__)
#define BYTES(bits) (((bits) + 7) / 8)

static avr_t *avr;
static int line;
static avr_irq_t *uart_in;
static bool uart_full; /* it takes no more bytes now */

/* Sensors. `chain` holds the levels at the shift registers' inputs, `level` those at the single pins, in the order of PINS. */
enum { LOW, HIGH };
static const struct group { const char *name; int bits, active; } groups[] = {
#define X(name, bits, active) {#name, bits, active},
    ON_CHAIN(X) ON_PINS(X)
#undef X
};
static const struct wire { const char *group; int bit; char port; int pin; } wires[] = {
#define X(group, bit, port, pin) {#group, bit, #port[0], pin},
    PINS(X)
#undef X
};
enum { GROUPS = sizeof groups / sizeof *groups, WIRES = sizeof wires / sizeof *wires };
enum { CHAINED = 0
#define X(name, bits, active) + BYTES(bits)
    ON_CHAIN(X)
#undef X
};
static uint8_t chain[CHAINED + 1], shifted[CHAINED + 1], level[WIRES];
static unsigned shift_at;
static avr_irq_t *chain_data, *pins[WIRES];
/* A sensor drives its pin: simavr would else let the pull-up win with every write to the port. */
static void drive(avr_irq_t *irq, char port, int pin, int high) {
    static avr_ioport_external_t driven[26];
    avr_ioport_external_t *all = &driven[port - 'A'];
    uint8_t mask = 1 << pin;
    if (!(all->mask & mask) || !(all->value & mask) != !high) {
        all->name = port;
        all->mask |= mask;
        all->value = high ? all->value | mask : all->value & ~mask;
        avr_ioctl(avr, AVR_IOCTL_IOPORT_SET_EXTERNAL(port), all);
    }
    avr_raise_irq(irq, high);
}

#define DRIVE_(irq, port, pin, high) drive(irq, #port[0], pin, high)
#define DRIVE(...) DRIVE_(__VA_ARGS__)
static void show_data(void) {
    int bit = shift_at < CHAINED * 8 ? shifted[shift_at / 8] >> (7 - shift_at % 8) & 1 : 1;
    DRIVE(chain_data, CHAIN_DATA, bit);
}

static void on_load(avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq, (void)param;
    if (value & 1) return;
    memcpy(shifted, chain, sizeof chain);
    shift_at = 0;
    show_data();
}

static void on_clock(avr_irq_t *irq, uint32_t value, void *param) {
    (void)param;
    if (!(value & 1) || irq->value == value) return;
    shift_at++;
    show_data();
}

static void set(const char *name, int bit, int yes) {
    int first = 0;
    for (int n = 0; n < GROUPS; first += BYTES(groups[n++].bits)) {
        if (strcmp(groups[n].name, name) || bit < 0 || bit >= groups[n].bits) continue;
        int high = groups[n].active == HIGH ? yes : !yes;
        for (int w = 0; w < WIRES; w++) {
            if (strcmp(wires[w].group, name) || wires[w].bit != bit) continue;
            level[w] = high;
            return;
        }
        uint8_t *byte = &chain[first + bit / 8], mask = 1 << bit % 8;
        *byte = high ? *byte | mask : *byte & ~mask;
        return;
    }
    fprintf(stderr, "no input %s %d\n", name, bit);
    exit(2);
}

static void apply_levels(void) {
    for (int w = 0; w < WIRES; w++) drive(pins[w], wires[w].port, wires[w].pin, level[w]);
}

/* At the reset vector: simavr has forgotten what is applied to the pins and does not tell that the receiver is empty. */
static void on_reset(void) {
    avr_raise_irq(chain_data, !chain_data->value);
    for (int w = 0; w < WIRES; w++) avr_raise_irq(pins[w], !level[w]);
    show_data();
    apply_levels();
    uart_full = false;
}

static void begin_sensors(void) {
    memset(chain, 0xFF, sizeof chain);
    chain_data = PIN(CHAIN_DATA);
    for (int w = 0; w < WIRES; w++)
        pins[w] = avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ(wires[w].port), wires[w].pin);
    avr_irq_register_notify(PIN(CHAIN_LOAD), on_load, NULL);
    avr_irq_register_notify(PIN(CHAIN_CLOCK), on_clock, NULL);
    for (int n = 0; n < GROUPS; n++)
        for (int bit = 0; bit < groups[n].bits; bit++) set(groups[n].name, bit, 0);
}

/* Outputs. */
static void on_pin(avr_irq_t *irq, uint32_t value, void *param) {
    if (irq->value != value) printf("%s %u\n", (const char *)param, value & 1);
}

static uint32_t strip_data;
static void on_strip_data(avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq, (void)param;
    strip_data = value & 1;
}

static void on_strip_clock(avr_irq_t *irq, uint32_t value, void *param) {
    static uint32_t word = UINT32_MAX, now[LAMPS], told[LAMPS];
    static int bits = -1; /* since the 32 zeros that begin a message; -1 before them */
    (void)param;
    if (!(value & 1) || irq->value == value) return;
    word = word << 1 | strip_data;
    if (bits < 0) {
        bits = word ? -1 : 0;
        return;
    }
    if (++bits % 32) return;
    now[bits / 32 - 1] = (word & 0xFF) << 16 | (word & 0xFF00) | (word >> 16 & 0xFF);
    if (bits < 32 * LAMPS) return;
    bits = -1;
    word = UINT32_MAX;
    if (!memcmp(now, told, sizeof now)) return;
    memcpy(told, now, sizeof now);
    printf("lamps");
    for (int n = 0; n < LAMPS; n++) printf(" %06x", now[n]);
    printf("\n");
}

/* The line. */
static void on_uart_out(avr_irq_t *irq, uint32_t value, void *param) {
    uint8_t byte = value;
    (void)irq, (void)param;
    if (write(line, &byte, 1) < 0 && errno != EAGAIN && errno != EIO) perror("pty");
}

static void on_xon(avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq, (void)value, (void)param;
    uart_full = false;
}

static void on_xoff(avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq, (void)value, (void)param;
    uart_full = true;
}

static void begin_line(void) {
    int slave;
    char path[128];
    struct termios raw;
    uint32_t flags = 0;
    if (openpty(&line, &slave, path, NULL, NULL)) exit(1);
    tcgetattr(slave, &raw);
    cfmakeraw(&raw);
    tcsetattr(slave, TCSANOW, &raw);
    fcntl(line, F_SETFL, O_NONBLOCK);
    avr_ioctl(avr, AVR_IOCTL_UART_GET_FLAGS('0'), &flags);
    flags &= ~(AVR_UART_FLAG_STDIO | AVR_UART_FLAG_POLL_SLEEP);
    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    uart_in = avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), on_uart_out, NULL);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUT_XON), on_xon, NULL);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUT_XOFF), on_xoff, NULL);
    printf("pty %s\n", path); /* the slave stays open here: readers may come and go */
}

static void hear_line(void) {
    uint8_t byte;
    while (!uart_full && read(line, &byte, 1) == 1) avr_raise_irq(uart_in, byte);
}

/* The board's memory of how often it was started, kept as a real one keeps it. */
static const char *eeprom_path;
static uint8_t eeprom[4];

static void load_eeprom(void) {
    FILE *file = fopen(eeprom_path, "rb");
    avr_eeprom_desc_t whole = {.ee = eeprom, .offset = 0, .size = sizeof eeprom};
    if (!file) return;
    if (fread(eeprom, 1, sizeof eeprom, file) == sizeof eeprom) avr_ioctl(avr, AVR_IOCTL_EEPROM_SET, &whole);
    fclose(file);
}

static void save_eeprom(void) {
    uint8_t now[sizeof eeprom];
    avr_eeprom_desc_t whole = {.ee = now, .offset = 0, .size = sizeof now};
    avr_ioctl(avr, AVR_IOCTL_EEPROM_GET, &whole);
    if (!memcmp(now, eeprom, sizeof now)) return;
    memcpy(eeprom, now, sizeof now);
    FILE *file = fopen(eeprom_path, "wb");
    if (!file || fwrite(now, 1, sizeof now, file) != sizeof now) exit(1);
    fclose(file);
}

/* What stdin asks for. */
static unsigned play_count, played;
static avr_cycle_count_t play_every, play_next;

static void play(void) {
    int seat = played % 4, laid = played / 4 % 25;
    if (laid < 24) {
        set("discard", seat * DISCARD_STRIDE + laid, 1);
    } else {
        for (int bit = 0; bit < 24; bit++) set("discard", seat * DISCARD_STRIDE + bit, 0);
    }
    if (++played == play_count) printf("played\n");
}

static char bounce_group[32];
static int bounce_bit, bounces;
static avr_cycle_count_t bounce_next;

static void bounce(void) {
    set(bounce_group, bounce_bit, --bounces % 2 == 0);
    bounce_next = avr->cycle + 3 * (HZ / 1000);
}

static void hang(void) {
    for (avr_flashaddr_t at = 0; at + 1 < avr->flashend; at += 2) {
        if (avr->flash[at] != 0xFF || avr->flash[at + 1] != 0xCF) continue;
        avr->pc = at; /* the program's own last instruction: jump to itself */
        return;
    }
    exit(3);
}

static void obey(char *words) {
    char name[32];
    int bit, yes;
    unsigned count, period;
    if (sscanf(words, "set %31s %d %d", name, &bit, &yes) == 3) {
        set(name, bit, yes);
    } else if (sscanf(words, "play %u %u", &count, &period) == 2) {
        play_count = count;
        played = 0;
        play_every = period * (HZ / 1000);
        play_next = avr->cycle;
    } else if (sscanf(words, "more %u", &count) == 1) {
        if (played == play_count) play_next = avr->cycle;
        play_count += count;
    } else if (sscanf(words, "bounce %31s %d", bounce_group, &bounce_bit) == 2) {
        bounces = 11;
    } else if (!strncmp(words, "reset", 5)) {
        avr_reset(avr);
    } else if (!strncmp(words, "hang", 4)) {
        hang();
    } else {
        fprintf(stderr, "not understood: %s\n", words);
        exit(2);
    }
}

static void hear_orders(void) {
    static char held[65536];
    static size_t size;
    struct pollfd in = {.fd = 0, .events = POLLIN};
    if (poll(&in, 1, 0) <= 0) return;
    ssize_t got = read(0, held + size, sizeof held - 1 - size);
    if (got <= 0) exit(0); /* who started us is gone */
    size += got;
    held[size] = 0;
    char *from = held, *end;
    while ((end = strchr(from, '\n'))) {
        *end = 0;
        obey(from);
        from = end + 1;
    }
    size = held + size - from;
    memmove(held, from, size);
}

static void no_sleep(avr_t *one, avr_cycle_count_t cycles) { (void)one, (void)cycles; }

static void keep_pace(void) {
    static struct timespec began;
    static avr_cycle_count_t began_cycle;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double ahead = (avr->cycle - began_cycle) / (double)HZ - (now.tv_sec - began.tv_sec) - (now.tv_nsec - began.tv_nsec) / 1e9;
    if (!began.tv_sec || ahead < -0.05) {
        began = now;
        began_cycle = avr->cycle;
    } else if (ahead > 0.0005) {
        usleep((useconds_t)(ahead * 1e6));
    }
}

int main(int argc, char **argv) {
    elf_firmware_t firmware = {0};
    if (argc != 4 || elf_read_firmware(argv[1], &firmware)) return 1;
    avr = avr_make_mcu_by_name(argv[2]);
    eeprom_path = argv[3];
    if (!avr) return 1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    avr_init(avr);
    avr->frequency = HZ;
    avr->log = LOG_ERROR;
    avr->sleep = no_sleep;
    avr_load_firmware(avr, &firmware);
    avr->frequency = HZ;
    memset(eeprom, 0xFF, sizeof eeprom);
    load_eeprom();
    begin_sensors();
    apply_levels();
    avr_irq_register_notify(PIN(LIFT_OUT), on_pin, "lift");
    avr_irq_register_notify(PIN(LOCK_OUT), on_pin, "lock");
    avr_irq_register_notify(PIN(LAMP_DATA), on_strip_data, NULL);
    avr_irq_register_notify(PIN(LAMP_CLOCK), on_strip_clock, NULL);
    begin_line();
    for (avr_cycle_count_t look = 0;;) {
        int state = avr_run(avr);
        if (state == cpu_Crashed || state == cpu_Done) {
            fprintf(stderr, "the program ended (%d)\n", state);
            return 4;
        }
        if (!avr->pc) on_reset();
        if (play_count > played && avr->cycle >= play_next) {
            play_next += play_every;
            play();
        }
        if (bounces && avr->cycle >= bounce_next) bounce();
        if (avr->cycle < look) continue;
        look = avr->cycle + LOOK_CYCLES;
        apply_levels();
        hear_line();
        hear_orders();
        save_eeprom();
        keep_pace();
    }
}
