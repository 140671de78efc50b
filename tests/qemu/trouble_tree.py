# SPDX-License-Identifier: MIT
"""What x0 may be and is not good for, and device trees that are refused."""

import struct
from dataclasses import replace

import fit
import tree
from abi import MIB, PAGE
from entrylist import EXEC, Segment
from machine import RAM_BASE
from scene import EL2, STAGE_AT, TREE_AT, Payload, probe_kernel
from trouble import Trouble, provokes
from trouble_handoff import NO_RAM, PRETENDED, handoff, with_tree


def argument(value, *writes):
    return Trouble(Payload(b"", writes=list(writes)), how={"argument": value})


def machine_tree(*changes):
    """A tree of ours as x0."""
    return Trouble(changes=changes, how={"argument": TREE_AT})


def scattered(count, distance):
    """RAM, and single pages of more that is pretended."""
    return tree.memory((RAM_BASE, 256 * MIB),
                       *((PRETENDED + i * distance, PAGE) for i in range(count)))


@provokes("ARGUMENT")
def argument_none():
    return argument(0)


@provokes("ARGUMENT")
def argument_nonsense():
    return argument(0x43000000)


@provokes("ARGUMENT")
def argument_misaligned():
    return argument(TREE_AT + 4, (TREE_AT + 4, tree.edited()))


@provokes("FDT")
def tree_damaged():
    blob = bytearray(tree.edited())
    start = struct.unpack_from(">I", blob, 8)[0]
    blob[start:start + 4] = b"\0\0\0\7"
    return argument(TREE_AT, (TREE_AT, bytes(blob)))


@provokes("FDT")
def tree_old():
    blob = bytearray(tree.edited())
    struct.pack_into(">2I", blob, 20, 16, 16)
    return argument(TREE_AT, (TREE_AT, bytes(blob)))


@provokes("FDT")
def tree_not_in_its_ram():
    return machine_tree(tree.memory((STAGE_AT, 64 * MIB)))


@provokes("FDT_SPACE")
def command_line_long():
    return Trouble(how={"append": "x" * 4096})


@provokes("FDT_SPACE")
def bootargs_long():
    def make(path):
        fit.simple(probe_kernel(), bootargs="y" * 5000).make(path)
    return Trouble(Payload(b"", initrd=make), control=True, how={"append": "x" * 3500})


@provokes("FDT_SPACE")
def tree_large():
    """There is no room left for what is added."""
    def change(fdt):
        fdt.resize(4 * MIB)
        fdt.setprop(fdt.path_offset("/chosen"), "filler", bytes(100))
        fdt.pack()
        size = fdt.totalsize()
        fdt.resize(4 * MIB)
        fdt.setprop(fdt.path_offset("/chosen"), "filler", bytes(2 * MIB - size))
    trouble = with_tree(handoff(), change)
    trouble.control = True
    return trouble


@provokes("NO_MEMORY")
def tree_without_memory():
    return machine_tree(tree.node_deleted(tree.MEMORY))


@provokes("NO_MEMORY")
def tree_without_us():
    return machine_tree(tree.memory((0x42000000, 32 * MIB)))


@provokes("RANGES")
def tree_of_many_ranges():
    return machine_tree(scattered(5000, 2 * PAGE))


@provokes("TABLES")
def tree_of_many_tables():
    return machine_tree(scattered(600, 2 * MIB))


@provokes("ADDRESS")
def ram_beyond_the_cpu():
    """Cortex-A72 reaches 44 bits."""
    trouble = machine_tree(tree.memory((RAM_BASE, 256 * MIB), (1 << 45, MIB)))
    trouble.how["cpu"] = "cortex-a72"
    return trouble


@provokes("ADDRESS")
def ram_beyond_52_bits():
    return machine_tree(tree.memory((RAM_BASE, 256 * MIB), (1 << 52, PAGE)))


@provokes("ADDRESS")
def segment_beyond_half_a_range():
    """EL2 without E2H has one address range for both maps: 51 bits for each. The segment is taken
    to be in place, so nobody needs the memory to be there before it is mapped."""
    trouble = with_tree(handoff(), tree.memory((RAM_BASE, 256 * MIB), (1 << 51, MIB)))
    trouble.payload.handoff.segments.append(Segment(1 << 51, PAGE, 0, EXEC))
    trouble.how["start"] = replace(EL2, cpu="max")
    trouble.control = True
    return trouble


@provokes("MAPPING")
def console_in_ram():
    return machine_tree(tree.property_set(tree.CONSOLE, "reg", tree.pairs([(TREE_AT, PAGE)])))


@provokes("NO_PAYLOAD")
def no_initrd():
    return Trouble()


@provokes("PAYLOAD_RANGE")
def initrd_not_in_ram():
    return machine_tree(tree.initrd(NO_RAM, NO_RAM + 100))


@provokes("PAYLOAD_RANGE")
def initrd_beyond_ram():
    return machine_tree(tree.initrd(0x4fff0000, 0x50000001))
