/* SPDX-License-Identifier: MIT */
#include "fail.h"

#include "console.h"
#include "crash.h"
#include "lowlevel.h"

const char *fail_name(enum kx_error error)
{
	switch (error) {
	case KX_OK:
		break;
#define ERROR_NAME(name, number, text) \
	case KX_E_##name:              \
		return "E_" #name;
		KX_ERRORS(ERROR_NAME)
#undef ERROR_NAME
	}
	return "E_?";
}

void fail_say(const struct stage *s)
{
	say("error %s: %s, 0x%llx-0x%llx", fail_name(s->why.error), s->why.what,
	    (unsigned long long)s->why.start, (unsigned long long)s->why.end);
}

void fail(const struct stage *s)
{
	fail_say(s);
	if (s->handoff && s->handoff->return_to)
		return_to_caller(s->why.error, s->entry, s->handoff->return_to);
	crash_end();
}
