# SPDX-License-Identifier: MIT
"""Debian's U-Boot, and what one types."""

import subprocess

from abi import GIB, MIB, TOP
from machine import RAM_BASE, Board, flash_drives

BINARY = TOP / "build/deps/arm64/u-boot-qemu/usr/lib/u-boot/qemu_arm64/u-boot.bin"
RAM = GIB
AT = RAM_BASE + RAM - 2 * MIB  # and up, once it has moved itself
# What lens finds in U-Boot itself (docs/lens.md).
FINDINGS = ("fetch-stale", "maintenance-incomplete", "set-way")
BUDGET = 200  # seconds; under lens it takes about ten to its prompt
PROMPT = "=> "


def wrap(payload, wrapped):
    """As a ramdisk of U-Boot's, which would open a bare FIT by itself."""
    subprocess.run(["mkimage", "-A", "arm64", "-T", "ramdisk", "-C", "none", "-d", payload, wrapped],
                   check=True, capture_output=True, timeout=BUDGET)


def board(el, files, flash=None, **how):
    """files: {address: file that is in memory when U-Boot starts}. flash: folder with flash0.img,
    which starts with U-Boot, and flash1.img, which keep what it writes; without, it is in a ROM."""
    extra = flash_drives(flash, keep=True) if flash else ["-bios", str(BINARY)]
    for at, path in files.items():
        extra += ["-device", f"loader,file={path},addr={at:#x},force-raw=on"]
    return Board(el=el, gic="2", ram=RAM, extra=extra, **how)


def prompt(machine):
    machine.start()
    machine.expect("Hit any key", BUDGET)
    command(machine, "")


def command(machine, line):
    """What it prints."""
    asked = len(machine.console)
    machine.send(line + "\n")
    machine.expect(PROMPT, BUDGET, since=asked)
    return machine.console[asked:]
