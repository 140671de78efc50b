/* SPDX-License-Identifier: MIT */
#include "walk.h"

#include <string.h>

#define SCTLR_M (1ull << 0)
#define SCTLR_C (1ull << 2)
#define SCTLR_I (1ull << 12)
#define HCR_DC	(1ull << 12)

/* TCR: the layout with two ranges (EL1, EL2 with E2H), and the one with one (EL2, EL3). */
#define TCR_T1SZ_SHIFT	16
#define TCR_IRGN0_SHIFT 8
#define TCR_IRGN1_SHIFT 24
#define TCR_TG0_SHIFT	14
#define TCR_TG1_SHIFT	30
#define TCR_SH1_SHIFT	28
#define TCR_SH0_SHIFT	12
#define TCR_TBI0	(1ull << 37)
#define TCR_TBI1	(1ull << 38)
#define TCR_DS		(1ull << 59)
#define TCR_EL2_TBI	(1ull << 20)
#define TCR_EL2_DS	(1ull << 32)

#define DESCRIPTOR_VALID      (1ull << 0)
#define DESCRIPTOR_TABLE      (1ull << 1)
#define DESCRIPTOR_ATTR_SHIFT 2
#define DESCRIPTOR_SH_SHIFT   8
#define SH_INNER	      3

#define FIELD(value, shift, width) (((value) >> (shift)) & ((1ull << (width)) - 1))

/* One of the VA ranges of the current regime. */
struct range {
	uint64_t ttbr;
	unsigned int va_bits;
	unsigned int granule; /* log2 */
	unsigned int sh;      /* with ds: the field of TCR that takes the descriptors' place */
	bool ds;
	enum event_type walker; /* type of the walk's own accesses */
};

bool walk_is_ram(const struct walk_ram *ram, uint64_t pa)
{
	return pa - ram->base < ram->size;
}

bool walk_mmu_on(const struct event_state *state)
{
	return state->sctlr & SCTLR_M;
}

static bool two_ranges(const struct event_state *state)
{
	return state->el <= 1 || (state->el == 2 && state->e2h);
}

/* TG0 and TG1 have different encodings. */
static unsigned int granule_of(uint64_t tg, bool upper)
{
	static const unsigned int lower_granules[] = {12, 16, 14, 12};
	static const unsigned int upper_granules[] = {12, 14, 12, 16};

	return upper ? upper_granules[tg] : lower_granules[tg];
}

/* Encodings of IRGN and ORGN; caches off, walks go past them too. */
static enum event_type walker_type(const struct event_state *state, bool upper)
{
	static const enum event_type types[] = {TYPE_NONCACHEABLE, TYPE_WRITEBACK,
						TYPE_WRITETHROUGH, TYPE_WRITEBACK};
	unsigned int shift = upper ? TCR_IRGN1_SHIFT : TCR_IRGN0_SHIFT;
	enum event_type inner = types[FIELD(state->tcr, shift, 2)];
	enum event_type outer = types[FIELD(state->tcr, shift + 2, 2)];

	if (!(state->sctlr & SCTLR_C))
		return TYPE_NONCACHEABLE;
	return inner < outer ? inner : outer;
}

static struct range range_of(const struct event_state *state, uint64_t va)
{
	bool both = two_ranges(state);
	bool upper = both && va >> 55 & 1;

	return (struct range){
		.ttbr = upper ? state->ttbr1 : state->ttbr0,
		.va_bits = 64 - (unsigned int)FIELD(state->tcr, upper ? TCR_T1SZ_SHIFT : 0, 6),
		.granule = granule_of(FIELD(state->tcr, upper ? TCR_TG1_SHIFT : TCR_TG0_SHIFT, 2),
				      upper),
		.sh = (unsigned int)FIELD(state->tcr, upper ? TCR_SH1_SHIFT : TCR_SH0_SHIFT, 2),
		.ds = state->tcr & (both ? TCR_DS : TCR_EL2_DS),
		.walker = walker_type(state, upper),
	};
}

/* Above the translated bits all must equal bit 55, but for a tag that TBI allows. */
static bool canonical(const struct event_state *state, const struct range *range, uint64_t va)
{
	bool both = two_ranges(state);
	bool upper = both && va >> 55 & 1;
	uint64_t tbi = both ? (upper ? TCR_TBI1 : TCR_TBI0) : TCR_EL2_TBI;
	unsigned int top = state->tcr & tbi ? 56 : 64;
	uint64_t rest = va << (64 - top) >> (64 - top) >> range->va_bits;

	return rest == (upper ? (~0ull << (64 - top)) >> (64 - top) >> range->va_bits : 0);
}

/* MAIR byte to type. Of the inner and the outer half, the lesser counts. */
static enum event_type half_type(unsigned int half)
{
	if (half == 4)
		return TYPE_NONCACHEABLE;
	return half & 4 ? TYPE_WRITEBACK : TYPE_WRITETHROUGH;
}

static enum event_type attribute_type(uint64_t mair, unsigned int index)
{
	unsigned int attribute = (unsigned int)FIELD(mair, index * 8, 8);
	enum event_type outer = half_type(attribute >> 4);
	enum event_type inner = half_type(attribute & 0xf);

	if (attribute >> 4 == 0)
		return TYPE_DEVICE;
	return inner < outer ? inner : outer;
}

/* Caches off: accesses to Normal memory go past them. */
static enum event_type effective(const struct event_state *state, enum event_type type,
				 enum event_kind kind)
{
	bool cached = state->sctlr & (kind == ACCESS_FETCH ? SCTLR_I : SCTLR_C);

	return type > TYPE_NONCACHEABLE && !cached ? TYPE_NONCACHEABLE : type;
}

/* Arm ARM D8.2.12: data is Device-nGnRnE, fetches are Normal, write-through if SCTLR.I is set. */
static struct walk_result walk_flat(const struct event_state *state, uint64_t va,
				    enum event_kind kind)
{
	struct walk_result result = {.pa = va, .page_shift = 30};

	if (state->el <= 1 && state->hcr & HCR_DC) {
		result.type = TYPE_WRITEBACK;
		result.inner_shareable = true;
	} else if (kind == ACCESS_FETCH) {
		result.type = state->sctlr & SCTLR_I ? TYPE_WRITETHROUGH : TYPE_NONCACHEABLE;
	} else {
		result.type = TYPE_DEVICE;
	}
	return result;
}

/* Output address of a descriptor, bits above granule; 52-bit forms keep the top bits low down. */
static uint64_t descriptor_address(const struct range *range, uint64_t descriptor)
{
	uint64_t low = 1ull << range->granule;
	uint64_t address = descriptor & ((1ull << (range->ds ? 50 : 48)) - low);

	if (range->ds)
		address |= FIELD(descriptor, 8, 2) << 50;
	else if (range->granule == 16)
		address |= FIELD(descriptor, 12, 4) << 48;
	return address;
}

static uint64_t table_root(const struct range *range)
{
	uint64_t root = range->ttbr & ((1ull << 48) - 2);

	if (range->ds || (range->granule == 16 && range->va_bits > 48))
		return (root & ~0x3full) | FIELD(range->ttbr, 2, 4) << 48;
	return root;
}

static struct walk_result leaf(const struct event_state *state, const struct range *range,
			       uint64_t va, uint64_t descriptor, unsigned int shift)
{
	uint64_t inside = (1ull << shift) - 1;
	unsigned int sh =
		range->ds ? range->sh : (unsigned int)FIELD(descriptor, DESCRIPTOR_SH_SHIFT, 2);

	return (struct walk_result){
		.pa = (descriptor_address(range, descriptor) & ~inside) | (va & inside),
		.type = attribute_type(state->mair,
				       (unsigned int)FIELD(descriptor, DESCRIPTOR_ATTR_SHIFT, 3)),
		.page_shift = (uint8_t)shift,
		.inner_shareable = sh == SH_INNER,
	};
}

static void trace_step(struct walk_trace *trace, uint64_t pa, uint64_t descriptor)
{
	trace->steps[trace->count].pa = pa;
	trace->steps[trace->count].descriptor = descriptor;
	trace->count++;
}

/* Levels count up to 3, whatever the root's is; that of LPA2's fifth level is told as 0 too. */
static void trace_levels(struct walk_trace *trace, unsigned int last)
{
	for (unsigned int i = 0; i < trace->count; i++) {
		unsigned int up = trace->count - 1 - i;

		trace->steps[i].level = up < last ? last - up : 0;
	}
}

static struct walk_result walk_tables(const struct event_state *state, const struct walk_ram *ram,
				      const struct range *range, uint64_t va,
				      struct walk_trace *trace)
{
	const struct walk_result fault = {.fault = true};
	unsigned int width = range->granule - 3;
	unsigned int shift = range->granule;
	unsigned int bits = range->va_bits;
	uint64_t table = table_root(range);

	while (shift + width < bits)
		shift += width;
	for (;; bits = shift, shift -= width) {
		uint64_t at = table + FIELD(va, shift, bits - shift) * sizeof(uint64_t);
		bool last = shift == range->granule;
		uint64_t descriptor;

		if (!walk_is_ram(ram, at))
			return fault;
		memcpy(&descriptor, ram->map + (at - ram->base), sizeof(descriptor));
		trace_step(trace, at, descriptor);
		if (!(descriptor & DESCRIPTOR_VALID) || (last && !(descriptor & DESCRIPTOR_TABLE)))
			return fault;
		if (last || !(descriptor & DESCRIPTOR_TABLE)) {
			trace_levels(trace, 3 - (shift - range->granule) / width);
			return leaf(state, range, va, descriptor, shift);
		}
		table = descriptor_address(range, descriptor);
	}
}

struct walk_result walk(const struct event_state *state, const struct walk_ram *ram, uint64_t va,
			enum event_kind kind, struct walk_trace *trace)
{
	struct range range;
	struct walk_result result;

	trace->count = 0;
	if (!walk_mmu_on(state))
		return walk_flat(state, va, kind);
	range = range_of(state, va);
	trace->type = range.walker;
	if (range.va_bits <= range.granule || range.va_bits > 52 || !canonical(state, &range, va))
		return (struct walk_result){.fault = true};
	result = walk_tables(state, ram, &range, va, trace);
	result.type = effective(state, result.type, kind);
	return result;
}

#define PAGE_SHIFT 12
#define PAGE_MASK  ((1ull << PAGE_SHIFT) - 1)

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15;
	return hash ^ hash >> 29;
}

static void set_context(struct walk_tlb *tlb)
{
	tlb->context = mix(tlb->registers, tlb->flushes) | 1;
}

void walk_tlb_flush(struct walk_tlb *tlb)
{
	tlb->flushes++;
	set_context(tlb);
}

void walk_tlb_context(struct walk_tlb *tlb, const struct event_state *state)
{
	uint64_t hash = mix(two_ranges(state), state->el > 1 ? state->el : 1);

	hash = mix(hash, state->sctlr);
	hash = mix(hash, state->tcr);
	hash = mix(hash, state->mair);
	hash = mix(hash, state->ttbr0);
	hash = mix(hash, state->ttbr1);
	tlb->registers = mix(hash, state->hcr);
	set_context(tlb);
}

struct walk_result walk_cached(struct walk_tlb *tlb, const struct event_state *state,
			       const struct walk_ram *ram, uint64_t va, enum event_kind kind,
			       struct walk_trace *trace)
{
	uint64_t page = va >> PAGE_SHIFT << 1 | (kind == ACCESS_FETCH);
	size_t at = (page ^ page >> 12) % WALK_TLB_ENTRIES;
	struct walk_result result;

	trace->count = 0;
	if (tlb->entries[at].page != page || tlb->entries[at].context != tlb->context) {
		result = walk(state, ram, va & ~PAGE_MASK, kind, trace);
		if (result.fault)
			return result;
		tlb->entries[at].page = page;
		tlb->entries[at].context = tlb->context;
		tlb->entries[at].result = result;
	}
	result = tlb->entries[at].result;
	result.pa += va & PAGE_MASK;
	return result;
}
