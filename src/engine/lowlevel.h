/* SPDX-License-Identifier: MIT */
/* What asm/ provides to C. Each function's contract stands at its definition there. */
#ifndef ENGINE_LOWLEVEL_H
#define ENGINE_LOWLEVEL_H

#include <stddef.h>
#include <stdint.h>

#include "../kimage/run.h"
#include "entry.h"

/* asm/console.S */
void console_put(char c);

/* asm/crash.S */
void refuse_boot_map(void) __attribute__((noreturn));

/* asm/efi.S */
void efi_clean(uint64_t start, uint64_t end);
void efi_leave(uint64_t fdt, uint64_t image) __attribute__((noreturn));

/* asm/mmu.S */
void mmu_switch(uint64_t ttbr0, uint64_t ttbr1, uint64_t tcr);

/* asm/copy.S */
void copy_plain(uint64_t to, uint64_t from, uint64_t bytes);
void copy_near(uint64_t to, uint64_t from, uint64_t bytes);
void copy_far(uint64_t to, uint64_t from, uint64_t bytes);
void copy_zva(uint64_t to, uint64_t from, uint64_t bytes);
void copy_mops(uint64_t to, uint64_t from, uint64_t bytes);
void copy_plain_clean(uint64_t to, uint64_t from, uint64_t bytes, uint64_t behind);
void copy_near_clean(uint64_t to, uint64_t from, uint64_t bytes, uint64_t behind);
void copy_far_clean(uint64_t to, uint64_t from, uint64_t bytes, uint64_t behind);
void copy_zva_clean(uint64_t to, uint64_t from, uint64_t bytes, uint64_t behind);
uint64_t copy_line_size(void);
uint64_t copy_zva_size(void);
void copy_bytes(uint64_t to, uint64_t from, uint64_t bytes);

/* asm/move.S */
void move_zero(uint64_t start, uint64_t end);
void move_uncached(const struct run *runs, size_t count);

/* asm/cache.S */
void cache_clean(uint64_t start, uint64_t end);
void cache_clean_invalidate(uint64_t start, uint64_t end);
void cache_invalidate_instructions(void);

/* asm/sha256.S */
void sha256_blocks(uint8_t *state, const void *data, size_t blocks);

/* asm/jump.S */
void jump(uint64_t x0, uint64_t x1, uint64_t x2, uint64_t x3, uint64_t entry)
	__attribute__((noreturn));
void jump_el1(uint64_t x0, uint64_t x1, uint64_t x2, uint64_t x3, uint64_t entry)
	__attribute__((noreturn));
void return_to_caller(uint64_t error, const struct entry_state *entry, uint64_t where)
	__attribute__((noreturn));

#endif /* ENGINE_LOWLEVEL_H */
