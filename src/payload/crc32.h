/* SPDX-License-Identifier: MIT */
/* CRC-32 as zlib's, by the CPU's own instructions where it has them. */
#ifndef PAYLOAD_CRC32_H
#define PAYLOAD_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Goes on from crc, 0 at the start, over size bytes. */
uint32_t crc32_update(uint32_t crc, const void *data, size_t size);

/* From now on by the instructions: the CPU has FEAT_CRC32 (ID_AA64ISAR0_EL1.CRC32, HWCAP_CRC32). */
typedef uint32_t crc32_function(uint32_t crc, const void *data, size_t size);
void crc32_use(crc32_function *function);

/* The instructions themselves; on arm64 only. */
uint32_t crc32_instructions(uint32_t crc, const void *data, size_t size);

#endif /* PAYLOAD_CRC32_H */
