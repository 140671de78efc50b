/* SPDX-License-Identifier: MIT */
/* Whether a flattened tree is sound. Nothing else looks at one that has not passed. */
#ifndef PAYLOAD_FDT_CHECK_H
#define PAYLOAD_FDT_CHECK_H

#include <kexpress/error.h>
#include <stddef.h>

/* Validates the whole structure of a tree of at most size bytes: libfdt's fdt_check_full accepts
 * it, and its walks end. Error: FDT. */
enum kx_error fdt_check_tree(const void *fdt, size_t size, struct kx_refusal *why);

#endif /* PAYLOAD_FDT_CHECK_H */
