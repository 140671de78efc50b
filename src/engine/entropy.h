/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_ENTROPY_H
#define ENGINE_ENTROPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fresh random bytes from the CPU (FEAT_RNG); size is a multiple of 8. False: it has no such
 * source, or the source failed. */
bool entropy_read(uint8_t *bytes, size_t size);

#endif /* ENGINE_ENTROPY_H */
