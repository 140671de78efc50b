/* SPDX-License-Identifier: MIT */
/*
 * A machine as the clock sees it: what struct profile names, read from tests/lens/profiles. One
 * line for each parameter, "name value # source": where the value is from, or "assumed". All must
 * be there, and no other.
 */
#ifndef LENS_PROFILE_H
#define LENS_PROFILE_H

#include <stddef.h>
#include <stdio.h>

struct profile_cache {
	double kib; /* 0: there is none */
	double ways;
	double ns; /* load to use */
};

struct profile {
	double clock_ghz;
	double ipc;	 /* instructions a cycle while memory is no limit */
	double in_order; /* 1: a store waits for its data, and with it the core */
	struct profile_cache l1d, l2;
	struct profile_cache llc;  /* shared by all cores */
	double dram_ns;		   /* load to use */
	double dram_gbs;	   /* reads and writes together, shared by all cores */
	double lines;		   /* line fills that a core can have under way */
	double stream_lines;	   /* of them, what it has without PRFM */
	double write_gbs;	   /* whole lines that one core can write */
	double write_stream_after; /* whole lines in a row before a line is not read first */
	double device_ns;	   /* Device and MMU off: from instruction to instruction */
	double noncacheable_lines; /* loads that can be under way */
	double tlb_entries;
	double walk_ns;
	double clean_ns;    /* DC by VA, from one to the next where there is nothing else to do */
	double clean_lines; /* of them, under way while the core goes on */
	double icache_line_ns; /* IC IVAU */
	double icache_all_ns;  /* IC IALLU(IS) */
	double tlbi_ns;
	double dsb_ns; /* when there is nothing to wait for */
	double dmb_ns;
	double isb_ns;
	double psci_ns;	  /* any call, there and back */
	double cpu_on_ns; /* from CPU_ON to the started CPU's first instruction */
};

/* 0; or -1 and, in error, what is wrong. */
int profile_read(struct profile *profile, FILE *file, char *error, size_t size);

#endif /* LENS_PROFILE_H */
