# SPDX-License-Identifier: MIT
"""Translation geometry is chosen by what is mapped and what the CPU has; whatever it is, the kernel
finds all in place."""

import re
from itertools import product

import pytest

import check
import tree
from abi import GIB, MIB, PAGE
from entrylist import POC, Segment
from geometry import ONLY_16K_LPA2, force_end, force_granule
from machine import RAM_BASE
from scene import (E2H, EL1, EL2, QEMU_KERNEL_AT, STAGE_AT, STARTS, TREE_AT, HandoffBuilder,
                   fit_payload, probe_kernel, random_bytes, scene)

KERNEL_AT = 0x41000000
RAMDISK_AT = 0x41800000
MAX = "max"
MAX_WITHOUT_LPA2 = "max,lpa2=off"
KIB = 1024
GRANULES = {"16K": 16 * KIB, "64K": 64 * KIB}


def scattered(destination=KERNEL_AT, **how):
    """Kernel, ramdisk, and a segment of a page and a half whose neighbours are others' sources."""
    builder = HandoffBuilder(60, **how).kernel(probe_kernel(), destination)
    builder.ramdisk(random_bytes(300001, 61), RAMDISK_AT)
    builder.data(random_bytes(PAGE * 3 // 2, 62), 0x42003000)
    return builder.shuffle().build()


def thinned(*columns):
    """All combinations, of which every second is slow."""
    for indexed in product(*(list(enumerate(column)) for column in columns)):
        slow = sum(i for i, _ in indexed) % 2
        yield pytest.param(*(value for _, value in indexed),
                           marks=pytest.mark.slow if slow else (),
                           id="-".join(str(value) for _, value in indexed))


def watched(*how, **more):
    """A scene that tells its geometry, and whose table walks lens and QEMU make alike."""
    return scene(*how, append="kexpress.debug", verify="on", **more)


def geometry(s):
    """(bits, granule) of the transitional tables."""
    match = re.search(r"kexpress: map: (\d+)-bit, (\d+K) granule", s.report.console)
    return int(match[1]), match[2]


def levels(bits, granule):
    shift = {"4K": 12, "16K": 14, "64K": 16}[granule]
    return -(-(bits - shift) // (shift - 3))


@pytest.mark.parametrize("start, cpu", [
    *((start, cpu) for start in (EL1, EL2) for cpu in ("cortex-a72", "a64fx", "neoverse-n1")),
    *((start, cpu) for start in STARTS for cpu in (MAX, MAX_WITHOUT_LPA2))], ids=str)
def test_cpu(start, cpu):
    """RAM below 512 GiB: three levels of 4 KiB, on every CPU."""
    with watched(start, scattered(), cpu=cpu) as s:
        s.run()
        check.everything(s)
        assert geometry(s) == (39, "4K")


@pytest.mark.parametrize("ram, fewest", ((510 * GIB, {"el1": 39, "el2": 48}), (600 * GIB, {})))
@pytest.mark.parametrize("start", (EL1, EL2), ids=str)
def test_fewest_levels(start, ram, fewest):
    """By where the plan ends, and whether one range holds both maps. The file is nearly a hole."""
    builder = HandoffBuilder(63).kernel(probe_kernel(), KERNEL_AT)
    builder.data(random_bytes(5000, 64), ram + GIB - 64 * KIB)
    with watched(start, builder.shuffle().build(), ram=ram) as s:
        s.run()
        check.everything(s)
        assert geometry(s) == (fewest.get(start.name, 48), "4K")


@pytest.mark.parametrize("start, granule, mmu", thinned(STARTS, GRANULES, ("on", "off")))
def test_granule(start, granule, mmu):
    with watched(start, scattered(), cpu=MAX, mmu=mmu == "on") as s:
        force_granule(s.ram, STAGE_AT, granule)
        s.run()
        check.everything(s, mmu == "on")
        bits, chosen = geometry(s)
        assert chosen == granule
        assert levels(bits, granule) == 2


@pytest.mark.parametrize("granule", GRANULES)
def test_granule_with_fit(granule, tmp_path, kernel, ramdisk):
    """Started by QEMU, with a device tree in x0."""
    with watched(EL1, fit_payload(tmp_path / "payload", kernel, ramdisk), cpu=MAX) as s:
        force_granule(s.ram, QEMU_KERNEL_AT, granule)
        s.run()
        check.everything(s)
        assert geometry(s)[1] == granule


@pytest.mark.parametrize("start, granule", thinned(STARTS, GRANULES))
def test_own_move(start, granule):
    """The destination is where we lie: the copy of us starts with the same granule."""
    with watched(start, scattered(STAGE_AT), cpu=MAX) as s:
        force_granule(s.ram, STAGE_AT, granule)
        s.run()
        check.everything(s)
        assert geometry(s)[1] == granule
        assert s.report.stage_at != STAGE_AT
        assert s.report.stage_at % GRANULES[granule] == 0


@pytest.mark.parametrize("granule", GRANULES)
@pytest.mark.parametrize("last, errors", ((0x50000000 - 128 * KIB, []),
                                          (0x50000000 - 2 * PAGE, ["DEST_RANGE"])))
def test_ram_counts_in_whole_granules(granule, last, errors):
    """What of RAM fills no granule is not mapped, so not taken for RAM."""
    payload = HandoffBuilder(65).kernel(probe_kernel(), KERNEL_AT).data(b"x", last).build()
    payload.handoff.fdt = TREE_AT
    ragged = tree.memory((RAM_BASE, 256 * MIB - PAGE))
    payload.writes.append((TREE_AT, tree.edited(ragged, el=2)))
    with watched(EL2, payload, cpu=MAX) as s:
        force_granule(s.ram, STAGE_AT, granule)
        assert s.run().errors == errors


@pytest.mark.parametrize("cpu, wanted", ((MAX, (52, "4K")), (MAX_WITHOUT_LPA2, (52, "64K"))))
@pytest.mark.parametrize("start", STARTS, ids=str)
def test_segment_above_48_bits(start, cpu, wanted):
    """In place, so nobody needs the memory to be there; it is mapped and cleaned all the same."""
    payload = scattered()
    payload.handoff.segments.append(Segment(1 << 48, PAGE, 0, POC))
    payload.placed += PAGE
    payload.in_place += PAGE
    payload.handoff.fdt = TREE_AT
    ram = tree.memory((RAM_BASE, 256 * MIB), (1 << 48, MIB))
    bootargs = "kexpress.debug kexpress.onerror=poweroff"
    payload.writes.append((TREE_AT, tree.edited(ram, el=start.boot_el, bootargs=bootargs)))
    # For lens, too, there is no memory.
    with watched(start, payload, cpu=cpu, allowed=("cmo-outside-ram",)) as s:
        s.run()
        check.everything(s)
        assert geometry(s) == wanted


@pytest.mark.parametrize("start, cpu, wanted", (
    (EL1, MAX, (52, "4K")), (EL2, MAX, (52, "4K")), (E2H, MAX_WITHOUT_LPA2, (52, "64K"))))
def test_above_48_bits(start, cpu, wanted):
    """Five levels with FEAT_LPA2; without, FEAT_LPA and FEAT_LVA give 64 KiB granules as much."""
    with watched(start, scattered(), cpu=cpu, gdb=True) as s:
        assert force_end(s.machine.gdb, STAGE_AT) >= 3
        s.reason = s.machine.finish()
        check.everything(s)
        assert geometry(s) == wanted
        assert levels(*wanted) == (5 if cpu == MAX else 3)


@pytest.mark.parametrize("start", STARTS, ids=str)
def test_above_48_bits_of_16k(start):
    """FEAT_LPA2 is told for each granule apart."""
    with watched(start, scattered(), cpu=MAX, gdb=True) as s:
        force_end(s.machine.gdb, STAGE_AT, mmfr0=ONLY_16K_LPA2)
        s.reason = s.machine.finish()
        check.everything(s)
        assert geometry(s) == (52, "16K")


@pytest.mark.parametrize("which, what", ((2, "RAM beyond what this CPU can map"),
                                         (3, "memory beyond what this CPU can map")))
@pytest.mark.parametrize("start", (EL1, EL2), ids=str)
def test_out_of_reach(start, which, what):
    """Of a CPU that has none of the three; found before anything is written."""
    with watched(start, scattered(), cpu="neoverse-n1", gdb=True) as s:
        force_end(s.machine.gdb, STAGE_AT, which=which)
        s.machine.finish(last_line="kexpress: halted\r\n")
        assert s.report.errors == ["ADDRESS"]
        assert what in s.report.console


def test_no_granule():
    with watched(EL1, scattered(), cpu=MAX) as s:
        force_granule(s.ram, STAGE_AT, "none")
        s.run(last_line="kexpress: halted\r\n")
        assert s.report.errors == ["TABLES"]
