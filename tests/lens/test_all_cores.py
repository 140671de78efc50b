# SPDX-License-Identifier: MIT
"""kexpress on all cores, judged: what one core stores, another cleans, and the kernel fetches."""

import re
import struct
import sys
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).resolve().parent.parent / room) for room in ("qemu", "bench")]

import relocation  # noqa: E402
from abi import CALLER, GIB, MIB, STAGE, STAGE_ELF, constant  # noqa: E402
from machine import Board  # noqa: E402
from machine_lens import LensMachine, symbols  # noqa: E402

PROFILE = "cortex-a72-stingray"
E2H = constant("CALLER_E2H")
SMC, HVC = struct.pack("<I", 0xd4000003), struct.pack("<I", 0xd4000002)


@pytest.fixture
def off_by_hvc(monkeypatch):
    """The kernel switches the machine off as firmware wants it where there is no EL2."""
    kernel_image = relocation.kernel_image
    monkeypatch.setattr(relocation, "kernel_image",
                        lambda size: kernel_image(size).replace(SMC, HVC))


@pytest.mark.parametrize("el, flags, cpu", ((1, 0, "cortex-a72"), (2, 0, "cortex-a72"),
                                            (2, E2H, "max")), ids=("el1", "el2", "e2h"))
@pytest.mark.parametrize("kind", ("contiguous", "scattered"))
def test_nothing_found(kind, el, flags, cpu, request):
    if el == 1:
        request.getfixturevalue("off_by_hvc")
    jump = symbols(STAGE_ELF, relocation.STAGE_AT)["jump"]
    board = Board(el=el, cpu=cpu, ram=GIB, smp=4, kernel=CALLER, extra=["-seed", "0"],
                  append="kexpress.onerror=poweroff")
    with LensMachine(board, PROFILE, stop=hex(jump), coherency="on", elf=STAGE_ELF,
                     bias=hex(relocation.STAGE_AT)) as machine:
        relocation.prepare(machine.ram, STAGE, relocation.Case(PROFILE, "mmu-on", 24 * MIB, kind))
        at = constant("CALLER_CONFIG_ADDRESS")
        given, = struct.unpack("<Q", machine.ram.read(at, 8))
        machine.ram.write(at, struct.pack("<Q", given | flags))
        machine.run()
        assert relocation.kexpress_timing(machine.console)["cores"] > 1
        found = re.findall(r"^lens: .*", machine.log.read_text(), re.M)
        assert found == ["lens: findings: 0 kinds, 0 in all"]
