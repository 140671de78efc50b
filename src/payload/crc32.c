/* SPDX-License-Identifier: MIT */
#include "crc32.h"

#include <zlib.h>

static crc32_function *instructions; /* NULL: zlib's */

void crc32_use(crc32_function *function)
{
	instructions = function;
}

uint32_t crc32_update(uint32_t crc, const void *data, size_t size)
{
	return instructions ? instructions(crc, data, size) : (uint32_t)crc32_z(crc, data, size);
}
