/* SPDX-License-Identifier: MIT */
/* Looks for a text in what comes character by character. */
#ifndef LENS_TEXT_H
#define LENS_TEXT_H

#include <stdbool.h>

enum { TEXT_LENGTH = 128 };

struct text {
	const char *wanted; /* NULL or empty: never there */
	char last[TEXT_LENGTH];
	unsigned int count; /* characters in last; no more than wanted has */
};

/* The wanted text ends with this character. */
bool text_ends(struct text *text, char next);

#endif /* LENS_TEXT_H */
