/* SPDX-License-Identifier: MIT */
#ifndef PAYLOAD_CRC32_H
#define PAYLOAD_CRC32_H
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>
static inline uint32_t crc32_update(uint32_t crc, const void *data, size_t size)
{
	return (uint32_t)crc32_z(crc, data, size);
}
#endif
