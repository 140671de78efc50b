# SPDX-License-Identifier: MIT
"""What may stay where the loader has put it is not copied; it is still cleaned."""

import pytest

import check
import fit
import tree
from abi import MIB, PAGE, Image, pages
from scene import E2H, EL1, EL2, TREE_AT, Payload, probe_kernel, random_bytes, scene

FIT_AT = 0x4a000000
KERNEL = probe_kernel()
SMALL = random_bytes(MIB + 4321)
LARGE = random_bytes(len(KERNEL) + MIB)
ALIGNED = ("-E", "-B", "0x200000")


def make(directory, first, second, arguments=ALIGNED):
    """A FIT of two parts, by name, in this order."""
    parts = {name: fit.Part(data, name) for name, data in (first, second)}
    configurations = {"conf": {name: name for name in parts}}
    return fit.Fit(parts, configurations, arguments).make(directory / "fit").read_bytes()


def given(start, image, ramdisk, *changes, at=FIT_AT, before=(), **how):
    """A scene with the payload there, and a device tree far from it. before: what else is there."""
    found = tree.edited(tree.initrd(at, at + len(image)), *changes, el=start.boot_el)
    payload = Payload(KERNEL, ramdisk, writes=[*before, (TREE_AT, found), (at, image)])
    return scene(start, payload, argument=TREE_AT, **how)


def run(scene_of, copied):
    """copied: the segments that move."""
    with scene_of as s:
        s.payload.in_place = s.payload.moved - sum(pages(len(data)) * PAGE for data in copied)
        s.run()
        check.everything(s)
        return s.report.probe["base"]


@pytest.mark.parametrize("flags", ((), ("DIRTY",), ("DIRTY", "MMU")), ids=("", "dirty", "dirty-mmu"))
@pytest.mark.parametrize("start", (EL1, EL2, E2H), ids=str)
def test_nothing_moves(tmp_path, start, flags):
    image = make(tmp_path, ("ramdisk", SMALL), ("kernel", KERNEL))
    at = run(given(start.with_flags(*flags), image, SMALL), [])
    assert at == FIT_AT + image.index(KERNEL)


def test_ramdisk_leaves_the_bss(tmp_path):
    image = make(tmp_path, ("kernel", KERNEL), ("ramdisk", SMALL))
    assert image.index(SMALL) - image.index(KERNEL) < Image(KERNEL).memory_size
    assert run(given(EL1, image, SMALL), [SMALL]) == FIT_AT + image.index(KERNEL)


@pytest.mark.parametrize("mmu", (True, False), ids=("on", "off"))
def test_last_page(tmp_path, mmu):
    """What follows an initramfs that moves, in its last page, is zeroed, whatever was there."""
    image = make(tmp_path, ("kernel", KERNEL), ("ramdisk", SMALL))
    with given(EL1, image, SMALL, mmu=mmu) as s:
        end = s.run().probe["initrd_end"]
    last = end & -PAGE
    with given(EL1, image, SMALL, before=[(last, b"\xff" * PAGE)], mmu=mmu) as s:
        assert s.run().probe["initrd_end"] == end
        assert s.ram.read(end, last + PAGE - end) == bytes(last + PAGE - end)


def test_kernel_moves_where_that_is_less(tmp_path):
    image = make(tmp_path, ("kernel", KERNEL), ("ramdisk", LARGE))
    run(given(EL1, image, LARGE), [KERNEL])


def test_bss_over_reserved_memory(tmp_path):
    image = make(tmp_path, ("ramdisk", SMALL), ("kernel", KERNEL))
    kernel_at = FIT_AT + image.index(KERNEL)
    behind = tree.reserved(kernel_at + Image(KERNEL).memory_size - PAGE, PAGE)
    assert run(given(EL1, image, SMALL, behind), [KERNEL]) != kernel_at


@pytest.mark.parametrize("at", (FIT_AT + PAGE, FIT_AT + MIB), ids=hex)
def test_misaligned(tmp_path, at):
    image = make(tmp_path, ("ramdisk", SMALL), ("kernel", KERNEL))
    run(given(EL1, image, SMALL, at=at), [KERNEL])


@pytest.mark.parametrize("start", (EL1, EL2), ids=str)
def test_image_stays(start):
    assert run(given(start, KERNEL, b""), []) == FIT_AT
