# SPDX-License-Identifier: MIT
"""
Every error that there is (include/kexpress/error.h): something provokes it, the message names it
with addresses, a caller that wants to gets it back, and memory is as it was.
"""

import re
import struct
from dataclasses import dataclass, field

import libfdt
import pytest

import abi
import fit
import tree
from abi import ERRORS, MIB, PAGE, Image, constant
from check import SCTLR_C, SCTLR_M
from entrylist import DESTINATION, DONE, INDIRECTION, INITRD, SOURCE, Segment
from machine import RAM_BASE, Board, Machine
from scene import (EL1, STAGE_AT, STARTS, TREE_AT, HandoffBuilder, Payload, image_payload,
                   probe_kernel, random_bytes, scene)

KERNEL_AT = 0x41000000
RAMDISK_AT = 0x41800000
LIST_AT = 0x49000000
SOURCE_AT = 0x4a000000
NO_RAM = 0x20000000
PRETENDED = 0x1800000000  # named as RAM by a tree, 96 GiB high: not there, and never touched

# Where else an error is provoked, or why nothing can provoke it.
ELSEWHERE = {"FAULT": "test_fault.py"}

CASES = {}


@dataclass
class Trouble:
    """scene()'s arguments. control: noticed late, when memory that nobody named is in use."""

    payload: Payload = field(default_factory=lambda: Payload(b""))
    changes: tuple = None  # of a device tree of ours, in place of QEMU's
    control: bool = False
    how: dict = field(default_factory=dict)


def provokes(error):
    def note(make):
        assert make.__name__ not in CASES
        CASES[make.__name__] = (error, make)
        return make
    return note


# --- Hand-off blocks and entry lists --------------------------------------------------------------


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
    return handoff(version=2)


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


# --- Arguments and device trees -------------------------------------------------------------------


def argument(value, *writes):
    return Trouble(Payload(b"", writes=list(writes)), how={"argument": value})


def machine_tree(*changes):
    """A tree of ours as x0."""
    return Trouble(changes=changes, how={"argument": TREE_AT})


def scattered(count, distance):
    """RAM, and single pages of more that is pretended."""
    return tree.memory((RAM_BASE, 256 * MIB),
                       *((PRETENDED + i * distance, PAGE) for i in range(count)))


@provokes("ARGUMENT")
def argument_none():
    return argument(0)


@provokes("ARGUMENT")
def argument_nonsense():
    return argument(0x43000000)


@provokes("ARGUMENT")
def argument_misaligned():
    return argument(TREE_AT + 4, (TREE_AT + 4, tree.edited()))


@provokes("FDT")
def tree_damaged():
    blob = bytearray(tree.edited())
    start = struct.unpack_from(">I", blob, 8)[0]
    blob[start:start + 4] = b"\0\0\0\7"
    return argument(TREE_AT, (TREE_AT, bytes(blob)))


@provokes("FDT")
def tree_old():
    blob = bytearray(tree.edited())
    struct.pack_into(">2I", blob, 20, 16, 16)
    return argument(TREE_AT, (TREE_AT, bytes(blob)))


@provokes("FDT")
def tree_not_in_its_ram():
    return machine_tree(tree.memory((STAGE_AT, 64 * MIB)))


@provokes("FDT")
def command_line_long():
    return Trouble(how={"append": "x" * 4096})


@provokes("FDT_SPACE")
def bootargs_long():
    def make(path):
        fit.simple(probe_kernel(), bootargs="y" * 5000).make(path)
    return Trouble(Payload(b"", initrd=make), control=True, how={"append": "x" * 3500})


@provokes("FDT_SPACE")
def tree_large():
    """There is no room left for what is added."""
    def change(fdt):
        fdt.resize(4 * MIB)
        fdt.setprop(fdt.path_offset("/chosen"), "filler", bytes(100))
        fdt.pack()
        size = fdt.totalsize()
        fdt.resize(4 * MIB)
        fdt.setprop(fdt.path_offset("/chosen"), "filler", bytes(2 * MIB - size))
    trouble = with_tree(handoff(), change)
    trouble.control = True
    return trouble


@provokes("NO_MEMORY")
def tree_without_memory():
    return machine_tree(tree.node_deleted(tree.MEMORY))


@provokes("NO_MEMORY")
def tree_without_us():
    return machine_tree(tree.memory((0x42000000, 32 * MIB)))


@provokes("RANGES")
def tree_of_many_ranges():
    return machine_tree(scattered(5000, 2 * PAGE))


@provokes("TABLES")
def tree_of_many_tables():
    return machine_tree(scattered(600, 2 * MIB))


@provokes("ADDRESS")
def segment_beyond_the_cpu():
    """Cortex-A72 reaches 44 bits."""
    trouble = with_tree(handoff(), tree.memory((RAM_BASE, 256 * MIB), (1 << 45, MIB)))
    trouble.payload.handoff.segments.append(Segment(1 << 45, PAGE, 2 * PAGE))
    trouble.how["cpu"] = "cortex-a72"
    trouble.control = True
    return trouble


@provokes("MAPPING")
def tree_beyond_48_bits():
    return machine_tree(tree.memory((RAM_BASE, 256 * MIB), (1 << 48, PAGE)))


@provokes("MAPPING")
def console_in_ram():
    return machine_tree(tree.property_set(tree.CONSOLE, "reg", tree.pairs([(TREE_AT, PAGE)])))


@provokes("NO_PAYLOAD")
def no_initrd():
    return Trouble()


@provokes("PAYLOAD_RANGE")
def initrd_not_in_ram():
    return machine_tree(tree.initrd(NO_RAM, NO_RAM + 100))


@provokes("PAYLOAD_RANGE")
def initrd_beyond_ram():
    return machine_tree(tree.initrd(0x4fff0000, 0x50000001))


@provokes("PAYLOAD_RANGE")
def second_initrd_not_in_ram():
    trouble = file_of(probe_kernel())
    trouble.how["append"] = "kexpress.initrd=0x50000000,4096"
    return trouble


# --- Files ----------------------------------------------------------------------------------------


def file_of(data):
    return Trouble(Payload(b"", initrd=lambda path: path.write_bytes(data)))


def image_with(offset, value):
    image = bytearray(probe_kernel())
    struct.pack_into("<Q", image, offset, value)
    return file_of(bytes(image))


def fit_of(change, **how):
    """A FIT, changed afterwards by change(bytearray), which returns what counts."""
    how.setdefault("ramdisk", random_bytes(20000))

    def make(path):
        fit.simple(probe_kernel(), **how).make(path)
        path.write_bytes(change(bytearray(path.read_bytes())))
    return Trouble(Payload(b"", initrd=make))


def same(data):
    return data


@provokes("FORMAT")
def file_unknown():
    return file_of(random_bytes(5000))


@provokes("FORMAT")
def file_short():
    return file_of(b"abc")


@provokes("GZIP")
def file_gzip():
    return file_of(b"\x1f\x8b\x08" + bytes(1000))


@provokes("ZBOOT")
def file_zboot():
    return file_of(b"MZ\0\0zimg" + bytes(1000))


@provokes("ELF")
def file_elf():
    return file_of(abi.CALLER_ELF.read_bytes())


@provokes("PE")
def file_pe():
    return file_of(b"MZ" + bytes(1000))


@provokes("COMPRESSION")
def file_zstd():
    return file_of(b"\x28\xb5\x2f\xfd" + bytes(1000))


@provokes("COMPRESSION")
def fit_compressed():
    def make(path):
        parts = {"kernel": fit.Part(random_bytes(9999), "kernel", compression="gzip")}
        fit.Fit(parts, {"conf": {"kernel": "kernel"}}).make(path)
    return Trouble(Payload(b"", initrd=make))


@provokes("IMAGE")
def image_text_offset():
    return image_with(8, 0x123)


@provokes("IMAGE")
def image_wraps():
    return image_with(8, 2**64 - PAGE)


@provokes("NO_ROOM")
def image_larger_than_ram():
    return image_with(Image.IMAGE_SIZE, 300 * MIB)


@provokes("GRANULE")
def image_of_16k_pages():
    return image_with(Image.FLAGS, 0xc)


@provokes("FIT")
def fit_without_images():
    return file_of(tree.edited())


@provokes("FIT")
def fit_truncated():
    return fit_of(lambda data: data[:-100])


@provokes("FIT_CONFIG")
def fit_default_missing():
    def change(data):
        fdt = libfdt.Fdt(data)
        fdt.resize(len(data) + PAGE)
        fdt.setprop_str(fdt.path_offset("/configurations"), "default", "other")
        return bytes(fdt.as_bytearray())
    return fit_of(change)


@provokes("FIT_DATA")
def fit_data_outside():
    return fit_of(lambda data: data[:-100], arguments=("-E",))


@provokes("HASH")
def fit_kernel_changed():
    def change(data):
        data[len(data) // 2] ^= 1
        return data
    return fit_of(change)


@provokes("HASH")
def fit_ramdisk_changed():
    def change(data):
        data[-1] ^= 1
        return data
    return fit_of(change, arguments=("-E",), hashes=("crc32",))


@provokes("HASH_TYPE")
def fit_hash_unknown():
    return fit_of(same, hashes=("md5",))


# --- The tests ------------------------------------------------------------------------------------


def overlaps(a, b):
    return a[0] < b[1] and b[0] < a[1]


def check_memory(s, before, control):
    own = [(start // PAGE * PAGE, -(-end // PAGE) * PAGE) for start, end in s.own_memory()]
    for page in s.ram.changes(before):
        touched = (page, page + PAGE)
        if any(overlaps(touched, r) for r in own):
            continue
        assert control, f"{page:#x} changed"
        assert not any(overlaps(touched, r) for r in s.handed_over()), f"{page:#x} changed"


def check_returned(s, error):
    returned = s.report.returned
    assert returned["error"] == ERRORS[error]
    assert returned["el"] == s.start.el
    assert returned["preserved"] == 1
    assert returned["sctlr"] & (SCTLR_M | SCTLR_C) == 0


def cases():
    for i, (name, (error, make)) in enumerate(CASES.items()):
        for j, start in enumerate(STARTS):
            marks = () if (i - j) % 3 == 0 else pytest.mark.slow
            yield pytest.param(error, make, start, marks=marks, id=f"{error}-{name}-{start}")


@pytest.mark.parametrize("error, make, start", cases())
def test_error(error, make, start, tmp_path):
    trouble = make()
    payload = trouble.payload
    if callable(payload.initrd):
        write, payload.initrd = payload.initrd, tmp_path / "payload"
        write(payload.initrd)
    start = trouble.how.pop("start", start)
    if trouble.changes is not None:
        payload.writes.append((TREE_AT, tree.edited(*trouble.changes, el=start.boot_el)))
    if payload.handoff:
        start = start.with_flags("RETURN", "MMU")
    with scene(start, payload, **trouble.how) as s:
        before = s.ram.snapshot()
        s.run(last_line="kexpress: halted\r\n")
        assert s.report.errors == [error]
        assert re.search(rf"kexpress: error E_{error}: [^\n]+, 0x[0-9a-f]+-0x[0-9a-f]+\r\n",
                         s.machine.console)
        assert "probe:" not in s.machine.console
        check_memory(s, before, trouble.control)
        if payload.handoff:
            check_returned(s, error)


def test_el3():
    """Without firmware QEMU starts at EL3 what a loader put into memory."""
    at = 0x40200000
    board = Board(el=2, secure=True, cpu="cortex-a57",
                  extra=["-device", f"loader,file={abi.STAGE},addr={at:#x},force-raw=on",
                         "-device", f"loader,addr={at:#x},cpu-num=0"])
    with Machine(board) as machine:
        before = machine.ram.snapshot()
        machine.run(last_line="kexpress: halted\r\n")
        assert "kexpress: error E_EL: entered at EL3" in machine.console
        assert list(machine.ram.changes(before)) == []


def test_every_error_is_provoked():
    provoked = {error for error, _ in CASES.values()}
    assert provoked | set(ELSEWHERE) == set(ERRORS)
    assert not provoked & set(ELSEWHERE)


def test_next_configuration(tmp_path, kernel, ramdisk):
    """A configuration that is refused is followed by the next, with a word about it."""
    parts = {"bad": fit.Part(kernel, "kernel", compression="gzip"),
             "good": fit.Part(kernel, "kernel"), "ramdisk": fit.Part(ramdisk, "ramdisk")}
    configurations = {"first": {"kernel": "bad", "ramdisk": "ramdisk"},
                      "second": {"kernel": "good", "ramdisk": "ramdisk"}}
    made = fit.Fit(parts, configurations).make(tmp_path / "payload")
    with scene(EL1, Payload(kernel, ramdisk, initrd=made)) as s:
        s.run()
        assert s.report.errors == ["COMPRESSION"]
        assert "kexpress: trying configuration 2 of 2" in s.report.lines
        assert "probe: done" in s.report.lines
