/* SPDX-License-Identifier: MIT */
/*
 * What the freestanding programs of these tests share. They run on QEMU's machine for a board, from
 * any 4 KiB aligned address, and are linked position-independent. All of it runs with the MMU off
 * too.
 */
#ifndef GUEST_H
#define GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* guest.ld. Hidden: else their addresses come from the GOT, which is not relocated. */
#pragma GCC visibility push(hidden)
extern char _head[], _data_start[], _data_end[], _file_end[], _end[];
extern char _rela_start[], _rela_end[];
#pragma GCC visibility pop

/* relocate.c: comes first. Writes to [_data_start, _data_end) only. */
void relocate(void);

/* print.c: text on the board's early console, or on Xen's. */
void print(const char *text);
void print_hex(uint64_t value);
/* "name=0x..." and a space or the end of line. */
void print_value(const char *name, uint64_t value);
void print_line(const char *name, uint64_t value);

/* map.c: an identity map of the first 512 GiB and of the 512 GiB that we lie in, and what SCTLR and
 * TCR go with it. */
struct map {
	uint64_t mair;
	uint64_t tcr;
	uint64_t ttbr;
	uint64_t sctlr;
};

/* For code at EL1 or EL2, the latter with HCR_EL2.E2H set or not. */
struct map map_build(unsigned int el, bool e2h);

/* psci.S */
uint64_t psci(uint64_t function, uint64_t first, uint64_t second, bool hvc);

/* power.S: PSCI SYSTEM_OFF by HVC or SMC. */
void power_off(bool hvc) __attribute__((noreturn));

/* power.S: the end where there is no PSCI. */
void park(void) __attribute__((noreturn));

#endif /* GUEST_H */
