/* SPDX-License-Identifier: MIT */
/* What happens when something is refused, before the point of no return. */
#ifndef ENGINE_FAIL_H
#define ENGINE_FAIL_H

#include "stage.h"

/* E_... */
const char *fail_name(enum kx_error error);

/* Prints s->why as one line. */
void fail_say(const struct stage *s);

/* Prints it, and returns to the caller of a hand-off that wants that; else stops as
 * kexpress.onerror says. */
void fail(const struct stage *s) __attribute__((noreturn));

#endif /* ENGINE_FAIL_H */
