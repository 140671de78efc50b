/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_OPEN_H
#define ENGINE_OPEN_H

#include "stage.h"

/* Refuses a kernel whose page size this CPU lacks: it would stop without a word in its first
 * instructions. file is where it lies, for the refusal. */
enum kx_error open_check_granule(const struct image_info *kernel, struct range file,
				 struct kx_refusal *why);

#endif /* ENGINE_OPEN_H */
