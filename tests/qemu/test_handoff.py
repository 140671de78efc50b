# SPDX-License-Identifier: MIT
"""Entry lists of every kind: what they mean, kexpress does, in whatever order that takes."""

import struct
import zlib

import pytest

import check
import tree
from abi import GIB, MIB, PAGE, STAGE, TIMING, Image, constant, pages
from entrylist import CRC, DONE
from machine import RAM_BASE
from scene import (BLOCK_AT, E2H, EL1, EL2, QEMU_TREE_AT, STAGE_AT, STARTS, TREE_AT, HandoffBuilder,
                   page_range, probe_kernel, random_bytes, scene)

KERNEL_AT = 0x41000000
RAMDISK_AT = 0x41800000
DATA_AT = 0x42000000
SMALL = 300 * PAGE - 77


def base(seed, kernel=None, kernel_at=KERNEL_AT):
    """A kernel to start, small, and what a test adds to it."""
    return HandoffBuilder(seed).kernel(kernel or probe_kernel(), kernel_at)


def scattered():
    builder = base(1).ramdisk(random_bytes(SMALL), RAMDISK_AT)
    return builder.shuffle().build()


def in_place():
    """Whole segments, and single pages among others."""
    kernel = probe_kernel()
    sources = HandoffBuilder(2).pages.take(pages(len(kernel)))
    sources[::3] = page_range(KERNEL_AT, len(sources))[::3]
    builder = HandoffBuilder(3).kernel(kernel, KERNEL_AT, sources=sources)
    builder.ramdisk(random_bytes(SMALL), RAMDISK_AT, sources=page_range(RAMDISK_AT, 300))
    return builder.build()


def nothing_listed():
    """{DONE}: all is there, and is still to be cleaned and started."""
    kernel, data = probe_kernel(), random_bytes(SMALL)
    builder = HandoffBuilder(4)
    builder.kernel(kernel, KERNEL_AT, sources=page_range(KERNEL_AT, pages(len(kernel))))
    builder.ramdisk(data, RAMDISK_AT, sources=page_range(RAMDISK_AT, 300))
    builder.copies = []
    payload = builder.build()
    payload.handoff.list_head = DONE
    return payload


def swap():
    """Two segments, each where the other belongs."""
    builder = base(5)
    first, second = page_range(DATA_AT, 200), page_range(DATA_AT + 2 * MIB, 200)
    builder.data(random_bytes(200 * PAGE, 1), first[0], sources=second)
    builder.data(random_bytes(200 * PAGE, 2), second[0], sources=first)
    return builder.build()


def long_cycle():
    """Every page of a segment lies where another one belongs, in one circle."""
    builder = base(6)
    count = 601
    order = page_range(DATA_AT, count)
    builder.random.shuffle(order)
    sources = dict(zip(order, order[1:] + order[:1]))
    builder.data(random_bytes(count * PAGE), DATA_AT,
                 sources=[sources[page] for page in page_range(DATA_AT, count)])
    return builder.shuffle().build()


def shifted(seed, distance):
    builder = base(seed)
    builder.data(random_bytes(500 * PAGE), DATA_AT + PAGE,
                 sources=page_range(DATA_AT + PAGE + distance * PAGE, 500))
    return builder.build()


def page_up():
    return shifted(7, -1)


def page_down():
    return shifted(8, 1)


def over_later_sources():
    """Segments in list order, each over the sources of the next."""
    builder = base(10)
    places = [DATA_AT + i * MIB for i in range(5)]
    for i, place in enumerate(places):
        builder.data(random_bytes(150 * PAGE - i, i), place,
                     sources=page_range(place + MIB + 3 * PAGE, 150))
    return builder.build()


def zero_fill():
    """Memory beyond the file, with old data in it."""
    builder = base(11)
    builder.writes.append((DATA_AT, b"\xff" * 3 * MIB))
    builder.data(random_bytes(5 * PAGE + 9), DATA_AT, memory_size=2 * MIB + 5)
    return builder.build()


def anything():
    """A source a page, at random, from the same memory: some are used twice, some never."""
    builder = base(12)
    window = page_range(DATA_AT, 512)
    held = {page: random_bytes(PAGE, page) for page in window}
    sources = [builder.random.choice(window) for _ in window[:300]]
    builder.writes += held.items()
    builder.data(b"".join(held[page] for page in sources), DATA_AT + 50 * PAGE, sources=sources)
    return builder.shuffle().build()


def lowest_memory():
    """Sources and list fill the memory that kexpress would take for itself first, but for the page
    from which QEMU starts."""
    low = RAM_BASE + PAGE
    builder = base(16)
    builder.data(random_bytes(100 * PAGE), DATA_AT, sources=page_range(low, 100))
    return builder.shuffle().build(list_pages=page_range(low + 100 * PAGE, 8))


def over_what_it_was_told():
    """Destinations over list, hand-off block and device tree, which are read before the move."""
    builder = base(13)
    block = BLOCK_AT // PAGE * PAGE
    builder.data(random_bytes(40 * PAGE), block - 8 * PAGE)
    builder.data(random_bytes(MIB, 2), QEMU_TREE_AT)
    builder.ramdisk(random_bytes(SMALL), RAMDISK_AT)
    return builder.shuffle().build(list_pages=page_range(block - 8 * PAGE, 8))


def kexpress_in_kernel():
    return base(14, kernel_at=STAGE_AT).ramdisk(random_bytes(SMALL), RAMDISK_AT).shuffle().build()


def kexpress_in_ramdisk():
    """The destination begins in kexpress's own .bss, at its last page."""
    end = STAGE_AT + pages(Image(STAGE.read_bytes()).memory_size) * PAGE
    return base(15).ramdisk(random_bytes(SMALL), end - PAGE).shuffle().build()


SCENES = (scattered, in_place, nothing_listed, swap, long_cycle, page_up, page_down,
          over_later_sources, zero_fill, anything, lowest_memory, over_what_it_was_told, kexpress_in_kernel,
          kexpress_in_ramdisk)
MOVED = (kexpress_in_kernel, kexpress_in_ramdisk)


def cases():
    for i, make in enumerate(SCENES):
        for j, start in enumerate(STARTS):
            for mmu in (True, False):
                marks = () if (i + j + mmu) % 3 == 0 else pytest.mark.slow
                yield pytest.param(make, start, mmu, marks=marks,
                                   id=f"{make.__name__}-{start}-{'on' if mmu else 'off'}")


@pytest.mark.parametrize("make, start, mmu", cases())
def test_list(make, start, mmu):
    payload = make()
    with scene(start, payload, mmu=mmu) as s:
        s.run()
        check.everything(s, mmu)
        assert (s.report.stage_at != STAGE_AT) == (make in MOVED)


@pytest.mark.parametrize("start", STARTS, ids=str)
def test_stage_above_4_gib(start):
    """Its own tables, the source of nothing, and a kernel far away from it."""
    with scene(start, scattered(), stage_at=0x180000000, ram=8 * GIB) as s:
        s.run()
        check.everything(s)


@pytest.mark.parametrize("start", (EL1, EL2), ids=str)
def test_everything_above_4_gib(start):
    high = 0x1c0000000
    builder = HandoffBuilder(20, window=(high, high + 64 * MIB))
    builder.kernel(probe_kernel(), 0x200000000).ramdisk(random_bytes(SMALL), 0x201000000)
    with scene(start, builder.shuffle().build(), stage_at=0x180000000, ram=8 * GIB) as s:
        s.run()
        check.everything(s)
        assert s.report.probe["base"] == 0x200000000


@pytest.mark.parametrize("start", STARTS, ids=str)
def test_48_bits(start):
    """More RAM than 39 bits reach: the file that holds it is nearly all holes."""
    builder = base(21).data(random_bytes(SMALL, 2), 576 * GIB)
    with scene(start, builder.shuffle().build(), append="kexpress.debug", ram=600 * GIB) as s:
        s.run()
        check.everything(s)
        assert any(line.startswith("kexpress: map: 48-bit") for line in s.report.lines)


@pytest.mark.parametrize("cpu", ("cortex-a72", "max"))
@pytest.mark.parametrize("start", (EL2, E2H), ids=str)
def test_kernel_at_el1(start, cpu):
    """Wished from EL2: the probe uses what leftovers of EL2 could trap."""
    if start.e2h and cpu != "max":
        pytest.skip("E2H is what this CPU lacks")
    payload = scattered()
    payload.handoff.el = 1
    with scene(start, payload, cpu=cpu) as s:
        s.run()
        assert s.report.timing["boot_el"] == 2
        check.exit_state(s, el=1)
        check.contents(s)


@pytest.mark.parametrize("gic", ("2", "3"))
def test_gic_at_el1(gic):
    payload = scattered()
    payload.handoff.el = 1
    with scene(EL2, payload, gic=gic) as s:
        s.run()
        check.exit_state(s, el=1)
        assert ("probe: using gic" in s.report.lines) == (gic == "3")


def test_timing_record():
    """The caller's copy of the timing record is the one in the tree."""
    payload = scattered()
    payload.handoff.timing = 0x43000008
    with scene(EL1, payload) as s:
        s.run()
        check.everything(s)
        record = struct.unpack(f"<{len(TIMING)}Q", s.ram.read(0x43000008, 8 * len(TIMING)))
        assert dict(zip(TIMING, record)) == s.report.timing


def with_crc(payload):
    """Of each segment: kernel, ramdisk, data, in that order."""
    contents = [payload.kernel, payload.ramdisk, *(data for _, data in payload.segments)]
    for segment, data in zip(payload.handoff.segments, filter(None, contents)):
        segment.flags |= CRC
        segment.crc = zlib.crc32(data[:segment.file_size])
    return payload


def in_order():
    return base(17).ramdisk(random_bytes(SMALL), RAMDISK_AT).build()


@pytest.mark.parametrize("cpu", ("cortex-a72", "max"))
@pytest.mark.parametrize("make", (in_order, in_place, nothing_listed, swap, page_up, page_down,
                                  over_later_sources, zero_fill),
                         ids=lambda make: make.__name__)
def test_crc(make, cpu):
    payload = with_crc(make())
    with scene(EL1, payload, cpu=cpu) as s:
        s.run()
        check.everything(s)
        assert s.report.timing["bytes_hashed"] == sum(segment.file_size for segment
                                                      in payload.handoff.segments)
        assert s.report.timing["verify"] > 0


def test_crc_not_wanted():
    payload = with_crc(in_order())
    payload.handoff.segments[1].crc ^= 1
    with scene(EL1, payload, append="kexpress.verify=off") as s:
        s.run()
        check.everything(s)
        assert s.report.timing["bytes_hashed"] == 0


def told(payload, *avoid, changes=(), el=1):
    """RAM by the block only: the tree knows of none, as with EFI, unless changes say otherwise."""
    payload.handoff.ram = [(RAM_BASE, RAM_BASE + 256 * MIB)]
    payload.handoff.avoid = list(avoid)
    payload.handoff.fdt = TREE_AT
    payload.writes.append((TREE_AT, tree.edited(*changes or [tree.node_deleted(tree.MEMORY)],
                                                 el=el)))
    return payload


@pytest.mark.parametrize("start", STARTS, ids=str)
def test_ram_told(start):
    with scene(start, told(in_order(), el=start.el)) as s:
        s.run()
        check.contents(s)
        check.exit_state(s)


def test_ram_told_in_many_pieces():
    """As many ranges as there can be: beside each other, and in no order."""
    payload = told(in_order())
    count = constant("KX_HANDOFF_RANGES")
    step = 256 * MIB // count
    payload.handoff.ram = [(RAM_BASE + i * step, RAM_BASE + (i + 1) * step)
                           for i in range(count)][::-1]
    payload.handoff_at = 0x4c000000
    with scene(EL1, payload) as s:
        s.run()
        check.contents(s)


def test_ram_told_is_less():
    """What the tree has and the block has not is not touched."""
    payload = told(in_order(), changes=[tree.memory((RAM_BASE, 256 * MIB))])
    payload.handoff.ram = [(0x40800000, RAM_BASE + 256 * MIB)]
    with scene(EL1, payload) as s:
        s.run()
        check.contents(s)
        assert s.report.probe["x00"] >= 0x40800000


def test_avoided():
    """Where the tree, or control memory, would go first."""
    low = RAM_BASE, 0x40c00000
    payload = told(in_order(), low)
    with scene(EL1, payload) as s:
        before = s.ram.snapshot()
        s.run()
        check.contents(s)
        assert not [page for page in s.ram.changes(before)
                    if low[0] <= page < low[1] and page not in own_pages(s)]


def own_pages(s):
    return {page for start, end in s.own_memory()
            for page in range(start // PAGE * PAGE, end, PAGE)}


@pytest.mark.parametrize("start, flag", ((EL1, "KX_HANDOFF_PSCI_HVC"), (EL2, "KX_HANDOFF_PSCI_SMC")),
                         ids=("hvc", "smc"))
def test_psci_told(start, flag):
    """A refusal powers the machine off: nobody else would, and the tree does not say how."""
    payload = told(in_order(), changes=[tree.node_deleted(tree.MEMORY),
                                        tree.node_deleted("/psci")])
    payload.handoff.flags = constant(flag)
    payload.handoff.segments[1].flags |= CRC
    with scene(start, payload) as s:
        s.machine.start()
        assert s.machine.finish() == "guest-shutdown"
        assert "kexpress: error E_HASH: " in s.machine.console


def test_debug_flag():
    payload = scattered()
    payload.handoff.flags = constant("KX_HANDOFF_DEBUG")
    with scene(EL1, payload) as s:
        assert "kexpress: plan: " in s.run().console


def test_mmu_off_flag():
    payload = scattered()
    payload.handoff.flags = constant("KX_HANDOFF_MMU_OFF")
    with scene(EL1, payload) as s:
        s.run()
        check.everything(s, mmu=False)
