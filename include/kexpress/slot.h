/* SPDX-License-Identifier: MIT */
/*
 * A payload slot in flash: this header at its start, the payload (a FIT, or an arm64 Image) at a
 * multiple of the erase block's size behind it. The header is written last: until it is whole, and
 * the digest that it holds is that of what lies behind it, the slot does not exist, so that an
 * update that is cut at any byte leaves the other slot to boot from. All little-endian.
 */
#ifndef KEXPRESS_SLOT_H
#define KEXPRESS_SLOT_H

#define KX_SLOT_MAGIC	0x746f6c737870786b /* "kxpxslot" */
#define KX_SLOT_VERSION 1

#ifndef __ASSEMBLER__
#include <stdint.h>

struct kx_slot {
	uint64_t magic;
	uint32_t version;
	uint32_t sequence;  /* of two slots the later one is booted; may wrap */
	uint64_t size;	    /* bytes of payload */
	uint32_t offset;    /* of the payload, from the start of the slot; bytes */
	uint32_t tree_size; /* bytes of payload that the digest covers: a FIT's tree, whose own
			       hashes cover the rest; else all */
	uint8_t digest[32]; /* SHA-256 */
	uint32_t reserved;  /* 0 */
	uint32_t crc;	    /* CRC-32, as zlib's, of all before */
};

_Static_assert(sizeof(struct kx_slot) == 72, "slot.h");
#endif

#endif /* KEXPRESS_SLOT_H */
