/* SPDX-License-Identifier: MIT */
/*
 * The timing record: what kexpress did and how long each step took. It is printed as the last line
 * before the jump, left in the device tree as /chosen/kexpress (one 64-bit property a field, named
 * as below), and written to the address that a hand-off names.
 */
#ifndef KEXPRESS_TIMING_H
#define KEXPRESS_TIMING_H

#include <stdint.h>

#define KX_TIMING_VERSION 1

/* X(member, "property-name"): the order is the ABI; new fields go to the end. */
#define KX_TIMING_FIELDS(X)                                                                        \
	X(version, "version")		    /* KX_TIMING_VERSION */                                \
	X(frequency, "counter-frequency")   /* of CNTVCT_EL0, in Hz; the rest of times in ticks */ \
	X(entered, "entered-at")	    /* counter value at kexpress's first instructions */   \
	X(enter, "enter-ticks")		    /* from there to the first line of C */                \
	X(discover, "discover-ticks")	    /* reading the device tree */                          \
	X(open, "open-ticks")		    /* recognising and verifying the payload */            \
	X(plan, "plan-ticks")		    /* checks, runs, order, placement */                   \
	X(map, "map-ticks")		    /* transitional tables */                              \
	X(move, "move-ticks")		    /* copying and zeroing */                              \
	X(settle, "settle-ticks")	    /* cache maintenance */                                \
	X(bytes_copied, "bytes-copied")	    /* whole destination pages */                          \
	X(bytes_in_place, "bytes-in-place") /* pages whose source is their destination */          \
	X(bytes_zeroed, "bytes-zeroed")                                                            \
	X(bytes_hashed, "bytes-hashed")                                                            \
	X(bytes_cleaned, "bytes-cleaned") /* cleaned to the point of coherency */                  \
	X(runs, "runs")			  /* copies made, after merging and ordering */            \
	X(tables, "tables")		  /* transitional tables built */                          \
	X(cores, "cores")                                                                          \
	X(boot_el, "boot-el")	  /* exception level of entry */                                   \
	X(mmu, "mmu")		  /* 1: moved with the MMU on; 0: off */                           \
	X(verify, "verify-ticks") /* a hand-off's CRCs, which plan-ticks leave out */

struct kx_timing {
#define KX_TIMING_MEMBER(member, property) uint64_t member;
	KX_TIMING_FIELDS(KX_TIMING_MEMBER)
#undef KX_TIMING_MEMBER
};

#endif /* KEXPRESS_TIMING_H */
