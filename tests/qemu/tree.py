# SPDX-License-Identifier: MIT
"""Device trees that differ from QEMU's."""

import struct
from dataclasses import dataclass
from functools import lru_cache

import libfdt

from machine import Board

MEMORY = "/memory@40000000"
CONSOLE = "/pl011@9000000"
ROOM = 1 << 20


@lru_cache(maxsize=None)
def _machine_tree(el, ram, smp):
    return Board(el=el, ram=ram, smp=smp).device_tree()


def pairs(ranges):
    """reg of two cells each, from (start, size)."""
    return b"".join(struct.pack(">2Q", start, size) for start, size in ranges)


def edited(*changes, el=1, ram=256 << 20, smp=1, bootargs="kexpress.onerror=poweroff"):
    """QEMU's tree with changes, each a function of a writable libfdt.Fdt, or a Reservation."""
    blob = _machine_tree(el, ram, smp)
    fdt = libfdt.Fdt(blob)
    fdt.resize(len(blob) + ROOM)
    fdt.setprop_str(fdt.path_offset("/chosen"), "bootargs", bootargs)
    for change in changes:
        if not isinstance(change, Reservation):
            change(fdt)
    fdt.pack()
    blob = bytes(fdt.as_bytearray())
    for change in changes:
        if isinstance(change, Reservation):
            blob = change.insert(blob)
    return blob


@dataclass
class Reservation:
    """An entry of the memory reservation block, which libfdt for Python does not write."""

    start: int
    size: int

    def insert(self, blob):
        _, total, struct_at, strings_at, map_at = struct.unpack_from(">5I", blob)
        entry = struct.pack(">2Q", self.start, self.size)
        blob = bytearray(blob[:map_at] + entry + blob[map_at:])
        struct.pack_into(">3I", blob, 4, total + 16, struct_at + 16, strings_at + 16)
        return bytes(blob)


def property_set(path, name, value):
    return lambda fdt: fdt.setprop(fdt.path_offset(path), name, value)


def property_deleted(path, name):
    return lambda fdt: fdt.delprop(fdt.path_offset(path), name)


def node_deleted(path):
    return lambda fdt: fdt.del_node(fdt.path_offset(path))


def memory(*ranges):
    return property_set(MEMORY, "reg", pairs(ranges))


def initrd(start, end):
    def change(fdt):
        fdt.setprop_u64(fdt.path_offset("/chosen"), "linux,initrd-start", start)
        fdt.setprop_u64(fdt.path_offset("/chosen"), "linux,initrd-end", end)
    return change


def reserved(start, size, no_map=False):
    """A child of /reserved-memory."""
    def change(fdt):
        parent = fdt.path_offset("/reserved-memory", libfdt.QUIET_NOTFOUND)
        if parent < 0:
            parent = fdt.add_subnode(0, "reserved-memory")
            fdt.setprop_u32(parent, "#address-cells", 2)
            fdt.setprop_u32(parent, "#size-cells", 2)
            fdt.setprop(parent, "ranges", b"")
        node = fdt.add_subnode(fdt.path_offset("/reserved-memory"), f"region@{start:x}")
        fdt.setprop(node, "reg", pairs([(start, size)]))
        if no_map:
            fdt.setprop(fdt.path_offset(f"/reserved-memory/region@{start:x}"), "no-map", b"")
    return change
