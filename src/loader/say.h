/* SPDX-License-Identifier: MIT */
/* What the command says, and how it ends. */
#ifndef LOADER_SAY_H
#define LOADER_SAY_H

#include <stdbool.h>
#include <stdint.h>

/* Exit statuses; kexpress.8 lists them. */
enum outcome {
	DONE = 0,
	FAILED = 1,	   /* nothing has been loaded, or executed */
	USAGE = 2,	   /* the command line makes no sense */
	NOT_LOADED = 3,	   /* there is nothing to execute, check or unload */
	DAMAGED = 4,	   /* what was loaded is not what is in memory now */
	NOT_PERMITTED = 5, /* not root, or the kernel is locked down */
	NO_MEMORY = 6,	   /* too little memory, or none where it is needed */
};

/* Lines for who has asked for --debug, on standard error as all that is said. */
extern bool say_debug_enabled;
void say_debug(const char *format, ...) __attribute__((format(printf, 1, 2)));

void say_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Says why, undoes what say_on_failure was told, and ends the process. */
void fail(enum outcome outcome, const char *format, ...)
	__attribute__((format(printf, 2, 3), noreturn));

/* The same for a system call, with its error. */
void fail_errno(enum outcome outcome, const char *format, ...)
	__attribute__((format(printf, 2, 3), noreturn));

/* What to do before the process ends in failure; NULL: nothing. */
void say_on_failure(void (*undo)(void));

/* A bar on a terminal while something long is done; nothing for what is small, or elsewhere. */
void say_progress(const char *what, uint64_t done, uint64_t all);

#endif /* LOADER_SAY_H */
