/* SPDX-License-Identifier: MIT */
/*
 * What the guest does, as lens's front end (lens.c, decode.c, walk.c) tells it to those who judge
 * it: the clock (time.c), the caches' keeper (coherency.c) and the boot protocol's (contract.c).
 * They see nothing of QEMU.
 */
#ifndef LENS_EVENT_H
#define LENS_EVENT_H

#include <stdbool.h>
#include <stdint.h>

/* Memory type of one access, as the Arm ARM derives it: of a data access with the MMU off, Device;
 * of a fetch with the MMU off, by SCTLR.I. */
enum event_type { TYPE_DEVICE, TYPE_NONCACHEABLE, TYPE_WRITETHROUGH, TYPE_WRITEBACK };

enum event_kind { ACCESS_LOAD, ACCESS_STORE, ACCESS_FETCH };

struct event_access {
	unsigned int cpu;
	uint64_t pc;
	uint64_t va;
	uint64_t pa;
	uint32_t size; /* bytes of the whole instruction's access, or of the block fetched */
	enum event_kind kind;
	enum event_type type;
	bool inner_shareable;
	bool mmu_on;
	bool exclusive; /* LDXR, STXR and atomics */
	bool ram;	/* pa is in the guest's RAM */
	/* For the clock. */
	uint8_t page_shift; /* log2 of the block or page that maps va */
	uint8_t base;	    /* register of the address, and of the data; or EVENT_NO_REGISTER */
	uint8_t data[2];
};

/* X0 to X30 are 0 to 30, V0 to V31 follow; XZR and SP carry no dependence that matters here. */
enum { EVENT_NO_REGISTER = 31, EVENT_VECTOR_REGISTER = 32, EVENT_REGISTERS = 64 };

enum event_op_kind {
	OP_DC_ZVA,
	OP_DC_CVAC, /* and CVAP, CVADP */
	OP_DC_CVAU,
	OP_DC_CIVAC,
	OP_DC_IVAC,
	OP_DC_SETWAY, /* ISW, CSW, CISW */
	OP_IC_IVAU,
	OP_IC_IALLU,
	OP_IC_IALLUIS,
	OP_TLBI,
	OP_DSB,
	OP_DMB,
	OP_ISB, /* and exception entry and return */
	OP_PRFM,
};

/* Barrier domains and types, from CRm. */
enum event_domain { DOMAIN_NONSHAREABLE, DOMAIN_INNER, DOMAIN_OUTER, DOMAIN_SYSTEM };
enum event_order { ORDER_ALL, ORDER_STORES, ORDER_LOADS };

struct event_op {
	unsigned int cpu;
	uint64_t pc;
	enum event_op_kind kind;
	uint64_t va; /* of operations by address */
	uint64_t pa;
	uint32_t size;	      /* DC ZVA: bytes of a block */
	enum event_type type; /* of the mapping used */
	bool ram;
	bool broadcast; /* TLBI ...IS */
	enum event_domain domain;
	enum event_order order;
};

/* One descriptor that a table walk read: for each level of a walk, from the root down. */
struct event_walk {
	unsigned int cpu;
	uint64_t pc;
	uint64_t va; /* what is being translated */
	uint64_t pa; /* of the descriptor */
	uint64_t descriptor;
	unsigned int level;   /* 0 to 3 */
	enum event_type type; /* of the walker's own accesses, by TCR.IRGN and ORGN */
	bool ram;
};

/* The state of one CPU that judgements depend on, read again at each block's start. */
struct event_state {
	unsigned int el;
	bool e2h;
	uint64_t sctlr, tcr, mair, ttbr0, ttbr1, hcr, vbar;
};

#endif /* LENS_EVENT_H */
