/* The two checks of avr-libc's header of this name, for compiling frame.c on the computer that tests it. */
#ifndef HOST_CRC16_H
#define HOST_CRC16_H

#include <stdint.h>

static inline uint16_t crc16_update(uint16_t crc, uint8_t byte, uint16_t polynomial) {
    crc ^= byte;
    for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >> 1 ^ polynomial : crc >> 1;
    return crc;
}

static inline uint16_t _crc16_update(uint16_t crc, uint8_t byte) { return crc16_update(crc, byte, 0xA001); }

static inline uint16_t _crc_ccitt_update(uint16_t crc, uint8_t byte) { return crc16_update(crc, byte, 0x8408); }

#endif
