/* SPDX-License-Identifier: MIT */
/*
 * Cache maintenance over ranges, by VA. In assembly so that nothing is stored between the
 * operations. No barrier inside: one for a batch, by the caller.
 */
#include <arm64/asm.h>
#include <arm64/patch.h>

/* cache_clean(x0 = start, x1 = end, not empty): to PoC. Clobbers x2, x3. */
function cache_clean
	patched_value x2, line
	dcache_by_line cvac, x0, x1, x2, x3
	ret
function_end cache_clean

/* cache_clean_invalidate(x0 = start, x1 = end, not empty): to PoC. Clobbers x2, x3. */
function cache_clean_invalidate
	patched_value x2, line
	dcache_by_line civac, x0, x1, x2, x3
	ret
function_end cache_clean_invalidate

/* cache_invalidate_instructions(): every core's, completed on return; where they need it. */
function cache_invalidate_instructions
	patched_without dic
	ic	ialluis
	patched_with
	ret
	patched_end
	dsb	ish
	isb
	ret
function_end cache_invalidate_instructions
