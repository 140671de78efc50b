/* SPDX-License-Identifier: MIT */
/*
 * What the caller is told to do. scene.py puts this block into memory before the machine starts,
 * and takes address, flags and layout from this file.
 */
#ifndef CALLER_CONFIG_H
#define CALLER_CONFIG_H

#define CALLER_CONFIG_ADDRESS 0x40100000 /* below where QEMU loads a kernel */

/* 8 bytes a CPU, by number: where it looks for its entry. The CPUs run in the caller meanwhile. */
#define CALLER_SPIN_TABLE 0x40110000
#define CALLER_SPIN_SIZE  0x1000
#define CALLER_SPIN_LATE  0xff8 /* in the table: not 0: they are late */

/* config.flags */
#define CALLER_EL1	0x1    /* drop from EL2 to EL1 */
#define CALLER_E2H	0x2    /* HCR_EL2.E2H and TGE */
#define CALLER_MMU	0x4    /* MMU and caches on */
#define CALLER_EE	0x8    /* data accesses big-endian */
#define CALLER_UNMASKED 0x10   /* interrupts and SError not masked */
#define CALLER_SERROR	0x20   /* an SError pending at EL1 */
#define CALLER_GARBAGE	0x40   /* in x1 to x18 and sp */
#define CALLER_ARGUMENT 0x80   /* x0 is config.argument; else our own device tree */
#define CALLER_FDT	0x100  /* argument is a hand-off block that gets our own device tree */
#define CALLER_RETURN	0x200  /* and an address to return to, and our own memory to be kept */
#define CALLER_DIRTY	0x400  /* leave dirty lines in the caches, all over config.dirty */
#define CALLER_NO_ZVA	0x800  /* DC ZVA prohibited at EL1 */
#define CALLER_SPIN	0x1000 /* other CPUs wait in a spin table, which begins as below */
#define CALLER_LATE	0x2000 /* and come only once the landing page is closed */

#define CALLER_DIRTY_MAX 4096

#ifndef __ASSEMBLER__
#include <stdint.h>

struct caller_config {
	uint64_t flags;
	uint64_t stage; /* where kexpress is */
	uint64_t argument;
	uint64_t stage_end;
	struct dirty_range {
		uint64_t start; /* whole cache lines */
		uint64_t end;	/* 0: this is no range, and there are no more */
	} dirty[CALLER_DIRTY_MAX + 1];
};
#endif

#endif /* CALLER_CONFIG_H */
