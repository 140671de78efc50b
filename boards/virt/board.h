/* SPDX-License-Identifier: MIT */
/* QEMU's "virt" machine; for C and assembly. */
#ifndef BOARD_H
#define BOARD_H

/* The console that tells of trouble before the device tree is read: a PL011. */
#define BOARD_EARLY_CONSOLE	  0x09000000
#define BOARD_EARLY_CONSOLE_MODEL CONSOLE_PL011

/* Where the device tree is when x0 names none: QEMU leaves it at the start of RAM when it starts a
 * program in flash. */
#define BOARD_FDT 0x40000000

/* The stage in flash, and where in RAM it goes from there. */
#define BOARD_FLASH 0x00000000
#define BOARD_LOAD  0x42000000

/* Two payload slots of the same size, in whole erase blocks. Both are in the second bank: with
 * secure=on the first one is secure. */
#define BOARD_SLOT_A	  0x04000000
#define BOARD_SLOT_B	  0x06000000
#define BOARD_SLOT_SIZE	  0x02000000
#define BOARD_ERASE_BLOCK 0x00040000
#define BOARD_FLASH_BANK  0x04000000 /* size of each of the two files that QEMU wants */

/* Where a reset leaves us at EL3, nobody has told the GIC yet what is not secure. */
#define BOARD_GICD 0x08000000
#define BOARD_GICC 0x08010000 /* GICv2 */
#define BOARD_GICR 0x080a0000 /* GICv3 */

/* Hz, where a reset leaves CNTFRQ_EL0 at 0. */
#define BOARD_CNTFRQ 62500000

#endif /* BOARD_H */
