/* SPDX-License-Identifier: MIT */
/*
 * What one A64 instruction does that the clock or the judges must know. Data processing and
 * branches are INSN_OTHER. Encodings: Arm ARM C4.1.
 */
#ifndef LENS_DECODE_H
#define LENS_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "event.h"

enum insn_kind {
	INSN_OTHER,
	INSN_MEMORY, /* accesses memory: QEMU calls back with the address */
	INSN_BULK,   /* prologue of a FEAT_MOPS copy or set, which stands for all of it: no callback
		      */
	INSN_OP,     /* maintenance, barrier, prefetch: op says which */
	INSN_CALL,   /* HVC #0 or SMC #0: perhaps to firmware; else as INSN_CONTEXT */
	INSN_CONTEXT, /* may change the EL or a register that translation depends on */
	INSN_MARKER,  /* HINT that names a step in the log */
};

struct insn {
	enum insn_kind kind;
	enum event_op_kind op;
	bool by_address;     /* op: rt holds the VA; of PRFM, base does */
	bool prefetch_store; /* PRFM PST */
	bool exclusive;	     /* memory: exclusives, compare and swap, atomics */
	bool broadcast;	     /* TLBI */
	enum event_domain domain;
	enum event_order order;
	uint16_t size; /* memory: bytes of the whole instruction; 0: as QEMU calls back */
	uint8_t base; /* registers of the address, of the data: EVENT_NO_REGISTER; bulk: destination
		       */
	uint8_t index;	 /* PRFM (register); bulk: source, or EVENT_NO_REGISTER of a set */
	uint8_t option;	 /* PRFM (register): extension and shift, as encoded */
	uint8_t data[2]; /* vector registers count from EVENT_VECTOR_REGISTER */
	uint8_t rt;	 /* op: register with the VA; bulk: bytes */
	uint8_t marker;	 /* number of INSN_MARKER */
	int32_t offset;	 /* PRFM */
};

struct insn decode(uint32_t word);

#endif /* LENS_DECODE_H */
