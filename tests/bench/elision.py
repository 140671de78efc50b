# SPDX-License-Identifier: MIT
"""
What it saves to leave a payload where it is: kexpress is started as a kernel, with a FIT as its
initrd, the ramdisk before the kernel. Without hashes, as the hand-off of relocation.py has none.
"""

import tempfile
from pathlib import Path

import relocation  # first, as it says where the others are

import machine_lens
from fit import Fit, Part
from machine import Board

# Of the parts in the FIT. A kernel may stay at a multiple of 2 MiB, a ramdisk at any page.
ALIGNMENTS = {"fit-2m": "0x200000", "fit-4k": "0x1000"}


def write_fit(path, case):
    kernel = relocation.kernel_image(case.kernel_bytes).ljust(case.kernel_bytes, b"\0")
    parts = {"ramdisk": Part(bytes(case.bytes - case.kernel_bytes), "ramdisk", ()),
             "kernel": Part(kernel, "kernel", ())}
    arguments = ("-E", "-B", ALIGNMENTS[case.list])
    Fit(parts, {"conf": {name: name for name in parts}}, arguments).make(path)


def relocate(image, case):
    """Runs the case; returns its record."""
    with tempfile.TemporaryDirectory() as directory:
        fit = Path(directory) / "fit"
        write_fit(fit, case)
        board = Board(el=2, cpu=relocation.CPUS[case.profile], ram=case.ram, smp=case.cpus,
                      kernel=image, initrd=fit, **relocation.HOW)
        return relocation.measure(image, case, board, machine_lens.STAGE_AT)
