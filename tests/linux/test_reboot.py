# SPDX-License-Identifier: MIT
"""From every kernel to every other, on all kinds of machines."""

import hashlib
import itertools

import pytest

import bed
from bed import MIB, Hardware, Reboot

OLD = ("5.10", "6.1", "6.12")
NEXT = ("6.1", "6.12")
LEVELS = ("EL1", "EL2", "VHE")
CPUS = (1, 4)
GICS = ("2", "3", "its")
BOOT_EL = {"EL1": 1, "EL2": 2, "VHE": 2}
GIB = 1024 * MIB

# Every value once at least, and what has failed before: the rest is slow.
USUAL = (("5.10", "6.1", "EL2", 1, "its"), ("5.10", "6.12", "VHE", 4, "3"),
         ("6.1", "6.1", "EL1", 4, "its"), ("6.1", "6.12", "EL2", 1, "2"),
         ("6.12", "6.1", "VHE", 1, "its"), ("6.12", "6.12", "EL1", 4, "3"))


def cells():
    for cell in itertools.product(OLD, NEXT, LEVELS, CPUS, GICS):
        old, following, level, smp, gic = cell
        yield pytest.param(*cell, id=f"{old}-{following}-{level}-{smp}cpu-gic{gic}",
                           marks=() if cell in USUAL else pytest.mark.slow)


def check_arrived(reboot, version, smp=1):
    assert reboot.reason == "guest-shutdown", reboot.console[-3000:]
    assert reboot.said("first", "loaded") == "0"
    assert reboot.said("next", "kernel") == bed.release(version)
    assert reboot.said("next", "cpus") == str(smp)
    assert "next: trouble" not in reboot.console
    relocation = reboot.status["relocation"]
    assert relocation["bytes-hashed"] > 32 * MIB
    assert "kexpress." not in reboot.said("next", "cmdline")
    return relocation


@pytest.mark.parametrize("old, following, level, smp, gic", cells())
def test_reboot(old, following, level, smp, gic, tmp_path):
    reboot = Reboot(Hardware(level, smp, gic), old, tmp_path, bed.reboot_script(),
                    bed.next_files(following))
    relocation = check_arrived(reboot, following, smp)
    assert relocation["boot-el"] == BOOT_EL[level]


@pytest.mark.parametrize("size, ram", (
    pytest.param(64 * MIB, 1 * GIB, id="100M"),
    pytest.param(480 * MIB, 3 * GIB, id="512M", marks=pytest.mark.slow),
    pytest.param(990 * MIB, 6 * GIB, id="1G", marks=pytest.mark.slow)))
@pytest.mark.parametrize("old", ("5.10", "6.12"))
def test_size(old, size, ram, tmp_path):
    filler = bed.filler(size)
    reboot = Reboot(Hardware(ram=ram, smp=2), old, tmp_path, bed.reboot_script(),
                    bed.next_files("6.1", files={"filler": filler}), budget=900)
    check_arrived(reboot, "6.1", 2)
    assert reboot.said("next", "filler").split()[0] == hashlib.md5(filler).hexdigest()
