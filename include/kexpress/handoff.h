/* SPDX-License-Identifier: MIT */
/*
 * The hand-off block: how a program that already holds a kernel in memory asks kexpress to place
 * and start it. The block's physical address goes into x0 at kexpress's entry point; everything in
 * it is little-endian and every address is physical. docs/handoff.md tells the rest.
 *
 * The caller may have its MMU on (identity-mapped where kexpress and the block lie) or off; with
 * the MMU off, what it wrote with caches on must be clean to the point of coherency for kexpress's
 * own image only. The block, the list and the sources may be dirty in the caches.
 */
#ifndef KEXPRESS_HANDOFF_H
#define KEXPRESS_HANDOFF_H

#include <kexpress/error.h>
#include <kexpress/list.h>

#define KX_HANDOFF_MAGIC    0x66666f646e61786b /* "kxandoff" in memory */
#define KX_HANDOFF_VERSION  2
#define KX_HANDOFF_SEGMENTS 16
#define KX_HANDOFF_RANGES   4096

/* handoff.flags */
#define KX_HANDOFF_MMU_OFF 0x1 /* copy with the MMU off, page by page, as Linux before 5.16 */
#define KX_HANDOFF_DEBUG   0x2 /* say each step */
/* How PSCI is called, of a machine whose device tree is not the one that tells (ACPI). */
#define KX_HANDOFF_PSCI_SMC 0x4
#define KX_HANDOFF_PSCI_HVC 0x8

/* segment.flags */
#define KX_SEGMENT_EXEC 0x1 /* executed: cleaned to PoC, instruction caches made to see it */
#define KX_SEGMENT_POC	0x2 /* read with the MMU off by its user: cleaned to PoC */
#define KX_SEGMENT_KERNEL                                                                         \
	0x4		       /* arm64 Image: implies the two above; placement rules are checked \
				*/
#define KX_SEGMENT_INITRD 0x8  /* becomes linux,initrd-start and -end */
#define KX_SEGMENT_CRC	  0x10 /* crc is checked before the point of no return */

/* Offsets for assembly. */
#define KX_HANDOFF_OFF_MAGIC	     0
#define KX_HANDOFF_OFF_VERSION	     8
#define KX_HANDOFF_OFF_SIZE	     12
#define KX_HANDOFF_OFF_FLAGS	     16
#define KX_HANDOFF_OFF_EL	     20
#define KX_HANDOFF_OFF_LIST_HEAD     24
#define KX_HANDOFF_OFF_ENTRY	     32
#define KX_HANDOFF_OFF_FDT	     40
#define KX_HANDOFF_OFF_RETURN	     48
#define KX_HANDOFF_OFF_TIMING	     56
#define KX_HANDOFF_OFF_KEEP_START    64
#define KX_HANDOFF_OFF_KEEP_END	     72
#define KX_HANDOFF_OFF_SEGMENT_COUNT 80
#define KX_HANDOFF_OFF_RAM_COUNT     84
#define KX_HANDOFF_OFF_AVOID_COUNT   88
#define KX_HANDOFF_OFF_SEGMENTS	     96
#define KX_SEGMENT_SIZE		     32
#define KX_RANGE_SIZE		     16

#ifndef __ASSEMBLER__
#include <stddef.h>

struct kx_segment {
	uint64_t destination; /* 4 KiB aligned */
	uint64_t file_size;   /* bytes that the list provides, or that are in place already */
	uint64_t memory_size; /* bytes kept free at destination; at least file_size */
	uint32_t flags;	      /* KX_SEGMENT_* */
	uint32_t crc; /* CRC-32, as zlib's, of the file_size bytes; without KX_SEGMENT_CRC 0 */
};

/* [start, end), bytes, in whole 4 KiB pages */
struct kx_range {
	uint64_t start;
	uint64_t end;
};

/*
 * segments is followed by ram_count and then avoid_count struct kx_range.
 *
 * ram: all RAM that kexpress may use, in place of what the device tree says. With EFI or ACPI the
 * tree does not say; after memory was plugged or unplugged it says what was once true. 0: the
 * tree's. avoid: what lies in RAM and must not be written, beside the tree's reservations.
 */
struct kx_handoff {
	uint64_t magic;	    /* KX_HANDOFF_MAGIC */
	uint32_t version;   /* KX_HANDOFF_VERSION */
	uint32_t size;	    /* bytes of this block, segments and ranges included */
	uint32_t flags;	    /* KX_HANDOFF_* */
	uint32_t el;	    /* exception level for the kernel: 1, 2, or 0 for the one of entry */
	uint64_t list_head; /* first list entry (kexpress/list.h) */
	uint64_t entry;	    /* kernel's first instruction, inside an executable segment */
	uint64_t fdt;	    /* device tree as it lies now, 8-byte aligned; the kernel gets a copy */
	uint64_t return_to; /* where to go on a refusal, x0 = error; 0: none */
	uint64_t timing;    /* where to leave a struct kx_timing, 8-byte aligned; 0: nowhere */
	uint64_t keep_start; /* [keep_start, keep_end) must be intact when return_to is reached: */
	uint64_t keep_end;   /* the caller itself, its stack, its tables; empty: nothing */
	uint32_t segment_count; /* 1 to KX_HANDOFF_SEGMENTS */
	uint32_t ram_count;	/* together with avoid_count at most KX_HANDOFF_RANGES */
	uint32_t avoid_count;
	uint32_t reserved;	      /* 0 */
	struct kx_segment segments[]; /* every destination page of the list lies in one */
};

#define KX_HANDOFF_AT(member, at) _Static_assert(offsetof(struct kx_handoff, member) == (at), "ABI")
KX_HANDOFF_AT(magic, KX_HANDOFF_OFF_MAGIC);
KX_HANDOFF_AT(version, KX_HANDOFF_OFF_VERSION);
KX_HANDOFF_AT(size, KX_HANDOFF_OFF_SIZE);
KX_HANDOFF_AT(flags, KX_HANDOFF_OFF_FLAGS);
KX_HANDOFF_AT(el, KX_HANDOFF_OFF_EL);
KX_HANDOFF_AT(list_head, KX_HANDOFF_OFF_LIST_HEAD);
KX_HANDOFF_AT(entry, KX_HANDOFF_OFF_ENTRY);
KX_HANDOFF_AT(fdt, KX_HANDOFF_OFF_FDT);
KX_HANDOFF_AT(return_to, KX_HANDOFF_OFF_RETURN);
KX_HANDOFF_AT(timing, KX_HANDOFF_OFF_TIMING);
KX_HANDOFF_AT(keep_start, KX_HANDOFF_OFF_KEEP_START);
KX_HANDOFF_AT(keep_end, KX_HANDOFF_OFF_KEEP_END);
KX_HANDOFF_AT(segment_count, KX_HANDOFF_OFF_SEGMENT_COUNT);
KX_HANDOFF_AT(ram_count, KX_HANDOFF_OFF_RAM_COUNT);
KX_HANDOFF_AT(avoid_count, KX_HANDOFF_OFF_AVOID_COUNT);
KX_HANDOFF_AT(segments, KX_HANDOFF_OFF_SEGMENTS);
#undef KX_HANDOFF_AT
_Static_assert(sizeof(struct kx_segment) == KX_SEGMENT_SIZE, "ABI");
_Static_assert(sizeof(struct kx_range) == KX_RANGE_SIZE, "ABI");
_Static_assert(sizeof(struct kx_handoff) == KX_HANDOFF_OFF_SEGMENTS, "ABI");
#endif

#endif /* KEXPRESS_HANDOFF_H */
