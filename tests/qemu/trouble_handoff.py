# SPDX-License-Identifier: MIT
"""Hand-off blocks and entry lists that are refused."""

import struct

import tree
from abi import MIB, PAGE, constant
from entrylist import CRC, DESTINATION, DONE, INDIRECTION, INITRD, SOURCE, Segment
from machine import RAM_BASE
from scene import EL1, STAGE_AT, TREE_AT, HandoffBuilder, probe_kernel, random_bytes
from trouble import Trouble, provokes

KERNEL_AT = 0x41000000
RAMDISK_AT = 0x41800000
LIST_AT = 0x49000000
SOURCE_AT = 0x4a000000
NO_RAM = 0x20000000
RAM = RAM_BASE, RAM_BASE + 256 * MIB
PRETENDED = 0x1800000000  # named as RAM by a tree, 96 GiB high: not there, and never touched


def handoff(**changes):
    """A good hand-off, but for some fields."""
    builder = HandoffBuilder(30).kernel(probe_kernel(), KERNEL_AT)
    payload = builder.ramdisk(random_bytes(30000), RAMDISK_AT).build()
    for name, value in changes.items():
        setattr(payload.handoff, name, value)
    return Trouble(payload)


def handoff_list(*entry_list):
    """A hand-off whose list is these entries."""
    trouble = handoff(list_head=LIST_AT | INDIRECTION)
    trouble.payload.writes.append((LIST_AT, struct.pack(f"<{len(entry_list)}Q", *entry_list)))
    return trouble


def handoff_segment(index=1, **changes):
    """A hand-off, but for something of its ramdisk's segment, or its kernel's."""
    trouble = handoff()
    for name, value in changes.items():
        setattr(trouble.payload.handoff.segments[index], name, value)
    return trouble


def with_tree(trouble, *changes):
    trouble.changes = changes
    trouble.payload.handoff.fdt = TREE_AT
    return trouble


@provokes("HANDOFF")
def handoff_version():
    return handoff(version=1)


@provokes("HANDOFF")
def handoff_without_segments():
    return handoff(segments=[])


@provokes("HANDOFF")
def handoff_with_too_many_segments():
    return handoff(segment_count=constant("KX_HANDOFF_SEGMENTS") + 1)


@provokes("HANDOFF")
def handoff_size():
    return handoff(size=100)


@provokes("HANDOFF")
def handoff_size_huge():
    return handoff(size=0xfffffff0)


@provokes("HANDOFF")
def handoff_flags():
    return handoff(flags=0x80000000)


@provokes("HANDOFF")
def handoff_reserved():
    return handoff(reserved=1)


@provokes("HANDOFF")
def handoff_both_conduits():
    return handoff(flags=constant("KX_HANDOFF_PSCI_SMC") | constant("KX_HANDOFF_PSCI_HVC"))


@provokes("HANDOFF")
def handoff_with_too_many_ranges():
    return handoff(ram_count=constant("KX_HANDOFF_RANGES") + 1)


@provokes("HANDOFF")
def handoff_counts_that_wrap():
    return handoff(ram_count=0xffffffff)


@provokes("HANDOFF")
def handoff_range_not_counted():
    return handoff(ram=[RAM], ram_count=0)


@provokes("HANDOFF")
def handoff_empty_range():
    return handoff(ram=[RAM], avoid=[(SOURCE_AT, SOURCE_AT)])


@provokes("HANDOFF")
def handoff_range_backwards():
    return handoff(ram=[RAM[::-1]])


@provokes("HANDOFF")
def handoff_range_of_half_a_page():
    return handoff(ram=[(RAM_BASE, RAM_BASE + 64 * MIB + PAGE // 2)])


@provokes("HANDOFF")
def handoff_crc_without_flag():
    return handoff_segment(crc=1)


@provokes("HANDOFF")
def handoff_crc_out_of_order():
    builder = HandoffBuilder(32).kernel(probe_kernel(), KERNEL_AT)
    builder.ramdisk(random_bytes(30000), RAMDISK_AT)
    builder.copies.reverse()
    trouble = Trouble(builder.build(), control=True)
    trouble.payload.handoff.segments[1].flags |= CRC
    return trouble


@provokes("HASH")
def handoff_crc():
    trouble = handoff_segment(flags=INITRD | CRC, crc=1)
    trouble.control = True
    return trouble


@provokes("HANDOFF")
def handoff_without_tree():
    return handoff(fdt=TREE_AT)


@provokes("HANDOFF")
def handoff_empty_segment():
    return handoff_segment(file_size=0)


@provokes("HANDOFF")
def handoff_segment_wraps():
    return handoff_segment(memory_size=2**64 - RAMDISK_AT + PAGE)


@provokes("HANDOFF")
def handoff_timing_misaligned():
    return handoff(timing=0x43000004)


@provokes("HANDOFF")
def handoff_timing_in_destination():
    return handoff(timing=RAMDISK_AT + 8)


@provokes("HANDOFF")
def handoff_timing_not_in_ram():
    return handoff(timing=NO_RAM)


@provokes("HANDOFF")
def handoff_timing_in_kexpress():
    return handoff(timing=STAGE_AT + 0x8000)


@provokes("EL")
def el_above():
    trouble = handoff(el=2)
    trouble.how["start"] = EL1
    return trouble


@provokes("EL")
def el_3():
    return handoff(el=3)


@provokes("LIST_FLAG")
def list_two_flags():
    return handoff_list(KERNEL_AT | DESTINATION, SOURCE_AT | SOURCE | DONE)


@provokes("LIST_FLAG")
def list_no_flag():
    return handoff_list(KERNEL_AT | DESTINATION, 0)


@provokes("LIST_FLAG")
def list_head_without_flag():
    return handoff(list_head=LIST_AT)


@provokes("LIST_RANGE")
def list_not_in_ram():
    return handoff(list_head=0x09000000 | INDIRECTION)


@provokes("LIST_RANGE")
def list_leads_out_of_ram():
    return handoff_list(KERNEL_AT | DESTINATION, 0xfffffffffffff000 | INDIRECTION)


@provokes("LIST_END")
def list_in_circles():
    return handoff_list(KERNEL_AT | DESTINATION, LIST_AT | INDIRECTION)


@provokes("LIST_END")
def list_without_end():
    return handoff_list(*[KERNEL_AT | DESTINATION] * 512)


@provokes("LIST_END")
def list_head_is_an_entry():
    return handoff(list_head=KERNEL_AT | DESTINATION)


@provokes("LIST_ORDER")
def list_source_first():
    return handoff_list(SOURCE_AT | SOURCE, DONE)


@provokes("SOURCE_RANGE")
def source_not_in_ram():
    return handoff_list(KERNEL_AT | DESTINATION, NO_RAM | SOURCE, DONE)


@provokes("SOURCE_RANGE")
def source_is_the_last_page():
    return handoff_list(KERNEL_AT | DESTINATION, 0xfffffffffffff000 | SOURCE, DONE)


@provokes("SOURCE_RANGE")
def source_in_kexpress():
    return handoff_list(KERNEL_AT | DESTINATION, STAGE_AT | SOURCE, DONE)


@provokes("DEST_RANGE")
def destination_in_no_segment():
    return handoff_list(0x4e000000 | DESTINATION, SOURCE_AT | SOURCE, DONE)


@provokes("DEST_RANGE")
def destination_not_in_ram():
    return handoff_list(NO_RAM | DESTINATION, SOURCE_AT | SOURCE, DONE)


@provokes("DEST_RANGE")
def segment_not_in_ram():
    return handoff_segment(destination=NO_RAM)


@provokes("DEST_RANGE")
def segment_beyond_ram():
    return handoff_segment(memory_size=0x50000000 - RAMDISK_AT + 1)


@provokes("DEST_RESERVED")
def destination_reserved():
    return with_tree(handoff(), tree.Reservation(RAMDISK_AT + 0x1234, 1))


@provokes("DEST_RESERVED")
def destination_in_reserved_memory():
    return with_tree(handoff(), tree.reserved(RAMDISK_AT + PAGE, PAGE))


@provokes("NO_MEMORY")
def handoff_ram_not_to_be_mapped():
    trouble = handoff(ram=[(RAM_BASE + 64 * MIB, RAM_BASE + 65 * MIB)])
    return with_tree(trouble, tree.reserved(RAM_BASE + 64 * MIB, MIB, no_map=True))


@provokes("HANDOFF")
def handoff_avoids_too_much():
    return handoff(avoid=[RAM] * (constant("KX_HANDOFF_RANGES") + 1))


@provokes("DEST_RESERVED")
def destination_to_avoid():
    return handoff(ram=[RAM], avoid=[(RAMDISK_AT + PAGE, RAMDISK_AT + 2 * PAGE)])


@provokes("DEST_RANGE")
def destination_not_in_ram_that_was_told():
    return handoff(ram=[(RAM_BASE, RAMDISK_AT), (RAMDISK_AT + PAGE, RAM[1])])


@provokes("DEST_RANGE")
def destination_not_to_be_mapped_whatever_was_told():
    return with_tree(handoff(ram=[RAM]), tree.reserved(RAMDISK_AT + PAGE, PAGE, no_map=True))


@provokes("DEST_RANGE")
def destination_not_to_be_mapped():
    return with_tree(handoff(), tree.reserved(RAMDISK_AT + PAGE, PAGE, no_map=True))


@provokes("DEST_TWICE")
def destination_twice_in_list():
    trouble = handoff_list(KERNEL_AT | DESTINATION, SOURCE_AT | SOURCE,
                           KERNEL_AT | DESTINATION, SOURCE_AT | SOURCE, DONE)
    trouble.payload.writes.append((SOURCE_AT, probe_kernel()[:PAGE]))
    trouble.control = True
    return trouble


@provokes("DEST_TWICE")
def segments_overlap():
    return handoff_segment(destination=KERNEL_AT + PAGE)


@provokes("ALIGN")
def segment_misaligned():
    return handoff_segment(destination=RAMDISK_AT + 8)


@provokes("ALIGN")
def kernel_misaligned():
    builder = HandoffBuilder(31).kernel(probe_kernel(), KERNEL_AT + 64 * 1024)
    return Trouble(builder.build())


@provokes("BSS")
def kernel_segment_too_small():
    return handoff_segment(0, memory_size=0)


@provokes("WINDOW")
def window():
    trouble = with_tree(handoff(), tree.memory((RAM_BASE, 256 * MIB), (PRETENDED, 256 * MIB)))
    trouble.payload.handoff.segments.append(Segment(PRETENDED, PAGE, flags=INITRD))
    trouble.payload.handoff.segments[1].flags = 0
    return trouble


@provokes("ENTRY")
def entry_outside():
    return handoff(entry=0x40000000)


@provokes("ENTRY")
def entry_misaligned():
    return handoff(entry=KERNEL_AT + 2)


@provokes("ENTRY")
def entry_in_data():
    return handoff(entry=RAMDISK_AT)


@provokes("IMAGE")
def handoff_kernel_without_header():
    trouble = handoff_list(KERNEL_AT | DESTINATION, SOURCE_AT | SOURCE, DONE)
    trouble.payload.writes.append((SOURCE_AT, random_bytes(PAGE)))
    return trouble
