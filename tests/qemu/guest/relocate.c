/* SPDX-License-Identifier: MIT */
#include <linux/elf.h>

#include "guest.h"

#define R_AARCH64_RELATIVE 1027

void relocate(void)
{
	const Elf64_Rela *end = (const Elf64_Rela *)_rela_end;

	for (const Elf64_Rela *r = (const Elf64_Rela *)_rela_start; r < end; r++)
		if (ELF64_R_TYPE(r->r_info) == R_AARCH64_RELATIVE)
			*(uint64_t *)(_head + r->r_offset) = (uint64_t)_head + r->r_addend;
}
