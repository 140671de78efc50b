/* SPDX-License-Identifier: MIT */
#include "relocate.h"

#include <linux/elf.h>

#include "image_layout.h"

#define R_AARCH64_RELATIVE 1027

void relocate(void)
{
	uint64_t base = image_address(_head);
	const Elf64_Rela *end = (const Elf64_Rela *)image_address(_rela_end);

	for (const Elf64_Rela *r = (const Elf64_Rela *)image_address(_rela_start); r < end; r++) {
		if (ELF64_R_TYPE(r->r_info) == R_AARCH64_RELATIVE)
			*(volatile uint64_t *)(base + r->r_offset) = base + (uint64_t)r->r_addend;
	}
}
