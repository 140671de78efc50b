/* SPDX-License-Identifier: MIT */
/* Xilinx ZCU102, Zynq UltraScale+; for C and assembly. */
#ifndef BOARD_H
#define BOARD_H

/* The console that tells of trouble before the device tree is read: UART0. */
#define BOARD_EARLY_CONSOLE	  0xff000000
#define BOARD_EARLY_CONSOLE_MODEL CONSOLE_CADENCE

#endif /* BOARD_H */
