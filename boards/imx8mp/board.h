/* SPDX-License-Identifier: MIT */
/* NXP i.MX 8M Plus EVK; for C and assembly. */
#ifndef BOARD_H
#define BOARD_H

/* The console that tells of trouble before the device tree is read: UART2. */
#define BOARD_EARLY_CONSOLE	  0x30890000
#define BOARD_EARLY_CONSOLE_MODEL CONSOLE_IMX

#endif /* BOARD_H */
