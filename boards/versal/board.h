/* SPDX-License-Identifier: MIT */
/* Xilinx Versal; for C and assembly. */
#ifndef BOARD_H
#define BOARD_H

/* The console that tells of trouble before the device tree is read: UART0, a PL011. */
#define BOARD_EARLY_CONSOLE	  0xff000000
#define BOARD_EARLY_CONSOLE_MODEL CONSOLE_PL011

#endif /* BOARD_H */
