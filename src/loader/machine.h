/* SPDX-License-Identifier: MIT */
/* What the running kernel tells of the machine. */
#ifndef LOADER_MACHINE_H
#define LOADER_MACHINE_H

#include "iomem.h"
#include "layout.h"

struct machine {
	const void *tree;	/* as the kernel was given it, checked */
	struct range_set ram;	/* that this kernel has, and the next one will know of */
	struct range_set avoid; /* what of it must be left alone */
	uint32_t psci;		/* KX_HANDOFF_PSCI_*, where only ACPI says it */
};

/* The device tree, checked. With ACPI there is one, too: that is how the kernel is told of EFI. */
const void *machine_tree(void);

/* Whatever cannot be read ends the process. */
struct machine machine_read(void);

/*
 * What was reserved at boot may have been freed since, as the initramfs is. Memory that the kernel
 * has given to us is nobody else's: it need not be avoided, unless the device tree says so, which
 * the next kernel will read again. Single pages are left out: they would cut it into too many
 * ranges.
 */
void machine_own(struct machine *machine, const struct chunk *chunks, size_t count);

#endif /* LOADER_MACHINE_H */
