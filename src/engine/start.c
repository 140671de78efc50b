/* SPDX-License-Identifier: MIT */
/* From assembly to main: what C and its library need, with the MMU on. */
#include <arm64/sysreg.h>
#include <linux/elf.h>
#include <string.h>

#include "console.h"
#include "image_layout.h"
#include "stage.h"

#define R_AARCH64_RELATIVE 1027
#define TLS_HEAD	   16 /* the C library's thread block begins this far behind TPIDR_EL0 */
#define TLS_SIZE	   64

#define SERROR_EXPECTED ~0ull /* asm/crash.S */

void start(const struct entry_state *entry) __attribute__((noreturn));
void stage_main(const struct entry_state *entry) __attribute__((noreturn));

static void relocate(void)
{
	const Elf64_Rela *end = (const Elf64_Rela *)_rela_end;

	for (const Elf64_Rela *r = (const Elf64_Rela *)_rela_start; r < end; r++) {
		if (ELF64_R_TYPE(r->r_info) == R_AARCH64_RELATIVE)
			*(uint64_t *)(_head + r->r_offset) = (uint64_t)_head + r->r_addend;
	}
}

/*
 * Takes an SError that firmware left pending, which the kernel would be blamed for the moment it
 * unmasks them (U-Boot 6c7691edd55). Returns whether there was one.
 */
static bool take_pending_serror(void)
{
	if (!(sysreg_read(isr_el1) >> ISR_A_BIT & 1))
		return false;
	sysreg_write(tpidr_el1, SERROR_EXPECTED);
	__asm__ volatile("msr daifclr, #4\n"
			 "isb\n"
			 "msr daifset, #4\n"
			 :
			 :
			 : "x26", "memory");
	return sysreg_read(tpidr_el1) == 0;
}

void start(const struct entry_state *entry)
{
	static char tls[TLS_SIZE];

	relocate();
	memset(_bss_start, 0, _bss_end - _bss_start);
	sysreg_write(tpidr_el0, tls);
	if (take_pending_serror())
		say("warning: an SError was pending on entry; taken and dropped");
	stage_main(entry);
}
