/* SPDX-License-Identifier: MIT */
#include "say.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROGRESS_MIN   ((uint64_t)64 << 20) /* bytes; what is less is there at once */
#define PROGRESS_WIDTH 40

bool say_debug_enabled;
static void (*undo_on_failure)(void);

static void say(const char *prefix, const char *format, va_list args, const char *end)
{
	fprintf(stderr, "kexpress: %s", prefix);
	vfprintf(stderr, format, args);
	fputs(end, stderr);
}

void say_debug(const char *format, ...)
{
	va_list args;

	if (!say_debug_enabled)
		return;
	va_start(args, format);
	say("", format, args, "\n");
	va_end(args);
}

void say_warning(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("warning: ", format, args, "\n");
	va_end(args);
}

void say_on_failure(void (*undo)(void))
{
	undo_on_failure = undo;
}

/* What undoes may fail as well: once. */
static void leave(enum outcome outcome) __attribute__((noreturn));
static void leave(enum outcome outcome)
{
	void (*undo)(void) = undo_on_failure;

	undo_on_failure = NULL;
	if (undo)
		undo();
	exit(outcome);
}

void fail(enum outcome outcome, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("", format, args, "\n");
	va_end(args);
	leave(outcome);
}

void fail_errno(enum outcome outcome, const char *format, ...)
{
	int error = errno;
	va_list args;

	va_start(args, format);
	say("", format, args, ": ");
	va_end(args);
	fprintf(stderr, "%s\n", strerror(error));
	leave(outcome);
}

void say_progress(const char *what, uint64_t done, uint64_t all)
{
	int full = (int)(done * PROGRESS_WIDTH / (all ? all : 1));

	if (all < PROGRESS_MIN || !isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "\r%-9s [%-*.*s] %3d%%%s", what, PROGRESS_WIDTH, full,
		"########################################", full * 100 / PROGRESS_WIDTH,
		done == all ? "\n" : "");
}
