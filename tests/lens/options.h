/* SPDX-License-Identifier: MIT */
/*
 * Options of the plugin, as name=value. Addresses are physical ones of instructions.
 *
 *   profile=FILE       the machine (tests/lens/profiles)
 *   ram=FILE           the guest's RAM: of -object memory-backend-file,share=on,mem-path=FILE
 *   ram_base=ADDRESS   where it begins (0x40000000)
 *   log=FILE           the record (stderr)
 *   elf=FILE           symbols for the judges' reports
 *   bias=BYTES         how far above its link address that file runs (0)
 *   start=ADDRESS      the clock is modelled from here on (from the first instruction),
 *   stop=ADDRESS       and no longer from here on
 *   start_text=TEXT    the same, from and to where the guest has printed this
 *   stop_text=TEXT
 *   console=ADDRESS    of the PL011's data register, where it prints (0x9000000)
 *   range=FIRST-END    the clock is modelled wherever the PC is in this range, and only there
 *   mark=NAME:ADDRESS  log the modelled time when this is reached; up to 64
 *   kernel=ADDRESS     judge the boot protocol here,
 *   kernel=image       or wherever the first instruction of an arm64 Image is reached
 *   coherency=on       judge the caches' maintenance
 *   verify=on          compare each translation with QEMU's
 */
#ifndef LENS_OPTIONS_H
#define LENS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum { OPTION_MARKS = 64, OPTION_NAME = 48 };

struct options {
	const char *profile;
	const char *ram;
	const char *log;
	const char *start_text, *stop_text;
	const char *elf;
	uint64_t ram_base;
	uint64_t bias;
	uint64_t console;
	uint64_t start, stop, kernel; /* OPTION_NOWHERE where not given */
	uint64_t range_first, range_end;
	bool images; /* kernel=image */
	bool coherency;
	bool verify;
	struct {
		char name[OPTION_NAME];
		uint64_t address;
	} marks[OPTION_MARKS];
	unsigned int mark_count;
};

#define OPTION_NOWHERE UINT64_MAX

/* 0; or -1, and the option that is wrong in *wrong. */
int options_read(struct options *options, int argc, char **argv, const char **wrong);

#endif /* LENS_OPTIONS_H */
