# SPDX-License-Identifier: MIT
"""A machine that boots from flash: nothing is in memory but what QEMU leaves there."""

import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass

import abi
import fit
from judged import JudgedMachine
from machine import Board, flash_drives
from scene import Payload, Scene, Start

sys.path.insert(0, str(abi.TOP / "boards"))
import flash  # noqa: E402

DATA = flash.board_data("virt")
BLOCK = DATA["ERASE_BLOCK"]
ERASED = flash.ERASED
RESET = abi.OUT / "reset.bin"


@dataclass(frozen=True)
class Reset:
    """What the machine's reset leaves, and where the kernel shall be entered."""

    name: str
    virtualization: bool
    secure: bool = False
    gic: str = "3"
    cpu: str = "cortex-a72"
    smp: int = 1

    @property
    def el(self):
        return 2 if self.virtualization else 1

    def __str__(self):
        return self.name


def payload(kernel, ramdisk, path, **how):
    """A FIT's bytes, and what shall come of them: nothing in flash stays there."""
    data = fit.simple(kernel, ramdisk, **how).make(path).read_bytes()
    return data, Payload(kernel, ramdisk)


def slot(data, sequence):
    return flash.slot_image(data, sequence, DATA)


def write_banks(directory, a, b):
    """The two banks, of which only what counts is in the files: erased blocks are where a header
    might be. None: a slot that nothing was ever written to."""
    for number, contents in enumerate(([(DATA["FLASH"], RESET.read_bytes())],
                                       [(DATA["SLOT_A"], a), (DATA["SLOT_B"], b)])):
        with open(directory / f"flash{number}.img", "wb") as file:
            file.truncate(DATA["FLASH_BANK"])
            for address, data in contents:
                file.seek(address % DATA["FLASH_BANK"])
                file.write(ERASED * BLOCK if data is None else data)


def board(reset, directory, a=None, b=None, **how):
    """A machine with these slots."""
    write_banks(directory, a, b)
    return Board(el=reset.el, cpu=reset.cpu, gic=reset.gic, secure=reset.secure, smp=reset.smp,
                 extra=flash_drives(directory), **how)


@contextmanager
def flashed(reset, expected, *where, **slots):
    """The same, not yet running; expected: the Payload that shall come of it."""
    with JudgedMachine(board(reset, *where, **slots), DATA["LOAD"]) as machine:
        start = Start(reset.name, reset.el, cpu=reset.cpu)
        yield Scene(machine, start, expected, called=True, stage_at=DATA["LOAD"])


def run(scene):
    """To the probe's end. There is no PSCI where nothing is left at EL3: the probe cannot power
    off."""
    last = "probe: done\r\n" if scene.machine.board.secure else None
    scene.run(last_line=last)
    return scene.report


def build():
    subprocess.run(["make", "-s", str(RESET.relative_to(abi.TOP))], cwd=abi.TOP, check=True)
