# SPDX-License-Identifier: MIT
"""
Debian's Xen, which starts kexpress as it starts the kernel of its first guest, dom0. That guest's
memory is the machine's, at the same addresses.
"""

import struct
from contextlib import contextmanager

import libfdt

import abi
from abi import GIB, TOP
from machine import Board, Machine
from scene import EL1, Scene, probe_kernel
from tree import pairs

ROOM = 1 << 16
KERNEL_AT, RAMDISK_AT = 0x49000000, 0x4a000000  # beside what QEMU loads
OPTIONS = "console=dtuart dom0_mem=256M dom0_max_vcpus=2 guest_loglvl=all"
UART_USED = "DOM0:"  # what Xen logs of the UART that it shows its guest at its own one's place
BUDGET = 300  # seconds on a busy machine; Xen takes about five


def hypervisor():
    return next((TOP / "build/deps/arm64").glob("xen-hypervisor-*/boot/xen-*-arm64"), None)


def probe():
    """It has no UART to print on."""
    image = bytearray(probe_kernel())
    at = abi.Symbols(abi.PROBE.with_suffix(".elf"))["print_model"]
    struct.pack_into("<I", image, at, abi.CONSOLES.index("XEN"))
    return bytes(image)


def _tree(board, modules, append):
    """QEMU's, with what a boot loader adds for Xen. modules: (address, path, kind)."""
    blob = board.device_tree()
    fdt = libfdt.Fdt(blob)
    fdt.resize(len(blob) + ROOM)
    chosen = fdt.path_offset("/chosen")
    fdt.setprop_str(chosen, "xen,xen-bootargs", OPTIONS)
    fdt.setprop_str(chosen, "xen,dom0-bootargs", append)
    for at, path, kind in modules:
        node = fdt.add_subnode(fdt.path_offset("/chosen"), f"module@{at:x}")
        fdt.setprop(node, "reg", pairs([(at, path.stat().st_size)]))
        node = fdt.path_offset(f"/chosen/module@{at:x}")
        fdt.setprop(node, "compatible", f"multiboot,{kind}\0multiboot,module\0".encode())
    fdt.pack()
    return bytes(fdt.as_bytearray())


@contextmanager
def xen_scene(directory, payload, gic="2", append="kexpress.onerror=poweroff"):
    """A machine that is not yet running, as scene(). Not judged: lens does not know of a guest's
    second stage of translation."""
    modules = ((KERNEL_AT, abi.STAGE, "kernel"), (RAMDISK_AT, payload.initrd, "ramdisk"))
    board = Board(el=2, gic=gic, ram=GIB, smp=2, kernel=hypervisor(), dtb=directory / "dtb")
    board.dtb.write_bytes(_tree(board, modules, append))
    for at, path, _ in modules:
        board.extra += ["-device", f"loader,file={path},addr={at:#x},force-raw=on"]
    with Machine(board) as machine:
        yield Scene(machine, EL1, payload, False, None)
