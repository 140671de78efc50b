/* SPDX-License-Identifier: MIT */
/* What a board's board.h may leave out, with what that means. For C and assembly. */
#ifndef ENGINE_BOARD_DATA_H
#define ENGINE_BOARD_DATA_H

#include <board.h>

/* The console that tells of trouble before the device tree is read; at 0: none. */
#ifndef BOARD_EARLY_CONSOLE
#define BOARD_EARLY_CONSOLE	  0
#define BOARD_EARLY_CONSOLE_MODEL CONSOLE_PL011
#endif

/* Address of the device tree when x0 names nothing; 0: there has to be one in x0. */
#ifndef BOARD_FDT
#define BOARD_FDT 0
#endif

/* Two payload slots in flash, and the size of each; 0: none. */
#ifndef BOARD_SLOT_SIZE
#define BOARD_SLOT_A	0
#define BOARD_SLOT_B	0
#define BOARD_SLOT_SIZE 0
#endif

/* Distributor, CPU interface (GICv2) and redistributors (GICv3), for an entry at EL3; 0: they are
 * left alone. */
#ifndef BOARD_GICD
#define BOARD_GICD 0
#define BOARD_GICC 0
#define BOARD_GICR 0
#endif

/* What CNTFRQ_EL0 is set to at EL3 where it is 0, in Hz. */
#ifndef BOARD_CNTFRQ
#define BOARD_CNTFRQ 0
#endif

#endif /* ENGINE_BOARD_DATA_H */
