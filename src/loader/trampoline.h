/* SPDX-License-Identifier: MIT */
/* Where the old kernel jumps to: kexec_load(2) passes no argument on (Linux arch/arm64/kernel/
 * machine_kexec.c), so the hand-off block's address comes from here. */
#ifndef LOADER_TRAMPOLINE_H
#define LOADER_TRAMPOLINE_H

#include <stdint.h>

struct trampoline {
	uint32_t code[4];  /* loads the two words behind it by their distance from itself */
	uint64_t argument; /* for x0 */
	uint64_t stage;
};

extern const struct trampoline trampoline;

/* kexpress.bin, in this program. */
extern const unsigned char stage_image[];
extern const unsigned char stage_image_end[];

#endif /* LOADER_TRAMPOLINE_H */
