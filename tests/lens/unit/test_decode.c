/* SPDX-License-Identifier: MIT */
#include "../decode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define NONE	     EVENT_NO_REGISTER
#define V(number)    (EVENT_VECTOR_REGISTER + (number))

static void memory_instructions(void **state)
{
	static const struct {
		uint32_t word;
		uint16_t size;
		uint8_t base, data0, data1;
		bool exclusive;
	} cases[] = {
		{0xa9411424, 16, 1, 4, 5, false},	/* ldp x4, x5, [x1, #16] */
		{0xac810440, 32, 2, V(0), V(1), false}, /* stp q0, q1, [x2], #32 */
		{0x69400440, 8, 2, 0, 1, false},	/* ldpsw x0, x1, [x2] */
		{0x29400460, 8, 3, 0, 1, false},	/* ldp w0, w1, [x3] */
		{0x3dc00483, 16, 4, V(3), NONE, false}, /* ldr q3, [x4, #16] */
		{0x384014c5, 1, 6, 5, NONE, false},	/* ldrb w5, [x6], #1 */
		{0xf90004ff, 8, 7, NONE, NONE, false},	/* str xzr, [x7, #8] */
		{0xb8a36841, 4, 2, 1, NONE, false},	/* ldrsw x1, [x2, x3] */
		{0xbd400041, 4, 2, V(1), NONE, false},	/* ldr s1, [x2] */
		{0x58000009, 8, NONE, 9, NONE, false},	/* ldr x9, . */
		{0xc85f7c20, 8, 1, 0, NONE, true},	/* ldxr x0, [x1] */
		{0xc8220460, 16, 3, 0, 1, true},	/* stxp w2, x0, x1, [x3] */
		{0x88dffc41, 4, 2, 1, NONE, false},	/* ldar w1, [x2] */
		{0x089ffc41, 1, 2, 1, NONE, false},	/* stlrb w1, [x2] */
		{0xc8e0fc41, 8, 2, 1, NONE, true},	/* casal x0, x1, [x2] */
		{0x4860fc82, 16, 4, 2, NONE, true},	/* caspal x0, x1, x2, x3, [x4] */
		{0xb8e00041, 4, 2, 1, NONE, true},	/* ldaddal w0, w1, [x2] */
		{0xf8208041, 8, 2, 1, NONE, true},	/* swp x0, x1, [x2] */
		{0xf8bfc020, 8, 1, 0, NONE, false},	/* ldapr x0, [x1] */
		{0xd9404020, 8, 1, 0, NONE, false},	/* ldapur x0, [x1, #4] */
		{0x4c402000, 64, 0, V(0), NONE, false}, /* ld1 {v0.16b-v3.16b}, [x0] */
		{0x0c9f7024, 8, 1, V(4), NONE, false},	/* st1 {v4.8b}, [x1], #8 */
		{0x4c400840, 64, 2, V(0), NONE, false}, /* ld4 {v0.4s-v3.4s}, [x2] */
		{0x4d40c841, 4, 2, V(1), NONE, false},	/* ld1r {v1.4s}, [x2] */
		{0x4d208441, 16, 2, V(1), NONE, false}, /* st2 {v1.d, v2.d}[1], [x2] */
		{0x0d407061, 6, 3, V(1), NONE, false},	/* ld3 {v1.h-v3.h}[2], [x3] */
		{0x0d409061, 4, 3, V(1), NONE, false},	/* ld1 {v1.s}[1], [x3] */
		{0xa400a000, 0, 0, NONE, NONE, false},	/* ld1b {z0.b}, p0/z, [x0] */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct insn insn = decode(cases[i].word);

		assert_int_equal(insn.kind, INSN_MEMORY);
		assert_int_equal(insn.size, cases[i].size);
		assert_int_equal(insn.base, cases[i].base);
		assert_int_equal(insn.data[0], cases[i].data0);
		assert_int_equal(insn.data[1], cases[i].data1);
		assert_int_equal(insn.exclusive, cases[i].exclusive);
	}
}

static void maintenance_instructions(void **state)
{
	static const struct {
		uint32_t word;
		enum event_op_kind op;
		bool by_address;
		uint8_t rt;
	} cases[] = {
		{0xd50b7423, OP_DC_ZVA, true, 3},	{0xd50b7a24, OP_DC_CVAC, true, 4},
		{0xd50b7b24, OP_DC_CVAU, true, 4},	{0xd50b7e25, OP_DC_CIVAC, true, 5},
		{0xd5087626, OP_DC_IVAC, true, 6},	{0xd50b7c26, OP_DC_CVAC, true, 6},
		{0xd5087646, OP_DC_SETWAY, false, 6},	{0xd5087e41, OP_DC_SETWAY, false, 1},
		{0xd50b7527, OP_IC_IVAU, true, 7},	{0xd508751f, OP_IC_IALLU, false, 31},
		{0xd508711f, OP_IC_IALLUIS, false, 31},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct insn insn = decode(cases[i].word);

		assert_int_equal(insn.kind, INSN_OP);
		assert_int_equal(insn.op, cases[i].op);
		assert_int_equal(insn.by_address, cases[i].by_address);
		assert_int_equal(insn.rt, cases[i].rt);
	}
}

static void tlb_instructions(void **state)
{
	static const struct {
		uint32_t word;
		bool broadcast;
	} cases[] = {
		{0xd508871f, false}, /* vmalle1 */
		{0xd508831f, true},  /* vmalle1is */
		{0xd5088121, true},  /* vae1os */
		{0xd50c871f, false}, /* alle2 */
		{0xd50c8421, false}, /* ipas2e1 */
		{0xd5088621, false}, /* rvae1 */
		{0xd5088221, true},  /* rvae1is */
		{0xd5089720, false}, /* vae1nxs */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct insn insn = decode(cases[i].word);

		assert_int_equal(insn.kind, INSN_OP);
		assert_int_equal(insn.op, OP_TLBI);
		assert_int_equal(insn.broadcast, cases[i].broadcast);
	}
}

static void barriers(void **state)
{
	static const struct {
		uint32_t word;
		enum event_op_kind op;
		enum event_domain domain;
		enum event_order order;
	} cases[] = {
		{0xd5033f9f, OP_DSB, DOMAIN_SYSTEM, ORDER_ALL},
		{0xd5033a9f, OP_DSB, DOMAIN_INNER, ORDER_STORES},
		{0xd503359f, OP_DSB, DOMAIN_NONSHAREABLE, ORDER_LOADS},
		{0xd5033e3f, OP_DSB, DOMAIN_SYSTEM, ORDER_ALL}, /* dsb synxs */
		{0xd5033bbf, OP_DMB, DOMAIN_INNER, ORDER_ALL},
		{0xd50331bf, OP_DMB, DOMAIN_OUTER, ORDER_LOADS},
		{0xd5033fdf, OP_ISB, DOMAIN_SYSTEM, ORDER_ALL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct insn insn = decode(cases[i].word);

		assert_int_equal(insn.kind, INSN_OP);
		assert_int_equal(insn.op, cases[i].op);
		assert_int_equal(insn.domain, cases[i].domain);
		assert_int_equal(insn.order, cases[i].order);
	}
}

static void prefetches(void **state)
{
	struct insn insn = decode(0xf9808021); /* prfm pldl1strm, [x1, #256] */

	(void)state;
	assert_int_equal(insn.op, OP_PRFM);
	assert_int_equal(insn.base, 1);
	assert_int_equal(insn.offset, 256);
	assert_int_equal(insn.index, NONE);
	insn = decode(0xf8a37850); /* prfm pstl1keep, [x2, x3, lsl #3] */
	assert_int_equal(insn.op, OP_PRFM);
	assert_int_equal(insn.base, 2);
	assert_int_equal(insn.index, 3);
	assert_int_equal(insn.option & 1, 1);
	insn = decode(0xf89f8022); /* prfum pldl2keep, [x1, #-8] */
	assert_int_equal(insn.op, OP_PRFM);
	assert_int_equal(insn.offset, -8);
}

static void calls(void **state)
{
	(void)state;
	assert_int_equal(decode(0xd4000002).kind, INSN_CALL); /* hvc #0 */
	assert_int_equal(decode(0xd4000003).kind, INSN_CALL); /* smc #0 */
}

/* What translation depends on is read again after these, and only these. */
static void context_changes(void **state)
{
	static const uint32_t changing[] = {
		0xd5181000, /* msr sctlr_el1, x0 */
		0xd5182020, /* msr ttbr1_el1, x0 */
		0xd51cc000, /* msr vbar_el2, x0 */
		0xd518a200, /* msr mair_el1, x0 */
		0xd69f03e0, /* eret */
		0xd69f0bff, /* eretaa */
		0xd4000001, /* svc #0 */
		0xd4000022, /* hvc #1 */
	};
	static const uint32_t other[] = {
		0xd518d080, /* msr tpidr_el1, x0 */
		0xd5381000, /* mrs x0, sctlr_el1 */
		0xd50342df, /* msr daifset, #2 */
		0xd5033f5f, /* clrex */
		0xd503201f, /* nop */
		0x8b020020, /* add x0, x1, x2 */
		0x14000000, /* b . */
		0x9e670020, /* fmov d0, x1 */
		0xd5087800, /* at s1e1r, x0 */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(changing); i++)
		assert_int_equal(decode(changing[i]).kind, INSN_CONTEXT);
	for (size_t i = 0; i < COUNT(other); i++)
		assert_int_equal(decode(other[i]).kind, INSN_OTHER);
}

static void bulk_copies(void **state)
{
	struct insn insn = decode(0x19010440); /* cpyfp [x0]!, [x1]!, x2! */

	(void)state;
	assert_int_equal(insn.kind, INSN_BULK);
	assert_int_equal(insn.base, 0);
	assert_int_equal(insn.index, 1);
	assert_int_equal(insn.rt, 2);
	insn = decode(0x19c30444); /* setp [x4]!, x2!, x3 */
	assert_int_equal(insn.kind, INSN_BULK);
	assert_int_equal(insn.base, 4);
	assert_int_equal(insn.index, NONE);
	assert_int_equal(insn.rt, 2);
	assert_int_equal(decode(0x19410440).kind, INSN_OTHER); /* cpyfm */
	assert_int_equal(decode(0x19810440).kind, INSN_OTHER); /* cpyfe */
	assert_int_equal(decode(0x1d010440).kind, INSN_BULK);  /* cpyp */
	assert_int_equal(decode(0x19c34444).kind, INSN_OTHER); /* setm */
}

static void markers(void **state)
{
	struct insn insn = decode(0xd5032c5f); /* hint #0x62 */

	(void)state;
	assert_int_equal(insn.kind, INSN_MARKER);
	assert_int_equal(insn.marker, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_instructions), cmocka_unit_test(maintenance_instructions),
		cmocka_unit_test(tlb_instructions),    cmocka_unit_test(barriers),
		cmocka_unit_test(prefetches),	       cmocka_unit_test(calls),
		cmocka_unit_test(context_changes),     cmocka_unit_test(markers),
		cmocka_unit_test(bulk_copies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
