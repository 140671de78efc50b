/* SPDX-License-Identifier: MIT */
/* The load options that EFI firmware or a boot manager passes: UTF-16, no NUL at the end needed. */
#ifndef PAYLOAD_EFI_TEXT_H
#define PAYLOAD_EFI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct efi_text {
	const uint16_t *text;
	size_t length; /* in units of 16 bits */
};

/* What comes before a NUL. */
struct efi_text efi_text_trim(struct efi_text text);

/* What follows the first word, which may stand in double quotes, and the spaces behind it. */
struct efi_text efi_text_skip_word(struct efi_text text);

/* Writes text as UTF-8, NUL-terminated; half a surrogate pair becomes U+FFFD. False: too long. */
bool efi_text_utf8(struct efi_text text, char *utf8, size_t size);

/*
 * The path in the first word that begins with initrd=, with backslashes as EFI wants them,
 * NUL-terminated. False: there is none, or it is too long or empty.
 */
bool efi_text_initrd(struct efi_text options, uint16_t *path, size_t size);

#endif /* PAYLOAD_EFI_TEXT_H */
