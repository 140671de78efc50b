# SPDX-License-Identifier: MIT
"""
Consoles of other models than QEMU's "virt" has: memory that the device tree does not tell of stands
for their registers, and keeps the last character. Boards that have them are in test_boards.py.
"""

import re
import struct
import time
from dataclasses import dataclass

import pytest

import abi
import check
import tree
from abi import MIB, PAGE
from machine import BUDGET, RAM_BASE
from scene import EL1, EL2, STAGE_AT, STARTS, TREE_AT, HandoffBuilder, Payload, probe_kernel, \
    random_bytes, scene
from test_fault import DUMP

TREE_RAM = 256 * MIB
REGISTERS_AT = RAM_BASE + TREE_RAM
EMPTY = 0xee  # in every byte that nobody has stored to
SEMIHOSTING = struct.pack("<Q", 7 << 52)  # a crash word, src/engine/entry.h


@dataclass(frozen=True)
class Model:
    compatible: str
    layout: tuple  # reg-shift and reg-io-width; or none
    status: int
    ready: int
    busy: int
    data: int
    access: int
    at: int = 0  # of the registers in their page

    def __str__(self):
        return "-".join((self.compatible, *map(str, self.layout)))


THRE = 1 << 5
MODELS = (
    Model("arm,sbsa-uart", (), 0x18, 0x90, 1 << 5, 0x00, 4),
    Model("ns16550a", (), 5, THRE | 0x40, 0x40, 0, 1, 0x80),
    Model("ns16550a", (2, 1), 0x14, THRE, 0, 0, 1),
    Model("snps,dw-apb-uart", (2, 4), 0x14, THRE, 0, 0, 4, 0xf80),
    Model("brcm,bcm2835-aux-uart", (), 0x14, THRE, 0, 0, 4, 0x40),
    Model("cdns,uart-r1p12", (), 0x2c, 1 << 3, 1 << 4, 0x30, 4),
    Model("fsl,imx6q-uart", (), 0xb4, 0x60, 1 << 4, 0x40, 4),
)


def machine_tree(model, el):
    def rewrite(fdt):
        node = fdt.path_offset(tree.CONSOLE)
        fdt.setprop(node, "reg", tree.pairs([(REGISTERS_AT + model.at, 0x40)]))
        fdt.setprop_str(fdt.path_offset(tree.CONSOLE), "compatible", model.compatible)
        for name, value in zip(("reg-shift", "reg-io-width"), model.layout):
            fdt.setprop_u32(fdt.path_offset(tree.CONSOLE), name, value)
    return tree.edited(rewrite, el=el, ram=TREE_RAM)


def registers(model, status):
    page = bytearray([EMPTY]) * PAGE
    at = model.at + model.status
    page[at:at + model.access] = status.to_bytes(model.access, "little")
    return bytes(page)


def with_console(model, status, el):
    builder = HandoffBuilder(40).kernel(probe_kernel(), 0x41000000)
    payload = builder.ramdisk(random_bytes(50001), 0x41800000).build()
    payload.handoff.fdt = TREE_AT
    payload.writes += [(TREE_AT, machine_tree(model, el)),
                       (REGISTERS_AT, registers(model, status))]
    return payload


def run(model, status, start):
    """The page of registers afterwards."""
    with scene(start, with_console(model, status, start.boot_el), ram=TREE_RAM + MIB) as s:
        s.run()
        assert "kexpress: version" not in s.report.console
        assert s.reason == "guest-shutdown"
        check.exit_state(s)
        check.contents(s)
        return s.ram.read(REGISTERS_AT, PAGE)


def cases():
    for i, model in enumerate(MODELS):
        yield pytest.param(model, STARTS[i % len(STARTS)], id=str(model))


@pytest.mark.parametrize("model, start", cases())
def test_ready(model, start):
    """The last character is in the data register, by one store of the right width."""
    after = bytearray(registers(model, model.ready))
    at = model.at + model.data
    after[at:at + model.access] = b"\n".ljust(model.access, b"\0")
    assert run(model, model.ready, start) == after


@pytest.mark.parametrize("model, start", cases())
def test_never_ready(model, start):
    """It is left alone, and the boot goes on."""
    assert run(model, model.busy, start) == registers(model, model.busy)


def test_not_asked_again():
    """Once it has not taken a character in time it is left alone, even where it would take one."""
    model = MODELS[0]
    with scene(EL1, with_console(model, model.busy, 1), ram=TREE_RAM + MIB, gdb=True) as s:
        s.machine.gdb.break_at(STAGE_AT + abi.Symbols(abi.STAGE_ELF)["hand_over"])
        s.machine.gdb.until_break()
        s.ram.write(REGISTERS_AT, registers(model, model.ready))
        s.machine.gdb.go_on()
        s.machine.finish()
        check.contents(s)
        assert s.ram.read(REGISTERS_AT, PAGE) == registers(model, model.ready)


def debugger_says(machine, last_line):
    """QEMU prints it on its stderr."""
    deadline = time.monotonic() + BUDGET
    text = ""
    while last_line not in text:
        assert time.monotonic() < deadline, text
        time.sleep(0.1)
        machine.errors.seek(0)
        text = machine.errors.read()
    return text


@pytest.mark.parametrize("start", (EL1, EL2), ids=str)
@pytest.mark.parametrize("argument, pattern", ((0, r"error E_ARGUMENT: .*, 0x0-0x0"),
                                               (0x7ffffffffff8, DUMP.pattern.replace(r"\r", ""))),
                         ids=("error", "crash"))
def test_semihosting(argument, pattern, start, patch):
    """Before there is a device tree, of a board that has nothing else to tell by."""
    patch(console_early=SEMIHOSTING)
    with scene(start, Payload(b""), argument=argument, judged=False,
               extra=["-semihosting-config", "enable=on,target=native"]) as s:
        s.machine.start()
        assert re.search(pattern, debugger_says(s.machine, "kexpress: halted"))
        assert s.machine.console == ""
