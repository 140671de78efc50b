# SPDX-License-Identifier: MIT
"""Debian's U-Boot under lens, from reset to what `booti` starts. What is found is in U-Boot's own
code (docs/lens.md); whom it starts adds nothing."""

import re

import pytest

import kexec  # first: it says where the others are
import cpio
import fit
import uboot
from abi import MIB, PROBE, STAGE
from machine import RAM_BASE, Machine
from machine_lens import LensMachine

PROFILE = "cortex-a72-stingray"
KERNEL_AT, RAMDISK_AT = 0x48000000, 0x50000000
NEVER = hex(RAM_BASE)  # is not run: time is not modelled


@pytest.fixture(scope="module", autouse=True)
def binary():
    if not uboot.BINARY.is_file():
        pytest.skip("Debian's packages are not there")


@pytest.fixture(scope="module")
def ramdisk(tmp_path_factory):
    path = tmp_path_factory.mktemp("uboot") / "ramdisk"
    path.write_bytes(cpio.archive({}))
    return path


def wrapped(directory, *parts):
    """A FIT in an image of U-Boot's old format: a bare one U-Boot would open itself."""
    payload, image = directory / "payload.itb", directory / "payload.img"
    fit.simple(*parts, hashes=()).make(payload)
    uboot.wrap(payload, image)
    return image


def board(el, kernel, ramdisk):
    return uboot.board(el, {KERNEL_AT: kernel, RAMDISK_AT: ramdisk})


def booti(machine, ramdisk, until, bootargs="console=ttyAMA0"):
    """Types it; the console is read until what the started one says."""
    uboot.prompt(machine)
    uboot.command(machine, "setenv verify n")
    uboot.command(machine, f"setenv bootargs {bootargs}")
    machine.send(f"booti {KERNEL_AT:#x} {ramdisk} ${{fdtcontroladdr}}\n")
    return machine.expect(until, uboot.BUDGET)


def judge(board, entry, *how):
    """The names of what was found of U-Boot, and what the kernel's contract said."""
    with LensMachine(board, PROFILE, start=NEVER, kernel=hex(entry), coherency="on",
                     verify="on") as machine:
        booti(machine, *how)
        log = machine.log.read_text()
    found = re.findall(r"^lens: (\S+) cpu=0 pc=(0x\w+)", log, re.M)
    assert all(uboot.AT <= int(pc, 16) < RAM_BASE + uboot.RAM for _, pc in found), log
    return {name for name, _ in found}, re.findall(r"^contract: (\S.*) kernel=", log, re.M)


@pytest.mark.parametrize("el", (1, 2))
def test_linux(el, ramdisk):
    """SErrors are not masked, as Linux's booting.rst asks: U-Boot unmasks them at its start."""
    how = f"{RAMDISK_AT:#x}:{ramdisk.stat().st_size:#x}", r"Linux version"
    found, contract = judge(board(el, kexec.kernel("6.1"), ramdisk), KERNEL_AT, *how)
    assert found == set(uboot.FINDINGS)
    assert contract == ["violated: DAIF masked (0x2c0)"]


def check_stage(el, payload, until):
    """The stage, started by booti, holds what U-Boot does not."""
    machine_board = board(el, STAGE, payload)
    how = f"{RAMDISK_AT:#x}", until, "console=ttyAMA0 kexpress.debug"
    with Machine(machine_board) as machine:
        booti(machine, *how)
        entry, = re.findall(r"entry (0x\w+)", machine.console)
    found, contract = judge(machine_board, int(entry, 16), *how)
    assert found == set(uboot.FINDINGS)
    assert [line.split()[0] for line in contract] == ["held"]


@pytest.mark.parametrize("el", (1, 2))
def test_stage(el, tmp_path):
    probe = PROBE.read_bytes()
    check_stage(el, wrapped(tmp_path, probe, bytes(MIB)), r"probe: \S+")


@pytest.mark.slow
@pytest.mark.parametrize("el", (1, 2))
def test_stage_starts_linux(el, tmp_path, ramdisk):
    check_stage(el, wrapped(tmp_path, kexec.kernel("6.1"), ramdisk), r"Linux version")
