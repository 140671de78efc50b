/* SPDX-License-Identifier: MIT */
#ifndef ASM_OWN_MEMORY_H
#define ASM_OWN_MEMORY_H

#include <arm64/asm.h>

/*
 * What we do on entry fetches and reads our image past the caches, where it may be dirty, as a
 * caller with its MMU on leaves it; and no old line may lie over what we write past them, or it
 * would be written back over it, or hit later. CIVAC also where only invalidation is meant: it is
 * never wrong.
 */
.macro own_memory_to_poc start, end, line, tmp
	dcache_line \line, \tmp
	adr_l	\start, _head
	adr_l	\end, _image_file_end
	dcache_by_line civac, \start, \end, \line, \tmp
	adr_l	\start, _early_start
	adr_l	\end, _early_end
	dcache_by_line civac, \start, \end, \line, \tmp
	dsb	sy
.endm

#endif /* ASM_OWN_MEMORY_H */
