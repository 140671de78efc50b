/* SPDX-License-Identifier: MIT */
/* What libraries built with stack protection and fortified string functions want. */
#include "console.h"
#include "crash.h"

#include <stdint.h>

extern uintptr_t __stack_chk_guard;
void __stack_chk_fail(void) __attribute__((noreturn));
void __chk_fail(void) __attribute__((noreturn));

uintptr_t __stack_chk_guard;

static void overrun(const char *what, const void *where) __attribute__((noreturn));
static void overrun(const char *what, const void *where)
{
	say("error E_FAULT: %s overrun, noticed at %p", what, where);
	crash_end();
}

void __stack_chk_fail(void)
{
	overrun("stack", __builtin_return_address(0));
}

void __chk_fail(void)
{
	overrun("buffer", __builtin_return_address(0));
}
