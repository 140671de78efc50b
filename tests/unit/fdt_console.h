/* SPDX-License-Identifier: MIT */
/* A console on buses that translate its address. */
#ifndef TESTS_UNIT_FDT_CONSOLE_H
#define TESTS_UNIT_FDT_CONSOLE_H

#include "payload/fdt_console.h"

#include <stdio.h>

#include "tree.h"

/* How the console's tree differs from a good one, where it does. */
struct uart {
	const char *stdout_path; /* "serial0:115200n8" */
	const char *alias;	 /* "/soc/apb/uart@200" */
	size_t alias_size;	 /* the alias's, with its NUL */
	bool no_ranges;		 /* apb's ranges are missing */
	bool identity;		 /* apb's ranges are empty */
	uint32_t soc_size;	 /* of the range that soc maps, 0x10000 */
	uint32_t apb_address_cells;
	bool no_reg;
	uint32_t at;		/* on apb, 0x200 */
	const char *compatible; /* among others, "arm,pl011" */
	uint32_t reg_shift;	/* with reg_io_width, if that is not 0 */
	uint32_t reg_io_width;
};

static inline void add_uart(void *tree, const struct uart *uart)
{
	char compatible[100];
	int size = sprintf(compatible, "vendor,uart%c%s%carm,primecell", 0,
			   uart->compatible ? uart->compatible : "arm,pl011", 0);

	tree_node(tree, "uart@200");
	tree_bytes(tree, "compatible", compatible, (size_t)size + 1);
	if (!uart->no_reg)
		TREE_CELLS(tree, "reg", uart->at ? uart->at : 0x200, 0x1000);
	if (uart->reg_io_width) {
		tree_u32(tree, "reg-shift", uart->reg_shift);
		tree_u32(tree, "reg-io-width", uart->reg_io_width);
	}
	tree_close(tree);
}

/* uart 0x200 is 0x4200 on soc (apb's second range), 0x8_09004200 for the CPU. */
static inline void add_soc(void *tree, const struct uart *uart)
{
	tree_bus(tree, "soc", 1, 1);
	TREE_CELLS(tree, "ranges", 0, 8, 0x09000000, uart->soc_size ? uart->soc_size : 0x10000);
	tree_bus(tree, "apb", uart->apb_address_cells ? uart->apb_address_cells : 1, 1);
	if (uart->identity)
		tree_flag(tree, "ranges");
	else if (!uart->no_ranges)
		TREE_CELLS(tree, "ranges", 0x2000, 0x1f0, 0x1000, 0x100, 0x4100, 0x1f00);
	add_uart(tree, uart);
	tree_close(tree);
	tree_close(tree);
}

#endif /* TESTS_UNIT_FDT_CONSOLE_H */
