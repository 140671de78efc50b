/* SPDX-License-Identifier: MIT */
#include "decode.h"

#include <stddef.h>

static uint32_t bits(uint32_t word, unsigned int high, unsigned int low)
{
	return (word >> low) & ((2u << (high - low)) - 1);
}

static bool bit(uint32_t word, unsigned int at)
{
	return (word >> at) & 1;
}

static int32_t signed_bits(uint32_t word, unsigned int high, unsigned int low)
{
	return (int32_t)(word << (31 - high)) >> (31 - high + low);
}

static uint8_t vector(uint32_t number)
{
	return (uint8_t)(EVENT_VECTOR_REGISTER + number);
}

/* An access of so many bytes (0: not known from the encoding) through the base register Rn. */
static struct insn memory(uint32_t word, uint32_t size)
{
	return (struct insn){
		.kind = INSN_MEMORY,
		.size = (uint16_t)size,
		.base = (uint8_t)bits(word, 9, 5),
		.data = {EVENT_NO_REGISTER, EVENT_NO_REGISTER},
	};
}

static struct insn memory_of(uint32_t word, uint32_t size, bool is_vector, bool pair)
{
	struct insn insn = memory(word, size);
	uint32_t rt = bits(word, 4, 0);
	uint32_t rt2 = bits(word, 14, 10);

	insn.data[0] = is_vector ? vector(rt) : (uint8_t)rt;
	if (pair)
		insn.data[1] = is_vector ? vector(rt2) : (uint8_t)rt2;
	return insn;
}

/* --- Loads and stores (C4.1.94) ---------------------------------------------------------- */

/* Exclusives, load-acquire, store-release, compare and swap. */
static struct insn decode_exclusive(uint32_t word)
{
	bool ordered = bit(word, 23);
	bool pair = bit(word, 21);
	bool swap_pair = !ordered && pair && !bit(word, 31);
	uint32_t size = swap_pair ? 8u << bit(word, 30) : 1u << bits(word, 31, 30);
	struct insn insn;

	if (!ordered && pair && !swap_pair)
		size *= 2;
	insn = memory_of(word, size, false, !ordered && pair);
	insn.exclusive = !ordered || pair;
	return insn;
}

static struct insn decode_literal(uint32_t word)
{
	uint32_t opc = bits(word, 31, 30);
	bool is_vector = bit(word, 26);
	struct insn insn;

	if (!is_vector && opc == 3) /* PRFM (literal): of no use to anybody who copies */
		return (struct insn){.kind = INSN_OTHER};
	insn = memory_of(word, is_vector ? 4u << opc : opc == 1 ? 8 : 4, is_vector, false);
	insn.base = EVENT_NO_REGISTER;
	return insn;
}

static struct insn decode_pair(uint32_t word)
{
	uint32_t opc = bits(word, 31, 30);
	bool is_vector = bit(word, 26);
	uint32_t one = is_vector ? 4u << opc : opc == 2 ? 8 : 4;

	return memory_of(word, 2 * one, is_vector, true);
}

/* Extended by option and shifted by S * 3, as the register forms of PRFM do. */
static struct insn decode_prefetch(uint32_t word)
{
	struct insn insn = {
		.kind = INSN_OP,
		.op = OP_PRFM,
		.by_address = true,
		.prefetch_store = bits(word, 4, 3) == 2,
		.base = (uint8_t)bits(word, 9, 5),
		.index = EVENT_NO_REGISTER,
	};

	if (bit(word, 24)) {
		insn.offset = (int32_t)bits(word, 21, 10) * 8;
	} else if (bit(word, 21)) {
		insn.index = (uint8_t)bits(word, 20, 16);
		insn.option = (uint8_t)bits(word, 15, 12);
	} else {
		insn.offset = signed_bits(word, 20, 12);
	}
	return insn;
}

/* One general or vector register, all addressing modes. */
static struct insn decode_single(uint32_t word)
{
	uint32_t size = bits(word, 31, 30);
	uint32_t opc = bits(word, 23, 22);
	bool is_vector = bit(word, 26);
	bool immediate = bit(word, 24);
	bool atomic = !immediate && bit(word, 21) && bits(word, 11, 10) == 0;
	struct insn insn;

	if (!is_vector && size == 3 && opc == 2 && !atomic && !(bit(word, 10) && !immediate))
		return decode_prefetch(word);
	if (is_vector)
		size |= (opc & 2) << 1;
	insn = memory_of(word, 1u << size, is_vector, false);
	insn.exclusive = atomic && bits(word, 15, 12) != 0xc; /* 0b1100 is LDAPR */
	return insn;
}

/* LD1 to LD4, ST1 to ST4 of whole registers: opcode says how many. */
static struct insn decode_structures(uint32_t word)
{
	static const uint8_t registers[16] = {
		[0] = 4, [2] = 4, [4] = 3, [6] = 3, [7] = 1, [8] = 2, [10] = 2,
	};
	uint32_t count = registers[bits(word, 15, 12)];

	return memory_of(word, count * (8u << bit(word, 30)), true, false);
}

/* One lane each of one to four registers, or a value for all lanes. */
static struct insn decode_lanes(uint32_t word)
{
	uint32_t opcode = bits(word, 15, 13);
	uint32_t count = ((opcode & 1) << 1 | bit(word, 21)) + 1;
	uint32_t scale = opcode >> 1;

	if (scale == 3)
		scale = bits(word, 11, 10);
	else if (scale == 2 && bit(word, 10))
		scale = 3;
	return memory_of(word, count << scale, true, false);
}

/* FEAT_MOPS. Only the prologue counts, where the registers hold addresses and size as given. */
static struct insn decode_bulk(uint32_t word)
{
	bool set = bits(word, 23, 22) == 3;
	bool prologue = set ? bits(word, 15, 14) == 0 : bits(word, 23, 22) == 0;

	if (!prologue)
		return (struct insn){.kind = INSN_OTHER};
	return (struct insn){
		.kind = INSN_BULK,
		.base = (uint8_t)bits(word, 4, 0),
		.index = set ? EVENT_NO_REGISTER : (uint8_t)bits(word, 20, 16),
		.rt = (uint8_t)bits(word, 9, 5),
		.data = {EVENT_NO_REGISTER, EVENT_NO_REGISTER},
	};
}

/* LDAPUR and STLUR share their group with FEAT_MOPS and memory tags. */
static struct insn decode_unscaled_ordered(uint32_t word)
{
	if (!bit(word, 21) && bits(word, 11, 10) == 1)
		return decode_bulk(word);
	return bit(word, 21) ? memory(word, 0)
			     : memory_of(word, 1u << bits(word, 31, 30), false, false);
}

/* Bits 29 to 24 tell the groups apart. */
static struct insn decode_memory(uint32_t word)
{
	switch (bits(word, 29, 24)) {
	case 0x08:
		return decode_exclusive(word);
	case 0x0c:
		return decode_structures(word);
	case 0x0d:
		return decode_lanes(word);
	case 0x18:
	case 0x1c:
		return decode_literal(word);
	case 0x19:
		return decode_unscaled_ordered(word);
	case 0x1d:
		return decode_bulk(word);
	case 0x28:
	case 0x29:
	case 0x2c:
	case 0x2d:
		return decode_pair(word);
	case 0x38:
	case 0x39:
	case 0x3c:
	case 0x3d:
		return decode_single(word);
	default:
		return memory(word, 0);
	}
}

/* --- System instructions (C5.1, C5.3) ---------------------------------------------------- */

/* op1, CRn, CRm, op2 of a system instruction or register, op0 left out. */
#define SYS(op1, crn, crm, op2) ((op1) << 11 | (crn) << 7 | (crm) << 3 | (op2))

#define CRN_CACHE    7
#define CRN_TLBI     8
#define CRN_TLBI_NXS 9

struct maintenance {
	uint32_t sys;
	enum event_op_kind op;
	bool by_address;
};

static const struct maintenance maintenance[] = {
	{SYS(0, CRN_CACHE, 1, 0), OP_IC_IALLUIS, false},
	{SYS(0, CRN_CACHE, 5, 0), OP_IC_IALLU, false},
	{SYS(3, CRN_CACHE, 5, 1), OP_IC_IVAU, true},
	{SYS(0, CRN_CACHE, 6, 1), OP_DC_IVAC, true},
	{SYS(0, CRN_CACHE, 6, 2), OP_DC_SETWAY, false},
	{SYS(0, CRN_CACHE, 10, 2), OP_DC_SETWAY, false},
	{SYS(0, CRN_CACHE, 14, 2), OP_DC_SETWAY, false},
	{SYS(3, CRN_CACHE, 4, 1), OP_DC_ZVA, true},
	{SYS(3, CRN_CACHE, 4, 4), OP_DC_ZVA, true}, /* GZVA */
	{SYS(3, CRN_CACHE, 10, 1), OP_DC_CVAC, true},
	{SYS(3, CRN_CACHE, 11, 1), OP_DC_CVAU, true},
	{SYS(3, CRN_CACHE, 12, 1), OP_DC_CVAC, true}, /* CVAP */
	{SYS(3, CRN_CACHE, 13, 1), OP_DC_CVAC, true}, /* CVADP */
	{SYS(3, CRN_CACHE, 14, 1), OP_DC_CIVAC, true},
};

/* CRm of a TLBI: everything but the local forms (4, 6, 7) reaches other CPUs. */
static bool tlbi_is_broadcast(uint32_t crm)
{
	return crm != 4 && crm != 6 && crm != 7;
}

static struct insn decode_sys(uint32_t word)
{
	uint32_t crn = bits(word, 15, 12);
	uint32_t sys = SYS(bits(word, 18, 16), crn, bits(word, 11, 8), bits(word, 7, 5));
	struct insn insn = {.kind = INSN_OP, .rt = (uint8_t)bits(word, 4, 0)};

	if (crn == CRN_TLBI || crn == CRN_TLBI_NXS) {
		insn.op = OP_TLBI;
		insn.broadcast = tlbi_is_broadcast(bits(word, 11, 8));
		return insn;
	}
	for (size_t i = 0; i < sizeof(maintenance) / sizeof(*maintenance); i++) {
		if (maintenance[i].sys == sys) {
			insn.op = maintenance[i].op;
			insn.by_address = maintenance[i].by_address;
			return insn;
		}
	}
	return (struct insn){.kind = INSN_OTHER};
}

/* DSB, DMB: CRm's upper half is the domain, its lower half the accesses. */
static struct insn decode_barrier(uint32_t word)
{
	static const enum event_domain domains[] = {DOMAIN_OUTER, DOMAIN_NONSHAREABLE, DOMAIN_INNER,
						    DOMAIN_SYSTEM};
	static const enum event_order orders[] = {ORDER_ALL, ORDER_LOADS, ORDER_STORES, ORDER_ALL};
	struct insn insn = {
		.kind = INSN_OP,
		.domain = domains[bits(word, 11, 10)],
		.order = orders[bits(word, 9, 8)],
	};

	switch (bits(word, 7, 5)) {
	case 1: /* DSB nXS: CRm's lower half is 0b10 there */
		insn.op = OP_DSB;
		insn.order = ORDER_ALL;
		return insn;
	case 4:
		insn.op = OP_DSB;
		return insn;
	case 5:
		insn.op = OP_DMB;
		return insn;
	case 6:
		insn.op = OP_ISB;
		return insn;
	default:
		return (struct insn){.kind = INSN_OTHER};
	}
}

/* Unallocated hints, NOPs on every CPU: 0x60 to 0x7f. */
#define MARKER_FIRST 0x60

static struct insn decode_hint(uint32_t word)
{
	uint32_t number = bits(word, 11, 5);

	if (number < MARKER_FIRST)
		return (struct insn){.kind = INSN_OTHER};
	return (struct insn){.kind = INSN_MARKER, .marker = (uint8_t)(number - MARKER_FIRST)};
}

/* SCTLR, HCR; TTBR and TCR; MAIR; VBAR. */
static bool decides_translation(uint32_t crn)
{
	return crn == 1 || crn == 2 || crn == 10 || crn == 12;
}

static struct insn decode_system(uint32_t word)
{
	uint32_t op0 = bits(word, 20, 19);
	uint32_t crn = bits(word, 15, 12);

	if (bit(word, 21)) /* MRS, SYSL */
		return (struct insn){.kind = INSN_OTHER};
	if (op0 == 1)
		return decode_sys(word);
	if (op0 == 3 && decides_translation(crn))
		return (struct insn){.kind = INSN_CONTEXT};
	if (op0 == 0 && crn == 3)
		return decode_barrier(word);
	if (op0 == 0 && crn == 2 && bits(word, 18, 16) == 3)
		return decode_hint(word);
	return (struct insn){.kind = INSN_OTHER};
}

/* --- All --------------------------------------------------------------------------------- */

#define HVC_0 0xd4000002
#define SMC_0 0xd4000003

/* SVC, HVC, SMC, BRK, HLT; ERET and its authenticating forms. */
static bool changes_level(uint32_t word)
{
	return bits(word, 31, 24) == 0xd4 || (word & 0xfffff3ff) == 0xd69f03e0 ||
	       (word & 0xfffffbff) == 0xd69f0bff;
}

static bool is_sve_memory(uint32_t word)
{
	return bits(word, 28, 25) == 2 && bit(word, 31);
}

struct insn decode(uint32_t word)
{
	if (bit(word, 27) && !bit(word, 25))
		return decode_memory(word);
	if (is_sve_memory(word))
		return memory(word, 0);
	if (bits(word, 31, 22) == 0x354)
		return decode_system(word);
	if (word == HVC_0 || word == SMC_0)
		return (struct insn){.kind = INSN_CALL};
	if (changes_level(word))
		return (struct insn){.kind = INSN_CONTEXT};
	return (struct insn){.kind = INSN_OTHER};
}
