/* SPDX-License-Identifier: MIT */
/*
 * What the engine needs to know from the device tree it was given. Every function reads only inside
 * [fdt, fdt + fdt_totalsize) and takes nothing the tree says on trust; fdt_check_tree comes first.
 */
#ifndef PAYLOAD_FDT_READ_H
#define PAYLOAD_FDT_READ_H

#include <kexpress/error.h>
#include <stdbool.h>

#include "../place/range.h"

/*
 * Collects usable RAM: /memory nodes (device_type "memory", any name, any number, status not
 * disabled; linux,usable-memory overrides reg), limited by /chosen/linux,usable-memory-range where
 * present (kdump), each range shrunk to whole 4 KiB pages, minus /reserved-memory children with
 * no-map. Errors: NO_MEMORY, RANGES, FDT.
 */
enum kx_error fdt_read_ram(const void *fdt, struct range_set *ram, struct kx_refusal *why);

/* Takes /reserved-memory children with no-map out of RAM that comes from elsewhere. Errors: RANGES,
 * FDT. */
enum kx_error fdt_remove_no_map(const void *fdt, struct range_set *ram, struct kx_refusal *why);

/* Collects what lies in RAM but must not be overwritten: the memory reservation block but for the
 * initrd's entry, /reserved-memory children with reg, linux,elfcorehdr (kdump) and the release
 * addresses of CPUs that wait in a spin table, grown to whole 4 KiB pages. Errors: RANGES, FDT. */
enum kx_error fdt_read_reserved(const void *fdt, struct range_set *reserved,
				struct kx_refusal *why);

/* /chosen/linux,initrd-start and -end, 32 or 64 bits wide. False: absent or malformed. */
bool fdt_read_initrd(const void *fdt, struct range *initrd);

/* /chosen/bootargs, or "". */
const char *fdt_read_bootargs(const void *fdt);

/* PSCI: true if /psci exists with a method; *hvc tells "hvc" from "smc". */
bool fdt_read_psci(const void *fdt, bool *hvc);

#endif /* PAYLOAD_FDT_READ_H */
