/* SPDX-License-Identifier: MIT */
/* What of a GICv3 can still write memory when its kernel is gone: redistributors, and ITSs. */
#ifndef PAYLOAD_FDT_GIC_H
#define PAYLOAD_FDT_GIC_H

#include <stdbool.h>
#include <stddef.h>

#include "../place/range.h"

#define FDT_GIC_REGIONS 16 /* of either; the largest machines have one a socket, or fewer */

struct fdt_gic {
	struct range redistributors[FDT_GIC_REGIONS];
	size_t redistributor_count;
	uint64_t stride; /* bytes from one redistributor to the next; 0: as its frames say */
	struct range its[FDT_GIC_REGIONS];
	size_t its_count;
};

/*
 * Reads the node of compatible "arm,gic-v3" (Linux Documentation/devicetree/bindings/
 * interrupt-controller/arm,gic-v3.yaml). What is malformed, or more than there is room for, is left
 * out. All counts 0: no such GIC, or the tree does not tell, as with ACPI.
 */
void fdt_read_gic(const void *fdt, struct fdt_gic *gic);

#endif /* PAYLOAD_FDT_GIC_H */
