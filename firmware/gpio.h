/* Pins by the names pins.h gives them: "port letter, number". */
#ifndef GPIO_H
#define GPIO_H

#include <avr/io.h>

#include "pins.h"

#define GPIO_JOIN_(a, b) a##b
#define GPIO_REG_(reg, port, pin) GPIO_JOIN_(reg, port)
#define GPIO_BIT_(port, pin) (1 << (pin))
#define GPIO_REG(reg, ...) GPIO_REG_(reg, __VA_ARGS__)
#define GPIO_BIT(...) GPIO_BIT_(__VA_ARGS__)

#define pin_output(...) (GPIO_REG(DDR, __VA_ARGS__) |= GPIO_BIT(__VA_ARGS__))
#define pin_pull_up(...) (GPIO_REG(PORT, __VA_ARGS__) |= GPIO_BIT(__VA_ARGS__))
#define pin_high(...) (GPIO_REG(PORT, __VA_ARGS__) |= GPIO_BIT(__VA_ARGS__))
#define pin_low(...) (GPIO_REG(PORT, __VA_ARGS__) &= (uint8_t)~GPIO_BIT(__VA_ARGS__))
#define pin_is_high(...) (GPIO_REG(PIN, __VA_ARGS__) & GPIO_BIT(__VA_ARGS__))

#endif
