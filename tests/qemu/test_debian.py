# SPDX-License-Identifier: MIT
"""The real thing: Debian's kernel and its installer's initramfs, to a shell that answers."""

import base64
import re

import pytest

import debian
import fit
from abi import GIB, PAGE, pages
from scene import EL1, EL2, Payload, scene

BUDGET = 900  # seconds, on a busy machine; 90 are usual, for lens judges it all


@pytest.fixture(scope="module")
def payload(tmp_path_factory):
    kernel, ramdisk = debian.installer()
    path = tmp_path_factory.mktemp("debian") / "debian.itb"
    fit.simple(kernel, ramdisk).make(path)
    ramdisk = ramdisk.read_bytes()
    yield Payload(kernel.read_bytes(), ramdisk, initrd=path, in_place=pages(len(ramdisk)) * PAGE)
    path.unlink()


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


class Shell:
    PROMPT = r"# (\x1b\[6n)?$"  # busybox asks the terminal where it is

    def __init__(self, machine):
        self.machine = machine
        machine.expect(self.PROMPT, BUDGET)

    def run(self, command):
        """What it prints."""
        since = len(self.machine.console)
        self.machine.send(f"{command}; echo done-$?\n")
        self.machine.expect(r"done-\d+\r\n", BUDGET, since)
        echo, output = self.machine.console[since:].split("\n", 1)
        self.machine.expect(self.PROMPT, BUDGET, since)
        return re.split(r"done-\d", output)[0].replace("\r", "")


@pytest.mark.parametrize("start, mmu, smp", cases())
def test_debian(payload, start, mmu, smp):
    """On one CPU lens judges all of it, to the power-off; on several that takes too long."""
    with scene(start, payload, mmu=mmu, ram=2 * GIB, smp=smp, judged=smp == 1,
               append="rdinit=/bin/sh console=ttyAMA0") as s:
        s.machine.start()
        shell = Shell(s.machine)
        assert shell.run("echo $((6*7))") == "42\n"
        assert shell.run("mount -t proc proc /proc; mount -t sysfs sysfs /sys") == ""
        assert shell.run("cd /proc/device-tree/chosen/kexpress") == ""
        assert base64.b64decode(shell.run("base64 compatible")) == b"kexpress,timing\0"
        copied = int.from_bytes(base64.b64decode(shell.run("base64 bytes-copied")), "big")
        assert copied == s.report.timing["bytes_copied"] == payload.moved
        assert s.report.timing["mmu"] == int(mmu)
        assert (s.report.timing["cores"] > 1) == (smp > 1)
        assert shell.run("cd /sys") == ""
        assert shell.run("cat devices/system/cpu/online") == (f"0-{smp - 1}\n" if smp > 1 else "0\n")
        assert "kexpress." not in shell.run("cat /proc/cmdline")
        s.machine.send("poweroff -f\n")
        assert s.machine.finish(budget=BUDGET) == "guest-shutdown"
