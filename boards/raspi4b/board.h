/* SPDX-License-Identifier: MIT */
/* Raspberry Pi 4 B; for C and assembly. */
#ifndef BOARD_H
#define BOARD_H

/* The console that tells of trouble before the device tree is read: the mini UART, on the 40-pin
 * header's pins 8 and 10. */
#define BOARD_EARLY_CONSOLE	  0xfe215040
#define BOARD_EARLY_CONSOLE_MODEL CONSOLE_BCM2835_AUX

#endif /* BOARD_H */
