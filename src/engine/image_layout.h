/* SPDX-License-Identifier: MIT */
/* Our own image as linker.ld lays it out. Each symbol starts a page but those of .bss. */
#ifndef ENGINE_IMAGE_LAYOUT_H
#define ENGINE_IMAGE_LAYOUT_H

#include <stdint.h>

/* Memory that start.c does not clear: whoever uses it fills it first. */
#define NOINIT __attribute__((section(".noinit")))

/* Hidden: else their addresses come from the GOT, which is not relocated at first. */
#pragma GCC visibility push(hidden)
extern char _head[], _text_end[], _rodata_end[], _image_file_end[];
extern char _bss_start[], _bss_end[], _stack_guard[];
extern char _stack_start[], _early_start[], _early_end[], _end[];
extern char _rela_start[], _rela_end[];
#pragma GCC visibility pop

/*
 * A symbol's address by instructions alone. A compiler may turn several &symbol into a table of
 * absolute addresses, which is not relocated yet while the first map is built.
 */
#define image_address(symbol)                        \
	({                                           \
		uint64_t address_;                   \
		__asm__("adrp %0, " #symbol "\n"     \
			"add %0, %0, :lo12:" #symbol \
			: "=r"(address_));           \
		address_;                            \
	})

#endif /* ENGINE_IMAGE_LAYOUT_H */
