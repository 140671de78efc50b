/* SPDX-License-Identifier: MIT */
/*
 * The entry list: what has to be copied where, page by page, as Linux describes it
 * (include/linux/kexec.h, kernel/kexec_core.c).
 *
 * A list is a sequence of 64-bit little-endian entries in 4 KiB pages. Each entry is the physical
 * address of a 4 KiB page with exactly one flag in its low bits:
 *
 *   KX_LIST_DESTINATION  the next source page goes to this page
 *   KX_LIST_INDIRECTION  go on reading entries at the start of this page
 *   KX_LIST_DONE         the end
 *   KX_LIST_SOURCE       copy this page to the current destination, which then advances by a page
 *
 * The head of a list is itself an entry: normally an indirection to the first page, or
 * KX_LIST_DONE alone where everything is in place already.
 *
 * Unlike Linux's own producer, sources and destinations may overlap in any way: each destination
 * page receives what its source page held before the first store.
 */
#ifndef KEXPRESS_LIST_H
#define KEXPRESS_LIST_H

#define KX_LIST_DESTINATION 0x1
#define KX_LIST_INDIRECTION 0x2
#define KX_LIST_DONE	    0x4
#define KX_LIST_SOURCE	    0x8
#define KX_LIST_FLAGS	    0xfff /* bits of an entry that are not address */

#define KX_PAGE_SHIFT 12
#define KX_PAGE_SIZE  (1 << KX_PAGE_SHIFT)

#endif /* KEXPRESS_LIST_H */
