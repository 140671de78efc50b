# SPDX-License-Identifier: MIT
"""
What kexpress writes, byte by byte over all of RAM: segments, the kernel's tree, its own image and
its control memory, which gdb learns from control_take as it is handed out. Nothing else.
"""

import pytest

import abi
from abi import MIB, PAGE, Image
from check import TREE_MAX
from scene import (POOL, QEMU_KERNEL_AT, STAGE_AT, STARTS, HandoffBuilder, fit_payload,
                   image_payload, probe_kernel, random_bytes, scene)

# Registers of control_take(stage, size).
RESULT, SIZE_ARGUMENT, LINK = 0, 1, 30


def make_handoff(path, kernel, ramdisk):
    builder = HandoffBuilder(50).kernel(kernel, 0x41000000).ramdisk(ramdisk, 0x41800000)
    return builder.data(random_bytes(99999), 0x42000000, memory_size=MIB).shuffle().build()


def control_memory(s):
    """Lets it run, noting what control_take returns until the move."""
    symbols = abi.Symbols(abi.STAGE_ELF)
    base = STAGE_AT if s.called else QEMU_KERNEL_AT
    take, move = base + symbols["control_take"], base + symbols["move"]
    gdb, taken = s.machine.gdb, []
    gdb.break_at(take)
    gdb.break_at(move)
    while gdb.until_break() != move:
        size, back = gdb.read(SIZE_ARGUMENT), gdb.read(LINK)
        gdb.break_at(back)
        assert gdb.until_break() == back
        gdb.clear(back)
        start = gdb.read(RESULT)
        taken.append((start, start + abi.pages(size) * PAGE))
    gdb.clear(take)
    gdb.clear(move)
    gdb.go_on()
    return taken


def segments(s):
    probe = s.report.probe
    base = probe["base"]
    yield base, base + Image(s.payload.kernel).memory_size
    yield probe["initrd_start"], abi.pages(probe["initrd_end"]) * PAGE
    if s.payload.handoff:
        for segment in s.payload.handoff.segments:
            yield segment.range()


def others(s):
    """Pages that changed and are nobody's."""
    before = s.ram.snapshot()
    control = control_memory(s)
    s.machine.finish()
    assert "probe: done" in s.report.lines
    tree = s.report.probe["x00"]
    known = [*segments(s), *control, *s.own_memory(), (tree, tree + TREE_MAX)]
    return [hex(page) for page in s.ram.changes(before)
            if not any(start < page + PAGE and page < end for start, end in known)]


def cases():
    for i, start in enumerate(STARTS):
        for j, make in enumerate((fit_payload, image_payload, make_handoff)):
            for mmu in (True, False):
                marks = () if (i + j + mmu) % 3 == 0 else pytest.mark.slow
                yield pytest.param(start, make, mmu, marks=marks,
                                   id=f"{start}-{make.__name__}-{'on' if mmu else 'off'}")


@pytest.mark.parametrize("start, make, mmu", cases())
def test_nothing_else(start, make, mmu, tmp_path, ramdisk):
    payload = make(tmp_path / "payload", probe_kernel(), ramdisk)
    with scene(start, payload, mmu=mmu, gdb=True) as s:
        assert others(s) == []


def test_prefilled(ramdisk):
    """The same where memory was not zero before: nothing is cleared that is nobody's."""
    payload = make_handoff(None, probe_kernel(), ramdisk)
    payload.writes.insert(0, (POOL[0], b"\x5a" * (POOL[1] - POOL[0])))
    with scene(STARTS[0], payload, gdb=True) as s:
        assert others(s) == []
