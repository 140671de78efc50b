# SPDX-License-Identifier: MIT
"""
Exceptions of kexpress's own, made by changing its registers under it: the dump tells what, where
and in which step, without stack and memory map, and the machine ends as the command line says.
"""

import re

import pytest

import abi
import tree
from abi import pages
from gdbremote import SP
from machine import Hang
from scene import (EL1, EL2, QEMU_KERNEL_AT, STAGE_AT, STARTS, TREE_AT, HandoffBuilder, Payload,
                   fit_payload, page_range, scene)

NOWHERE = 0x7dead000  # neither RAM of 256 MiB nor device, and mapped by no table
DATA_ABORT = 0x25  # ESR_ELx.EC, taken at the level it came from

DUMP = re.compile(r"kexpress: error E_FAULT: exception, kind=(?P<kind>\w+) step=(?P<step>[\w ]+) "
                  r"run=0x(?P<run>\w{16}) esr=0x(?P<esr>\w{16}) far=0x(?P<far>\w{16}) "
                  r"elr=0x(?P<elr>\w{16}) base=0x(?P<base>\w{16}) "
                  r"cpu=0x(?P<cpu>\w{16})\r\n")


class Dump:
    def __init__(self, console):
        found = list(DUMP.finditer(console))
        assert len(found) == 1, console
        fields = found[0].groupdict()
        self.kind, self.step = fields["kind"], fields["step"]
        self.run, self.esr, self.far, self.elr, self.base, self.cpu = \
            (int(fields[name], 16) for name in ("run", "esr", "far", "elr", "base", "cpu"))


@pytest.fixture
def payload(tmp_path, kernel, ramdisk):
    return fit_payload(tmp_path / "payload", kernel, ramdisk)


def break_register(s, symbol, hit, register):
    """Runs to the hit-th time at symbol, and ruins register there."""
    base = QEMU_KERNEL_AT if not s.called else STAGE_AT
    address = base + abi.Symbols(abi.STAGE_ELF)[symbol]
    gdb = s.machine.gdb
    gdb.break_at(address)
    for _ in range(hit):
        gdb.until_break()
    gdb.write(register, NOWHERE)
    gdb.clear(address)
    gdb.go_on()
    return base


def crash(s, symbol, hit, register):
    base = break_register(s, symbol, hit, register)
    s.reason = s.machine.finish(last_line="kexpress: halted\r\n")
    dump = Dump(s.machine.console)
    assert dump.base == base
    assert "probe:" not in s.machine.console
    return dump


@pytest.mark.parametrize("register", (1, 2), ids=("destination", "source"))
@pytest.mark.parametrize("start", STARTS, ids=str)
def test_move(start, register, kernel, ramdisk):
    """The second run is the ramdisk's."""
    builder = HandoffBuilder()
    builder.kernel(kernel, 0x41000000, sources=page_range(0x4a000000, pages(len(kernel))))
    builder.ramdisk(ramdisk, 0x41800000, sources=page_range(0x4b000000, pages(len(ramdisk))))
    with scene(start, builder.build(), gdb=True) as s:
        dump = crash(s, "copier_copy", 2, register)
        assert (dump.kind, dump.step, dump.run) == ("sync", "move", 1)
        assert dump.esr >> 26 == DATA_ABORT
        assert NOWHERE <= dump.far < NOWHERE + 64
        loops = abi.Symbols(abi.STAGE_ELF)
        assert loops["copy_plain"] <= dump.elr - dump.base < loops["copy_bytes"]
        assert s.reason == "guest-shutdown"


@pytest.mark.parametrize("start", STARTS, ids=str)
def test_move_with_mmu_off(start, payload):
    """The list of runs leads nowhere: an external abort, as there is no table to say so."""
    with scene(start, payload, gdb=True, mmu=False) as s:
        dump = crash(s, "move_uncached", 1, 0)
        assert (dump.kind, dump.step, dump.run) == ("sync", "move", 0)
        assert dump.esr >> 26 == DATA_ABORT
        assert NOWHERE <= dump.far < NOWHERE + 64


@pytest.mark.parametrize("start", STARTS, ids=str)
def test_without_stack(start, payload):
    with scene(start, payload, gdb=True) as s:
        dump = crash(s, "copier_copy", 1, SP)
        assert (dump.kind, dump.step, dump.run) == ("sync", "move", 0)
        assert s.reason == "guest-shutdown"


@pytest.mark.parametrize("start", STARTS, ids=str)
def test_plan(start, payload):
    with scene(start, payload, gdb=True) as s:
        dump = crash(s, "fdt_fixup", 1, 0)
        assert (dump.kind, dump.step) == ("sync", "plan")
        assert NOWHERE <= dump.far < NOWHERE + 64


@pytest.mark.parametrize("onerror, reason", (("halt", None), ("reset", "guest-reset"),
                                             ("poweroff", "guest-shutdown")))
@pytest.mark.parametrize("start", (EL1, EL2), ids=str)
def test_end(start, onerror, reason, payload):
    with scene(start, payload, gdb=True, onerror=onerror) as s:
        crash(s, "copier_copy", 1, 1)
        assert s.reason == reason
        assert ("kexpress: halted" in s.machine.console) == (reason is None)


@pytest.mark.parametrize("start", STARTS, ids=str)
def test_hand_over(start, payload):
    with scene(start, payload, gdb=True) as s:
        dump = crash(s, "fdt_fixup_timing", 1, 0)
        assert (dump.kind, dump.step) == ("sync", "hand over")


@pytest.mark.parametrize("start", STARTS, ids=str)
def test_argument_beyond_memory(start):
    """Where nothing answers, a look at the header is an exception."""
    nowhere = 0x7ffffffffff8
    with scene(start, Payload(b""), argument=nowhere, allowed=("cmo-outside-ram",)) as s:
        s.run(last_line="kexpress: halted\r\n")
        dump = Dump(s.machine.console)
        assert (dump.step, dump.far) == ("enter", nowhere)


def test_psci_that_does_not_work(tmp_path):
    """A tree with HVC, which at EL2 is an exception of our own: the end is silence, not a loop."""
    wrong = tree.edited(el=1)
    payload = Payload(b"", writes=[(TREE_AT, wrong)])
    with scene(EL2, payload, argument=TREE_AT) as s:
        s.machine.start()
        s.machine.expect("error E_NO_PAYLOAD: [^\n]*\n")
        with pytest.raises(Hang):
            s.machine.finish(budget=1)
        assert s.machine.console.count("kexpress: error") == 1
