/* SPDX-License-Identifier: MIT */
/* A console on buses that translate its address. */
#ifndef TESTS_UNIT_FDT_CONSOLE_H
#define TESTS_UNIT_FDT_CONSOLE_H

#include "tree.h"

#define UART "arm,pl011"

/* How the console's tree differs from a good one. */
struct console {
	const char *stdout_path; /* "serial0:115200n8" */
	const char *alias;	 /* "/soc/apb/uart@200" */
	size_t alias_size;	 /* the alias's, with its NUL */
	bool no_ranges;		 /* apb's ranges are missing */
	bool identity;		 /* apb's ranges are empty */
	uint32_t soc_size;	 /* of the range that soc maps, 0x10000 */
	uint32_t apb_address_cells;
	bool no_reg;
};

static inline void add_uart(void *tree, const struct console *console)
{
	static const char compatible[] = "vendor,uart\0" UART "\0arm,primecell";

	tree_node(tree, "uart@200");
	tree_bytes(tree, "compatible", compatible, sizeof(compatible));
	if (!console->no_reg)
		TREE_CELLS(tree, "reg", 0x200, 0x1000);
	tree_close(tree);
}

/* uart 0x200 is 0x4200 on soc (apb's second range), 0x8_09004200 for the CPU. */
static inline void add_soc(void *tree, const struct console *console)
{
	tree_bus(tree, "soc", 1, 1);
	TREE_CELLS(tree, "ranges", 0, 8, 0x09000000,
		   console->soc_size ? console->soc_size : 0x10000);
	tree_bus(tree, "apb", console->apb_address_cells ? console->apb_address_cells : 1, 1);
	if (console->identity)
		tree_flag(tree, "ranges");
	else if (!console->no_ranges)
		TREE_CELLS(tree, "ranges", 0x1000, 0x1f0, 0x1000, 0x100, 0x4100, 0x400);
	add_uart(tree, console);
	tree_close(tree);
	tree_close(tree);
}

#endif /* TESTS_UNIT_FDT_CONSOLE_H */
