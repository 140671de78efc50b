/* SPDX-License-Identifier: MIT */
/* The console that a device tree, which fdt_check_tree has passed, names. */
#ifndef PAYLOAD_FDT_CONSOLE_H
#define PAYLOAD_FDT_CONSOLE_H

#include <stdbool.h>
#include <stdint.h>

#include "console_model.h"

struct console {
	uint64_t base; /* of its registers as the CPU sees them; 0: it has none */
	enum console_model model;
};

/*
 * What /chosen/stdout-path names (alias or path, ":options" ignored), else the hypervisor Xen where
 * the tree tells of it. Addresses are translated through ranges of parent buses. False, and
 * *console as it was: there is none, of no known model, or its registers begin at no multiple of
 * CONSOLE_ALIGN or do not end in the same page.
 */
bool fdt_console_read(const void *fdt, struct console *console);

#endif /* PAYLOAD_FDT_CONSOLE_H */
