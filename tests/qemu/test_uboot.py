# SPDX-License-Identifier: MIT
"""
Started by Debian's U-Boot; the kernel finds the same bytes each time.

Its `go` is not among the ways: on a PL011 that one waits for ever for its own output, whatever it
shall start. test_entry.py enters kexpress as `go` would.
"""

import re
from contextlib import contextmanager

import pytest

import abi
import check
import fit
import uboot
from flashed import BLOCK, DATA, RESET, build, slot
from judged import JudgedMachine
from machine import Board, flash_drives
from scene import EL1, EL2, Payload, Scene

KERNEL_AT, RAMDISK_AT, THIRD_AT = 0x48000000, 0x50000000, 0x58000000
OFF = "kexpress.onerror=poweroff"
STARTS = (pytest.param(EL1, marks=pytest.mark.slow), EL2)


@pytest.fixture(scope="module", autouse=True)
def built():
    if not uboot.BINARY.is_file():
        pytest.skip("Debian's package is not there")
    build()


@pytest.fixture
def payload(kernel, ramdisk, tmp_path):
    path = tmp_path / "payload.itb"
    fit.simple(kernel, ramdisk).make(path)
    return path


@contextmanager
def machine(start, files, stage_at, expected, found=(), **how):
    """U-Boot at its prompt, and what shall come of the probe. found: of U-Boot, beside what always
    is."""
    with JudgedMachine(uboot.board(start.boot_el, files, **how), stage_at,
                       uboot.FINDINGS + found) as m:
        uboot.prompt(m)
        yield Scene(m, start, expected, called=True, stage_at=stage_at)


def type_in(s, *lines):
    """The last line does not come back."""
    for line in lines[:-1]:
        uboot.command(s.machine, line)
    s.machine.send(lines[-1] + "\n")


def check_started(s):
    s.reason = s.machine.finish()
    check.exit_state(s)
    check.contents(s)


@pytest.mark.path("U-Boot booti")
@pytest.mark.parametrize("start", STARTS, ids=str)
def test_booti(start, payload, kernel, ramdisk, tmp_path):
    """With the FIT as ramdisk."""
    wrapped = tmp_path / "payload.img"
    uboot.wrap(payload, wrapped)
    files = {KERNEL_AT: abi.STAGE, RAMDISK_AT: wrapped}
    with machine(start, files, KERNEL_AT, Payload(kernel, ramdisk)) as s:
        type_in(s, "setenv verify n", f"setenv bootargs {OFF}",
                f"booti {KERNEL_AT:#x} {RAMDISK_AT:#x} ${{fdtcontroladdr}}")
        check_started(s)


@pytest.mark.path("U-Boot bootm")
@pytest.mark.parametrize("start", STARTS, ids=str)
def test_bootm(start, payload, kernel, ramdisk, tmp_path):
    """Of a FIT whose kernel is kexpress, and whose ramdisk is the FIT that kexpress shall boot. To
    check hashes U-Boot uses SIMD registers that it has enabled without an ISB."""
    outer = tmp_path / "outer.itb"
    stage = fit.Part(abi.STAGE.read_bytes(), "kernel", load=THIRD_AT)
    fit.Fit({"kernel": stage, "ramdisk": fit.Part(payload, "ramdisk")},
            {"conf": {"kernel": "kernel", "ramdisk": "ramdisk"}}).make(outer)
    with machine(start, {RAMDISK_AT: outer}, THIRD_AT, Payload(kernel, ramdisk),
                 found=("isb-missing",)) as s:
        type_in(s, f"setenv bootargs {OFF}",
                f"bootm {RAMDISK_AT:#x}#conf {RAMDISK_AT:#x}#conf ${{fdtcontroladdr}}")
        check_started(s)


def write_flash(s, source, size, at):
    blocks = -(-size // BLOCK) * BLOCK
    for line in (f"protect off {at:#x} +{blocks:#x}", f"erase {at:#x} +{blocks:#x}",
                 f"cp.b {source:#x} {at:#x} {size:#x}", f"cmp.b {source:#x} {at:#x} {size:#x}"):
        said = uboot.command(s.machine, line)
    assert f"Total of {size} byte(s) were the same" in said


def update_lines():
    """How docs/flash.md updates a slot."""
    text = (abi.TOP / "docs/flash.md").read_text()
    return re.findall(r"^    => (.*)", text, re.M)


def flash_with_uboot(directory):
    for number, data in enumerate((uboot.BINARY.read_bytes(), b"")):
        with open(directory / f"flash{number}.img", "wb") as file:
            file.write(data)
            file.truncate(DATA["FLASH_BANK"])


@pytest.mark.path("flash, written by U-Boot")
@pytest.mark.parametrize("start", STARTS, ids=str)
def test_flash(start, payload, kernel, ramdisk, tmp_path):
    """U-Boot writes kexpress over itself, and a payload to slot A. Then the machine is switched off
    and on: QEMU 10.0 may go on with what it has translated of the old flash after a mere reset."""
    image = tmp_path / "slot.img"
    image.write_bytes(slot(payload.read_bytes(), 1))
    flash_with_uboot(tmp_path)
    files = {KERNEL_AT: RESET, RAMDISK_AT: image}
    with machine(start, files, KERNEL_AT, None, flash=tmp_path) as s:
        for line in (f"loadaddr={RAMDISK_AT:#x}", f"filesize={image.stat().st_size:x}"):
            uboot.command(s.machine, f"setenv {line.replace('=', ' ')}")
        for line in update_lines():
            uboot.command(s.machine, line)
        write_flash(s, KERNEL_AT, RESET.stat().st_size, DATA["FLASH"])
    board = Board(el=start.boot_el, extra=flash_drives(tmp_path))
    with JudgedMachine(board, DATA["LOAD"]) as m:
        s = Scene(m, start, Payload(kernel, ramdisk), called=True, stage_at=DATA["LOAD"])
        m.start()
        check_started(s)
        assert "kexpress: booting from flash slot A" in s.report.lines
