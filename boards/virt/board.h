/* SPDX-License-Identifier: MIT */
/* QEMU's "virt" machine; for C and assembly. */
#ifndef BOARD_H
#define BOARD_H

/* The console that tells of trouble before the device tree is read: a PL011. */
#define BOARD_EARLY_CONSOLE	  0x09000000
#define BOARD_EARLY_CONSOLE_MODEL CONSOLE_PL011

#endif /* BOARD_H */
