# SPDX-License-Identifier: MIT
"""What must hold when the kernel has been started, whatever the way there."""

import hashlib

import libfdt

from abi import MIB, PAGE, TIMING, pages

SCTLR_M, SCTLR_C, SCTLR_EE = 1 << 0, 1 << 2, 1 << 25
DAIF_ALL = 0xf << 6
HCR_E2H = 1 << 34
TREE_MAX = 2 * MIB


def exit_state(scene, el=None):
    """Documentation/arch/arm64/booting.rst, as docs/handover.md has it."""
    probe = scene.report.probe
    el = el or scene.start.el
    assert probe["x00"] % 8 == 0
    if scene.ram:
        assert scene.ram.base <= probe["x00"] < scene.ram.end
    # One register leads to the kernel; it says no more than the program counter.
    assert probe["x04"] in (0, probe["base"])
    for n in (1, 2, 3, *range(5, 31)):
        assert probe[f"x{n:02}"] == 0, f"x{n}"
    assert probe["currentel"] >> 2 == el
    assert probe["daif"] == DAIF_ALL
    assert probe["spsel"] == 1
    assert probe["sctlr"] & (SCTLR_M | SCTLR_C | SCTLR_EE) == 0
    assert probe["isr"] == 0
    assert probe["cntfrq"] > 0
    for name in ("tpidr_el0", "tpidr_el1", "tpidrro_el0"):
        assert probe[name] == 0, name
    if el == 2:
        assert bool(probe["hcr"] & HCR_E2H) == scene.start.e2h
        assert probe["cntvoff"] == 0
    else:
        assert "probe: used" in scene.report.lines


def contents(scene):
    """Everything lies there to the byte, and is told exactly."""
    payload, report = scene.payload, scene.report
    assert "probe: done" in report.lines
    assert report.sha256["kernel"] == hashlib.sha256(payload.kernel).hexdigest()
    assert report.sha256["initrd"] == hashlib.sha256(payload.ramdisk).hexdigest()
    assert report.probe["initrd_end"] - report.probe["initrd_start"] == len(payload.ramdisk)
    if payload.ramdisk and scene.ram:
        start = report.probe["initrd_start"]
        assert scene.ram.read(start, len(payload.ramdisk)) == payload.ramdisk
    for destination, data in payload.segments:
        assert scene.ram.read(destination, len(data)) == data, hex(destination)


def tree(scene):
    """The kernel's device tree, as libfdt for Python sees it."""
    at = scene.report.probe["x00"]
    size = min(TREE_MAX, scene.ram.end - at)
    fdt = libfdt.FdtRo(scene.ram.read(at, size))
    assert fdt.totalsize() <= TREE_MAX
    # Mapped in blocks of 2 MiB: must not reach into the next one.
    assert at // TREE_MAX == (at + fdt.totalsize() - 1) // TREE_MAX
    return fdt


def timing(scene, mmu=True):
    """The record: the same on the console and in the tree, and its counts as computed."""
    report, payload = scene.report, scene.payload
    values = {name: report.probe["chosen/kexpress/" + name] for name in TIMING.values()}
    assert report.timing == {member: values[name] for member, name in TIMING.items()}
    if scene.ram:
        fdt = tree(scene)
        node = fdt.path_offset("/chosen/kexpress")
        assert {name: fdt.getprop(node, name).as_uint64() for name in values} == values
    assert values["version"] == 1
    assert values["bytes-copied"] == payload.moved
    assert values["bytes-in-place"] == payload.in_place
    assert values["bytes-zeroed"] == payload.zeroed
    assert values["boot-el"] == scene.start.el
    assert values["mmu"] == int(mmu)
    assert values["bytes-cleaned"] >= pages(len(payload.kernel)) * PAGE
    assert values["entered-at"] > 0


def everything(scene, mmu=True, el=None):
    if scene.ram:
        assert scene.reason == "guest-shutdown"
    assert scene.report.errors == []
    exit_state(scene, el)
    contents(scene)
    timing(scene, mmu)
