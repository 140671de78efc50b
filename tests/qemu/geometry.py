# SPDX-License-Identifier: MIT
"""
Geometries that QEMU's CPUs would not make kexpress choose: every one of them has the 4 KiB granule,
and none can have RAM above 48 bits.

- A granule is forced by the image itself: its one read of ID_AA64MMFR0_EL1 for translation becomes
  a constant. That lasts when it moves itself.
- An address above 48 bits is forced by gdb, as the end of what is to be mapped.
"""

import struct

import abi

READER = "regime_geometry"
CHOOSER = "geometry_choose"
MMFR0_ARGUMENT, END_ARGUMENT = 0, 2
MRS_MMFR0 = 0xd5380700  # MRS X0, ID_AA64MMFR0_EL1
MOVZ_LSL_16 = 0xd2a00000  # MOVZ X0, #0, LSL #16
INSTRUCTION = 4

# Bits 31:16 of ID_AA64MMFR0_EL1: TGran4, TGran64, TGran16, and nothing else. PARange 0: 32 bits.
ONLY = {"16K": 0xff10, "64K": 0xf000, "none": 0xff00}
ABOVE_48_BITS = 1 << 50
ONLY_16K_LPA2 = 0xff200006  # the whole register: 52 bits


def with_granule(image, symbols, granule):
    """The image as it were on a CPU that has only this granule: (offset, instruction)."""
    start = symbols[READER]
    words = struct.unpack_from("<64I", image, start)
    found = [i for i, word in enumerate(words) if word & ~0x1f == MRS_MMFR0]
    at = found[0]  # of the next functions none comes first
    constant = MOVZ_LSL_16 | ONLY[granule] << 5 | words[at] & 0x1f
    return start + at * INSTRUCTION, struct.pack("<I", constant)


def force_granule(ram, stage_at, granule):
    """Changes the image that lies at stage_at."""
    offset, instruction = with_granule(abi.STAGE.read_bytes(), abi.Symbols(abi.STAGE_ELF), granule)
    ram.write(stage_at + offset, instruction)


def force_end(gdb, stage_at, end=ABOVE_48_BITS, mmfr0=None, which=None):
    """Lets it run, each geometry (or only the which-th) chosen for addresses up to end, and for a
    CPU whose ID_AA64MMFR0_EL1 is mmfr0. Returns how many were."""
    symbols = abi.Symbols(abi.STAGE_ELF)
    choose = stage_at + symbols[CHOOSER]
    stops = [stage_at + symbols[name] for name in ("move", "fail")]
    for at in (choose, *stops):
        gdb.break_at(at)
    chosen = 0
    while gdb.until_break() == choose:
        chosen += 1
        if which in (None, chosen):
            gdb.write(END_ARGUMENT, end)
            if mmfr0:
                gdb.write(MMFR0_ARGUMENT, mmfr0)
    for at in (choose, *stops):
        gdb.clear(at)
    gdb.go_on()
    return chosen
