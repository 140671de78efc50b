# SPDX-License-Identifier: MIT
"""
kexpress with one instruction of its maintenance broken: each is found. What lens passes is worth
something only if this is so.

Nothing is rebuilt: instructions are replaced in the image.
"""

import re
import struct
import subprocess
from dataclasses import dataclass

import pytest

import abi
from scene import EL1, EL2, HandoffBuilder, probe_kernel, random_bytes, scene

NOP = 0xd503201f
DSB_SY, ISB = 0xd5033f9f, 0xd5033fdf
IC_IALLUIS, IC_IALLU = 0xd508711f, 0xd508751f
DC_IVAC, DC_CVAC, DC_CIVAC = 0xd5087620, 0xd50b7a20, 0xd50b7e20  # and a register
REGISTER = 0x1f
BIC_X0, ADD_X0_64 = 0x8a230000, 0x91010000  # to the start of a line; to the next one


@dataclass
class Break:
    """In functions, each instruction old becomes new; where keeps its register, if old has one."""
    functions: tuple
    old: int
    new: int
    finding: str
    mmu: bool = True
    flags: tuple = ()


DIRTY_OFF, DIRTY_ON = ("DIRTY",), ("DIRTY", "MMU")
CLEAN = r"image clean to PoC"

BREAKS = {
    "kernel not cleaned": Break(("cache_clean",), DC_CVAC, NOP, CLEAN),
    "kernel's first line not cleaned": Break(("cache_clean",), BIC_X0, ADD_X0_64, CLEAN),
    "kernel invalidated, not cleaned": Break(("cache_clean",), DC_CVAC, DC_IVAC,
                                             r"no line of the image lost"),
    "no DSB behind the clean": Break(("settle", "jump", "hand_over", "hand_over_fdt"), DSB_SY, NOP,
                                     r"no stale instruction"),  # IC comes too early then
    "no IC": Break(("cache_invalidate_instructions",), IC_IALLUIS, NOP, r"no stale instruction"),
    "own image not cleaned on entry": Break(("enter",), DC_CIVAC, NOP,
                                            r"fetch-dirty|uncached-read-dirty|cached-read-stale",
                                            flags=DIRTY_ON),
    "own image invalidated on entry": Break(("enter",), DC_CIVAC, DC_IVAC, r"ivac-loses-data",
                                            flags=DIRTY_ON),
    "sources not cleaned for the MMU-off move": Break(("cache_clean",), DC_CVAC, NOP,
                                                      r"uncached-read-dirty", mmu=False,
                                                      flags=DIRTY_OFF),
    "destinations not invalidated": Break(("move_uncached",), DC_IVAC, NOP, r"cached-read-stale",
                                          mmu=False, flags=DIRTY_OFF),
    "no DSB behind the invalidation": Break(("move_uncached",), DSB_SY, NOP,
                                            r"maintenance-incomplete", mmu=False, flags=DIRTY_OFF),
}


def functions():
    """{name: (offset, size)} in the image."""
    lines = subprocess.run(["aarch64-linux-gnu-nm", "-S", str(abi.STAGE_ELF)], check=True,
                           capture_output=True, text=True).stdout.splitlines()
    return {fields[3]: (int(fields[0], 16), int(fields[1], 16))
            for fields in map(str.split, lines) if len(fields) == 4}


def broken(fault):
    image = bytearray(abi.STAGE.read_bytes())
    where, mask = functions(), ~REGISTER if fault.old in (DC_IVAC, DC_CVAC, DC_CIVAC) else ~0
    count = 0
    for name in fault.functions:
        start, size = where.get(name, (0, 0))
        for at in range(start, start + size, 4):
            word, = struct.unpack_from("<I", image, at)
            if word & mask != fault.old:
                continue
            kept = word & REGISTER if fault.new in (DC_IVAC, DC_CVAC) else 0
            struct.pack_into("<I", image, at, fault.new | kept)
            count += 1
    assert count, "there is nothing to break"
    return bytes(image)


def payload():
    builder = HandoffBuilder(60).kernel(probe_kernel(), 0x41000000)
    return builder.ramdisk(random_bytes(50001), 0x41800000).build()


@pytest.mark.parametrize("start", (EL1, EL2), ids=str)
@pytest.mark.parametrize("fault", BREAKS.values(), ids=BREAKS)
def test_found(start, fault):
    start = start.with_flags(*fault.flags)
    with pytest.raises(AssertionError) as found:
        with scene(start, payload(), mmu=fault.mmu, stage=broken(fault)) as s:
            s.run()
    assert re.search(fault.finding, str(found.value)), found.value
