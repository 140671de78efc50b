/* SPDX-License-Identifier: MIT */
/*
 * Errors. Each is reported once, before the first store to a destination (but for a fault), as
 *
 *   kexpress: error E_NAME: what, 0xSTART-0xEND
 *
 * and is the value that a hand-off's return address receives in x0. Numbers never change meaning.
 */
#ifndef KEXPRESS_ERROR_H
#define KEXPRESS_ERROR_H

/* X(NAME, number, what it means) */
#define KX_ERRORS(X)                                                                   \
	X(ARGUMENT, 1, "x0 is neither a device tree nor a hand-off block")             \
	X(EL, 2, "exception level not supported, or the wished one is out of reach")   \
	X(HANDOFF, 3, "hand-off block malformed, or of an unknown version")            \
	X(FDT, 4, "device tree malformed")                                             \
	X(FDT_SPACE, 5, "device tree too large once completed")                        \
	X(NO_MEMORY, 6, "device tree names no usable RAM")                             \
	X(RANGES, 7, "more memory ranges than there is room for")                      \
	X(NO_PAYLOAD, 8, "no payload: no initrd, no hand-off, nothing in flash")       \
	X(PAYLOAD_RANGE, 9, "payload not wholly inside usable RAM")                    \
	X(FORMAT, 10, "payload not recognised")                                        \
	X(GZIP, 11, "payload is gzip data")                                            \
	X(ZBOOT, 12, "payload is a compressed EFI zboot image")                        \
	X(ELF, 13, "payload is an ELF file")                                           \
	X(PE, 14, "payload is a PE file without an arm64 Image header")                \
	X(COMPRESSION, 15, "payload compression not supported")                        \
	X(IMAGE, 16, "arm64 Image header malformed")                                   \
	X(GRANULE, 17, "kernel page size not supported by this CPU")                   \
	X(FIT, 18, "FIT malformed")                                                    \
	X(FIT_CONFIG, 19, "FIT configuration missing or malformed")                    \
	X(FIT_DATA, 20, "FIT image data missing or outside the FIT")                   \
	X(HASH, 21, "hash mismatch")                                                   \
	X(HASH_TYPE, 22, "hash algorithm not supported")                               \
	X(LIST_FLAG, 23, "list entry without exactly one flag")                        \
	X(LIST_RANGE, 24, "list page not in usable RAM")                               \
	X(LIST_END, 25, "list does not end")                                           \
	X(LIST_ORDER, 26, "source entry before any destination entry")                 \
	X(SOURCE_RANGE, 27, "source not in usable RAM")                                \
	X(DEST_RANGE, 28, "destination not in usable RAM")                             \
	X(DEST_RESERVED, 29, "destination in reserved memory")                         \
	X(DEST_TWICE, 30, "destination written twice")                                 \
	X(ALIGN, 31, "kernel or device tree misaligned")                               \
	X(BSS, 32, "memory that the kernel uses beyond its file is not free")          \
	X(WINDOW, 33, "initramfs and kernel not within one 32 GiB window")             \
	X(ENTRY, 34, "kernel entry outside every executable segment")                  \
	X(NO_ROOM, 35, "no free memory of the size needed")                            \
	X(TABLES, 36, "translation table pool too small")                              \
	X(ADDRESS, 37, "physical address beyond what the tables or the CPU can reach") \
	X(MAPPING, 38, "mapping empty, misaligned or overlapping")                     \
	X(FAULT, 39, "exception taken by kexpress itself")                             \
	X(EFI, 40, "EFI firmware lacks something, or refuses a call")                  \
	X(SLOT, 41, "payload slot in flash not whole")

#ifndef __ASSEMBLER__
#include <stdint.h>

enum kx_error {
	KX_OK = 0,
#define KX_ERROR_ENUM(name, number, text) KX_E_##name = number,
	KX_ERRORS(KX_ERROR_ENUM)
#undef KX_ERROR_ENUM
};

/* Why something was refused. what is a constant string; [start, end) the addresses it is about. */
struct kx_refusal {
	enum kx_error error;
	const char *what;
	uint64_t start;
	uint64_t end;
};

/* Fills in why and returns error, so that a check reads: return kx_refuse(why, KX_E_..., ...). */
static inline enum kx_error kx_refuse(struct kx_refusal *why, enum kx_error error, const char *what,
				      uint64_t start, uint64_t end)
{
	*why = (struct kx_refusal){error, what, start, end};
	return error;
}
#endif

#endif /* KEXPRESS_ERROR_H */
