/* SPDX-License-Identifier: MIT */
/*
 * What a payload is, and the arm64 Image header (Linux Documentation/arch/arm64/booting.rst,
 * arch/arm64/include/asm/image.h).
 */
#ifndef PAYLOAD_IMAGE_H
#define PAYLOAD_IMAGE_H

#include <kexpress/error.h>
#include <stdbool.h>
#include <stddef.h>

enum payload_kind { PAYLOAD_FIT, PAYLOAD_IMAGE };

/*
 * Tells a FIT (any flattened device tree) and an arm64 Image apart from what people load by
 * mistake, each with its own error: GZIP, ZBOOT, ELF, PE, COMPRESSION (lz4, zstd, xz, bzip2, lzma,
 * lzo), FORMAT for anything else.
 */
enum kx_error payload_identify(const void *data, size_t size, enum payload_kind *kind,
			       struct kx_refusal *why);

struct image_info {
	uint64_t text_offset; /* from a 2 MiB boundary, bytes */
	uint64_t memory_size; /* from the first byte, BSS included, bytes */
	bool big_endian;
	bool anywhere;		 /* may lie anywhere, not only near the start of RAM */
	unsigned int page_shift; /* 12, 14, 16; 0 where the header does not say */
};

/*
 * Reads the header of an Image of size bytes. Before Linux 3.17 image_size is 0: text_offset is
 * then 0x80000 whatever the field says, and the memory used is not known; 16 MiB beyond the file is
 * assumed, as kexec-tools does. Error: IMAGE (no magic, too short, sizes that wrap or contradict).
 */
enum kx_error image_read(const void *data, size_t size, struct image_info *info,
			 struct kx_refusal *why);

#endif /* PAYLOAD_IMAGE_H */
