# SPDX-License-Identifier: MIT
"""Whatever state kexpress is entered in, the kernel gets the one that it wants."""

import struct

import pytest

import abi
import check
import fit
import tree
from abi import constant
from machine import Board, Machine
from scene import E2H, EL1, EL2, QEMU_INITRD_AT, QEMU_KERNEL_AT, STAGE_AT, HandoffBuilder, Payload, \
    Scene, Start, fit_payload, image_payload, probe_kernel, random_bytes, scene

DROPPED = Start("dropped", 2).with_flags("EL1")  # EL1 below an EL2 that is there

STATES = {
    "plain": (),
    "mmu": ("MMU",),
    "big-endian": ("EE",),
    "unmasked": ("UNMASKED",),
    "garbage": ("GARBAGE",),
    "mmu-unmasked-garbage": ("MMU", "UNMASKED", "GARBAGE"),
    "big-endian-unmasked-garbage": ("EE", "UNMASKED", "GARBAGE"),
}


def make_handoff():
    builder = HandoffBuilder(40).kernel(probe_kernel(), 0x41000000)
    return builder.ramdisk(random_bytes(50001), 0x41800000).shuffle().build()


@pytest.mark.parametrize("flags", STATES.values(), ids=STATES)
@pytest.mark.parametrize("start", (EL1, DROPPED, EL2, E2H), ids=str)
def test_state(start, flags):
    with scene(start.with_flags(*flags), make_handoff()) as s:
        s.run()
        check.everything(s)


@pytest.mark.parametrize("mmu", (True, False), ids=("moved-mmu-on", "moved-mmu-off"))
@pytest.mark.parametrize("flags", (("DIRTY",), ("DIRTY", "MMU")), ids=("mmu-off", "mmu-on"))
@pytest.mark.parametrize("start", (EL1, EL2, E2H), ids=str)
def test_dirty_caches(start, flags, mmu):
    """Nothing that is only in the caches is lost, and no old line comes out of them later."""
    with scene(start.with_flags(*flags), make_handoff(), mmu=mmu) as s:
        s.run()
        check.everything(s, mmu)


@pytest.mark.parametrize("start", (EL1, EL2, E2H), ids=str)
def test_device_tree_with_mmu_on(start, tmp_path, kernel, ramdisk):
    payload = fit_payload(tmp_path / "payload", kernel, ramdisk)
    with scene(start.with_flags("MMU", "GARBAGE"), payload) as s:
        s.run()
        check.everything(s)
        assert "MMU found on" in s.report.console


@pytest.mark.parametrize("mmu", ((), ("MMU",)), ids=("mmu-off", "mmu-on"))
@pytest.mark.parametrize("cpu", ("cortex-a57", "cortex-a72"))
def test_pending_serror(cpu, mmu):
    """Firmware's SError is taken and told of, not left to the kernel. EL2 lends EL1 a virtual one;
    QEMU has no way to make one pending at EL2."""
    with scene(DROPPED.with_flags("SERROR", *mmu), make_handoff(), cpu=cpu) as s:
        s.run()
        assert len(s.report.warnings) == 1 and "SError" in s.report.warnings[0]
        check.everything(s)


def test_no_serror_is_invented():
    with scene(DROPPED, make_handoff()) as s:
        assert s.run().warnings == []


@pytest.mark.parametrize("cpu", ("cortex-a53", "cortex-a57", "cortex-a72", "cortex-a76",
                                 "neoverse-n1", "neoverse-v1", "max"))
@pytest.mark.parametrize("start", (EL1, EL2), ids=str)
def test_cpu(start, cpu):
    with scene(start, make_handoff(), cpu=cpu) as s:
        s.run()
        check.everything(s)


@pytest.mark.parametrize("start", (EL1, EL2), ids=str)
def test_several_cpus(start, tmp_path, kernel, ramdisk):
    with scene(start, image_payload(tmp_path / "payload", kernel, ramdisk), smp=4) as s:
        s.run()
        check.everything(s)


@pytest.mark.path("as by U-Boot go")
@pytest.mark.parametrize("start", (EL1, EL2), ids=str)
def test_as_by_go(start, kernel, ramdisk, tmp_path):
    """U-Boot's `go` leaves the MMU and the caches on, and a count in x0: the device tree is the
    board's."""
    payload, dtb = tmp_path / "payload", tmp_path / "tree"
    at, size = QEMU_INITRD_AT, fit.simple(kernel, ramdisk).make(payload).stat().st_size
    ends = {"linux,initrd-start": at, "linux,initrd-end": at + size}
    dtb.write_bytes(tree.edited(*(tree.property_set("/chosen", name, struct.pack(">Q", value))
                                  for name, value in ends.items()), el=start.boot_el))
    extra = ["-device", f"loader,addr={QEMU_KERNEL_AT:#x},cpu-num=0"]
    for path, address in ((abi.CALLER, QEMU_KERNEL_AT), (abi.STAGE, STAGE_AT), (payload, at)):
        extra += ["-device", f"loader,file={path},addr={address:#x},force-raw=on"]
    board = Board(el=start.boot_el, dtb=dtb, extra=extra)
    flags = start.with_flags("MMU", "GARBAGE", "ARGUMENT").flags
    with Machine(board) as machine:  # not judged: nobody gives the caller what a kernel gets
        machine.ram.write(constant("CALLER_CONFIG_ADDRESS"),
                          struct.pack("<3Q", flags, STAGE_AT, 1))
        s = Scene(machine, start, Payload(kernel, ramdisk), called=True, stage_at=STAGE_AT)
        s.run()
        check.exit_state(s)
        check.contents(s)
        assert "MMU found on" in s.report.console
