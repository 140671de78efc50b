# SPDX-License-Identifier: MIT
"""The real thing: Debian's kernel and its installer's initramfs, to a shell that answers."""

import base64

import pytest

from abi import GIB
from installer import BUDGET, Shell
from scene import EL1, EL2, scene

CASES = (  # start, MMU, CPUs, whether it takes minutes
    (EL1, True, 4, False),
    (EL2, False, 1, False),
    (EL1, True, 1, True),
    (EL1, False, 1, True),
    (EL2, True, 8, True),
)


def cases():
    for start, mmu, smp, slow in CASES:
        yield pytest.param(start, mmu, smp, id=f"{start}-{'on' if mmu else 'off'}-{smp}",
                           marks=pytest.mark.slow if slow else ())


@pytest.mark.path("boot protocol: Debian")
@pytest.mark.parametrize("start, mmu, smp", cases())
def test_debian(debian, start, mmu, smp):
    """On one CPU lens judges all of it, to the power-off; on several that takes too long."""
    with scene(start, debian, mmu=mmu, ram=2 * GIB, smp=smp, judged=smp == 1,
               append="rdinit=/bin/sh console=ttyAMA0") as s:
        s.machine.start()
        shell = Shell(s.machine)
        assert shell.run("echo $((6*7))") == "42\n"
        assert shell.run("mount -t proc proc /proc; mount -t sysfs sysfs /sys") == ""
        assert shell.run("cd /proc/device-tree/chosen/kexpress") == ""
        assert base64.b64decode(shell.run("base64 compatible")) == b"kexpress,timing\0"
        copied = int.from_bytes(base64.b64decode(shell.run("base64 bytes-copied")), "big")
        assert copied == s.report.timing["bytes_copied"] == debian.moved
        assert s.report.timing["mmu"] == int(mmu)
        assert (s.report.timing["cores"] > 1) == (smp > 1)
        assert shell.run("cd /sys") == ""
        assert shell.run("cat devices/system/cpu/online") == (f"0-{smp - 1}\n" if smp > 1 else "0\n")
        assert "kexpress." not in shell.run("cat /proc/cmdline")
        s.machine.send("poweroff -f\n")
        assert s.machine.finish(budget=BUDGET) == "guest-shutdown"
