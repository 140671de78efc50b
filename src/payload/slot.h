/* SPDX-License-Identifier: MIT */
/* Payload slots in flash (kexpress/slot.h). */
#ifndef PAYLOAD_SLOT_H
#define PAYLOAD_SLOT_H

#include <kexpress/error.h>
#include <kexpress/slot.h>
#include <stdbool.h>
#include <stddef.h>

struct slot {
	const void *data; /* the payload */
	size_t size;
	uint32_t sequence;
};

/* Whether nothing was ever written there, or all was erased. */
bool slot_is_empty(const void *at);

/* Reads the slot of room bytes at `at`, aligned to 8. Error: SLOT, of a header that is not whole,
 * says what cannot be, or has another digest than the payload's beginning. */
enum kx_error slot_read(const void *at, size_t room, struct slot *slot, struct kx_refusal *why);

/* Whether a was written after b. */
bool slot_is_newer(const struct slot *a, const struct slot *b);

#endif /* PAYLOAD_SLOT_H */
