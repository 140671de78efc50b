/* SPDX-License-Identifier: MIT */
#include "text.h"

#include <string.h>

bool text_ends(struct text *t, char next)
{
	size_t length = t->wanted ? strlen(t->wanted) : 0;

	if (!length || length > TEXT_LENGTH)
		return false;
	if (t->count == length)
		memmove(t->last, t->last + 1, --t->count);
	t->last[t->count++] = next;
	return t->count == length && !memcmp(t->last, t->wanted, length);
}
