/* SPDX-License-Identifier: MIT */
/*
 * What the payload's own device tree has to take over from the machine's: where memory is and what
 * of it is reserved, the console, the seeds, where EFI firmware's services are.
 */
#ifndef PAYLOAD_FDT_ADOPT_H
#define PAYLOAD_FDT_ADOPT_H

/*
 * Completes fdt, open for writing, from machine; both have passed fdt_check_tree.
 * Returns 0 or an error of libfdt.
 */
int fdt_adopt_machine(void *fdt, const void *machine);

/* Makes memory nodes no-operations. */
void fdt_adopt_drop_memory(void *fdt);

/* /chosen, made where there is none, or an error of libfdt. */
int fdt_adopt_chosen_node(void *fdt);

#endif /* PAYLOAD_FDT_ADOPT_H */
