# SPDX-License-Identifier: MIT
"""
The cache maintenance before the jump, recorded from outside: QEMU has no caches that would punish a
missing operation. docs/cache-policy.md is what is compared with.
"""

import pytest

import abi
from abi import Image
from gdbremote import PC
from scene import E2H, EL1, EL2, QEMU_KERNEL_AT, STAGE_AT, fit_payload, scene

LINEAR_MASK = (1 << 38) - 1  # RAM lies below; what is above says which map
BEFORE_THE_JUMP = 64  # operations; far more than there are


class Recorder:
    """Ranges cleaned to PoC, and when instructions were invalidated, up to the jump."""

    def __init__(self, s):
        base = STAGE_AT if s.called else QEMU_KERNEL_AT
        # With DIC the first instruction of the last one returns.
        offsets = {"cache_clean": 0, "jump": 0, "cache_invalidate_instructions": 4}
        symbols = {base + abi.Symbols(abi.STAGE_ELF)[name] + offset: name
                   for name, offset in offsets.items()}
        gdb = s.machine.gdb
        for address in symbols:
            gdb.break_at(address)
        self.cleaned = []
        self.invalidated_after = None
        for _ in range(BEFORE_THE_JUMP):
            gdb.until_break()
            name = symbols[gdb.read(PC)]
            if name == "jump":
                self.tree, self.entry = gdb.read(0), gdb.read(4)
                break
            if name == "cache_clean":
                self.cleaned.append((gdb.read(0) & LINEAR_MASK, gdb.read(1) & LINEAR_MASK))
            else:
                self.invalidated_after = len(self.cleaned)
        gdb.go_on()

    def covers(self, start, end):
        for low, high in sorted(self.cleaned):
            if low <= start:
                start = max(start, high)
        return start >= end


@pytest.mark.parametrize("mmu", (True, False), ids=("mmu-on", "mmu-off"))
@pytest.mark.parametrize("start", (EL1, EL2, E2H), ids=str)
def test_cleaned(tmp_path, kernel, ramdisk, start, mmu):
    payload = fit_payload(tmp_path / "payload", kernel, ramdisk)
    with scene(start, payload, gdb=True, mmu=mmu) as s:
        seen = Recorder(s)
        s.machine.finish()
        kernel_end = seen.entry + Image(kernel).memory_size
        tree = s.machine.ram.read(seen.tree, 8)
        assert seen.covers(seen.entry, kernel_end)
        assert seen.covers(seen.tree, seen.tree + int.from_bytes(tree[4:], "big"))


def test_initramfs_is_left_in_the_caches(tmp_path, kernel, ramdisk):
    with scene(EL1, fit_payload(tmp_path / "payload", kernel, ramdisk), gdb=True) as s:
        seen = Recorder(s)
        s.machine.finish()
    kernel_pages = abi.pages(Image(kernel).memory_size)
    assert sum(abi.pages(high - low) for low, high in seen.cleaned) < kernel_pages + 16


@pytest.mark.parametrize("start, needed", ((EL1, True), (E2H, False)), ids=("no DIC", "DIC"))
def test_instructions_invalidated(tmp_path, kernel, ramdisk, start, needed):
    """After the kernel is clean, and only where CTR_EL0.DIC does not make it needless: cortex-a72
    has no DIC, QEMU's max has."""
    with scene(start, fit_payload(tmp_path / "payload", kernel, ramdisk), gdb=True) as s:
        seen = Recorder(s)
        s.machine.finish()
    assert (seen.invalidated_after is not None) == needed
    if needed:
        assert any(low == seen.entry for low, _ in seen.cleaned[:seen.invalidated_after])
