# SPDX-License-Identifier: MIT
"""
LPIs that a kernel before us has left enabled: Debian's 6.1 starts kexpress by Debian's kexec, as if
it were a kernel, on a machine with an ITS. A kernel that finds LPIs enabled says so; if their table
lies in its own image, which is reserved memory, it fills the table, and hangs.
"""

import sys
from pathlib import Path

import pytest

import abi
import cpio
import fit
from abi import MIB
from machine import Board, Machine

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "lens/linux"))

import kexec  # noqa: E402

BUDGET = 300  # seconds; half a minute on an idle machine
TROUBLE = "Booted with LPIs enabled, memory probably corrupted"
LAST_LINE = "kexpress: timing "
RET = bytes.fromhex("c0035fd6")
INIT = b"""#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox echo "next: cpus $(/bin/busybox nproc)"
/bin/busybox cat /proc/interrupts
/bin/busybox echo "next: end"
/bin/busybox poweroff -f
"""


def next_initramfs():
    busybox = (kexec.DEBIAN / "busybox-static/bin/busybox").read_bytes()
    return cpio.archive({"init": INIT, "bin/busybox": busybox}, ["proc"])


@pytest.fixture
def archive(tmp_path):
    """Makes the first kernel's initramfs, with the stage as it is then."""
    if not (kexec.DEBIAN / "kexec-tools").is_dir():
        pytest.skip("kexec-tools are not there: make deps")

    def make():
        payload = fit.simple(kexec.kernel("6.1"), next_initramfs()).make(tmp_path / "next.itb")
        path = tmp_path / "initramfs"
        path.write_bytes(kexec.initramfs(abi.STAGE.read_bytes(), payload.read_bytes()))
        return path
    return make


# Debian's kernel has the driver of a root port, which interrupts by LPIs, built in.
def board(smp, initrd):
    return Board(gic="3,its=on", ram=1024 * MIB, smp=smp, kernel=kexec.kernel("6.1"),
                 initrd=initrd, append="console=ttyAMA0 panic=-1",
                 extra=["-device", "pcie-root-port"])


@pytest.mark.parametrize("smp", (pytest.param(1, marks=pytest.mark.slow), 4))
def test_lpis(archive, smp):
    with Machine(board(smp, archive())) as machine:
        assert machine.run(budget=BUDGET) == "guest-shutdown", machine.console
        before, after = machine.console.split(LAST_LINE)
    assert "warning: LPIs" not in before and "warning: the ITS" not in before
    assert f"next: cpus {smp}\r\n" in after
    assert "ITS-MSI" in after
    assert TROUBLE not in after


def test_left_alone(archive, patch):
    """What the machine does without: the test above could fail."""
    patch(gic_quiesce=RET)
    with Machine(board(1, archive())) as machine:
        machine.start()
        machine.expect(LAST_LINE, BUDGET)
        machine.expect(TROUBLE, BUDGET)
