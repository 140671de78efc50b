/* SPDX-License-Identifier: MIT */
/* Registers of devices, behind whatever buses. */
#ifndef PAYLOAD_FDT_BUS_H
#define PAYLOAD_FDT_BUS_H

#include <stdbool.h>
#include <stddef.h>

#include "../place/range.h"

/* Pair number index of a node's reg, as the CPU sees it. False: there is none, or a bus on the way
 * is not mapped. */
bool fdt_bus_registers(const void *fdt, int node, size_t index, struct range *registers);

#endif /* PAYLOAD_FDT_BUS_H */
