/* SPDX-License-Identifier: MIT */
/* QEMU's "sbsa-ref" machine; for C and assembly. */
#ifndef BOARD_H
#define BOARD_H

/* The console that tells of trouble before the device tree is read: the first PL011. */
#define BOARD_EARLY_CONSOLE	  0x60000000
#define BOARD_EARLY_CONSOLE_MODEL CONSOLE_PL011

#endif /* BOARD_H */
