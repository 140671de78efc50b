# SPDX-License-Identifier: MIT
"""A machine under lens: tests/qemu/machine.py with the plugin, and what it recorded."""

import os
import re
import subprocess
import sys
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "qemu"))

from abi import TOP  # noqa: E402
from machine import RAM_BASE, Machine  # noqa: E402

LENS = TOP / "build/lens/lens.so"
PROFILES = TOP / "tests/lens/profiles"
STAGE_AT = RAM_BASE + 0x200000  # where QEMU loads an Image


def symbols(elf, at=STAGE_AT):
    """Physical addresses by name, of an image linked to 0."""
    lines = subprocess.run(["aarch64-linux-gnu-nm", str(elf)], check=True, capture_output=True,
                           text=True).stdout.splitlines()
    return {name: at + int(value, 16) for value, _, name in
            (line.split() for line in lines if len(line.split()) == 3)}


class LensMachine(Machine):
    """options: the plugin's, but for those of the machine itself; marks: {name: address}."""

    def __init__(self, board, profile, marks=None, gdb=False, **options):
        super().__init__(board, gdb)
        self.profile = profile
        self.marks = marks or {}
        self.options = options

    def __enter__(self):
        with mock.patch.dict(os.environ, LD_PRELOAD=str(LENS)):
            return super().__enter__()

    def _arguments(self, path):
        self.log = path / "lens.log"
        options = [str(LENS), f"profile={PROFILES / self.profile}.profile", f"ram={path / 'ram'}",
                   f"ram_base={self.board.ram_base:#x}", f"log={self.log}", *(f"{key}={value}" for key, value in self.options.items()),
                   *(f"mark={name}:{at:#x}" for name, at in self.marks.items())]
        return super()._arguments(path) + ["-plugin", ",".join(options)]

    def record(self):
        """Lines of the log by their first word: each the values of its keys."""
        lines = {}
        for line in self.log.read_text().splitlines():
            word, _, rest = line.partition(" ")
            lines.setdefault(word, []).append(dict(re.findall(r"(\w+)=(\S+)", rest)))
        return lines

    def steps(self):
        """Modelled picoseconds by event; of one that came more than once, the first."""
        events = self.record()["event"]
        return {event["name"]: int(event["ps"]) for event in reversed(events)}
