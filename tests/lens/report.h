/* SPDX-License-Identifier: MIT */
/*
 * Where the judges' findings go: to a log, with symbols, the first of a kind at once and the
 * number of its repetitions at the end.
 */
#ifndef LENS_REPORT_H
#define LENS_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct report;

struct finding {
	const char *name; /* a string constant */
	unsigned int cpu;
	uint64_t pc;
	uint64_t va;
	uint64_t pa;
	uint64_t cause; /* PC of what left the line so: a store, or a DC IVAC; 0: nobody known */
	bool fetch; /* by which one forgotten step is found all over the code that was written */
};

/* The log stays the caller's. */
struct report *report_new(FILE *log);
void report_free(struct report *report);

/* Names addresses by the symbols of an ELF file that runs bias bytes above its link address.
 * 0, or -1 where there are none to read. May be called for several files. */
int report_symbols(struct report *report, const char *elf_path, uint64_t bias);

/* The same name from the same PC, or of a fetch with the same cause, is written once, and counted.
 */
void report_add(struct report *report, const struct finding *finding);

/* Different findings, and all of them. */
unsigned int report_kinds(const struct report *report);
uint64_t report_total(const struct report *report);

/* A line that is no finding, as printf() would write it, and the summary. */
__attribute__((format(printf, 2, 3))) void report_line(struct report *report, const char *format,
						       ...);
void report_finish(struct report *report);

#endif /* LENS_REPORT_H */
