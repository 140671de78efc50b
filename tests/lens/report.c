// SPDX-License-Identifier: MIT
#include "report.h"

#include "symbols.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define KINDS 4096u /* different findings that are told apart */

struct kind {
	struct finding first;
	uint64_t count;
};

struct report {
	FILE *log;
	struct symbols *symbols;
	unsigned int kinds;
	uint64_t total;
	struct kind kind[KINDS];
};

struct report *report_new(FILE *log)
{
	struct report *report = calloc(1, sizeof(*report));

	if (!report)
		return NULL;
	report->log = log;
	report->symbols = symbols_new();
	if (report->symbols)
		return report;
	free(report);
	return NULL;
}

void report_free(struct report *report)
{
	if (!report)
		return;
	symbols_free(report->symbols);
	free(report);
}

int report_symbols(struct report *report, const char *elf_path, uint64_t bias)
{
	return symbols_add(report->symbols, elf_path, bias);
}

static void print_code(struct report *report, const char *label, uint64_t pc)
{
	struct symbols_place place = symbols_find(report->symbols, pc);

	fprintf(report->log, " %s=0x%" PRIx64, label, pc);
	if (place.name)
		fprintf(report->log, " (%s+0x%" PRIx64 ")", place.name, place.offset);
}

static void print(struct report *report, const struct finding *finding)
{
	fprintf(report->log, "lens: %s cpu=%u", finding->name, finding->cpu);
	print_code(report, "pc", finding->pc);
	fprintf(report->log, " va=0x%" PRIx64 " pa=0x%" PRIx64, finding->va, finding->pa);
	if (finding->cause)
		print_code(report, "cause", finding->cause);
	fputc('\n', report->log);
	fflush(report->log);
}

static uint64_t key_of(const struct finding *finding)
{
	return finding->fetch && finding->cause ? finding->cause : finding->pc;
}

static bool is_same(const struct finding *a, const struct finding *b)
{
	return key_of(a) == key_of(b) && !strcmp(a->name, b->name);
}

/* Its place, or the free one where it belongs; NULL where all are taken. */
static struct kind *find(struct report *report, const struct finding *finding)
{
	unsigned int start = (key_of(finding) >> 2) % KINDS;

	for (unsigned int i = 0; i < KINDS; i++) {
		struct kind *kind = &report->kind[(start + i) % KINDS];

		if (!kind->count || is_same(&kind->first, finding))
			return kind;
	}
	return NULL;
}

void report_add(struct report *report, const struct finding *finding)
{
	struct kind *kind = find(report, finding);

	report->total++;
	if (!kind || kind->count++)
		return;
	kind->first = *finding;
	report->kinds++;
	print(report, finding);
}

unsigned int report_kinds(const struct report *report)
{
	return report->kinds;
}

uint64_t report_total(const struct report *report)
{
	return report->total;
}

void report_line(struct report *report, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vfprintf(report->log, format, arguments);
	va_end(arguments);
	fputc('\n', report->log);
	fflush(report->log);
}

void report_finish(struct report *report)
{
	for (unsigned int i = 0; i < KINDS; i++) {
		const struct kind *kind = &report->kind[i];

		if (kind->count > 1)
			report_line(report, "lens: %s pc=0x%" PRIx64 " %" PRIu64 " times",
				    kind->first.name, kind->first.pc, kind->count);
	}
	report_line(report, "lens: findings: %u kinds, %" PRIu64 " in all", report->kinds,
		    report->total);
}
