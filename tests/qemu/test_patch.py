# SPDX-License-Identifier: MIT
"""
What depends on the CPU's features is in the instructions of the image once it runs
(include/arm64/patch.h), and is right.
"""

import struct

import pytest

import abi
import check
from abi import MIB, PAGE
from entrylist import EXEC, POC
from scene import (E2H, EL1, EL2, STAGE_AT, HandoffBuilder, Start, probe_kernel, random_bytes,
                   scene)

NO_ZVA = Start("no-zva", 2).with_flags("EL1", "NO_ZVA")
NEVER = 1 << 63
RET = 0xd65f03c0
IC_IALLUIS = 0xd508711f
MOVZ_MASK = 0xff800000
MOVZ = 0xd2800000

# Start, CPU, and what it has by the features of include/arm64/patch.h.
CPUS = {
    "cortex-a72": (EL2, "cortex-a72", {"line": 64, "zva": 64, "dic": False}),
    "a64fx": (EL1, "a64fx", {"line": 256, "zva": 256, "dic": False}),
    "max": (E2H, "max", {"line": 64, "zva": 64, "dic": True}),
    "no-zva": (NO_ZVA, "cortex-a72", {"line": 64, "zva": NEVER, "dic": False}),
}
WORDS = {"line": 1, "zva": 1, "dic": 3}  # of one site's record


class Patched:
    """The instructions at the sites of each feature, as they are in memory."""

    def __init__(self, s):
        self.symbols = abi.Symbols(abi.STAGE_ELF)
        self.image = s.ram.read(STAGE_AT, abi.STAGE.stat().st_size)

    def sites(self, feature):
        start, end = (self.symbols[f"_patch_{feature}_{edge}"] for edge in ("start", "end"))
        assert start < end
        return [at + struct.unpack_from("<i", self.image, at)[0]
                for at in range(start, end, 4 * WORDS[feature])]

    def word(self, at):
        return struct.unpack_from("<I", self.image, at)[0]

    def values(self, feature):
        for at in self.sites(feature):
            word = self.word(at)
            assert word & MOVZ_MASK == MOVZ
            yield (word >> 5 & 0xffff) << 16 * (word >> 21 & 3)


def payload():
    """Bytes to copy, odd in length and small, and zeroes of all sorts behind them."""
    builder = HandoffBuilder(80).kernel(probe_kernel(), 0x41000000)
    builder.ramdisk(random_bytes(123457, 81), 0x41800000)
    for i, size in enumerate((1, 63, 64, 65, 255, 256, 257, PAGE - 1, PAGE, PAGE + 1)):
        data = random_bytes(size, 82 + i)
        builder.data(data, 0x42000000 + i * MIB, memory_size=3 * PAGE, flags=POC | EXEC * (i % 2))
    return builder.shuffle().build()


@pytest.mark.parametrize("name", CPUS)
def test_features(name):
    start, cpu, wanted = CPUS[name]
    with scene(start, payload(), cpu=cpu) as s:
        s.run()
        check.everything(s)
        patched = Patched(s)
    for feature in ("line", "zva"):
        assert set(patched.values(feature)) == {wanted[feature]}, feature
    for feature, instead, usual in (("dic", RET, IC_IALLUIS),):
        words = {patched.word(at) for at in patched.sites(feature)}
        assert (words == {instead}) == wanted[feature]
        if usual and not wanted[feature]:
            assert words == {usual}
