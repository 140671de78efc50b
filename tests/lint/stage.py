# SPDX-License-Identifier: MIT
"""A built stage: its ELF file, the objects and the binary image beside it, its disassembly."""

import functools
import pathlib
import re
import subprocess
from typing import NamedTuple, Optional

from elf import Elf

OBJDUMP = "aarch64-linux-gnu-objdump"
LABEL = re.compile(r"([0-9a-f]+) <(.+)>:$")
LINE = re.compile(r"\s*([0-9a-f]+):\t(\S+)\s*([^/]*)")
TARGET = re.compile(r"\b([0-9a-f]+) <[^>]*>")


class Instruction(NamedTuple):
    address: int
    mnemonic: str
    operands: str  # without the target
    target: Optional[int]  # of a branch, of ADR, ADRP and literal loads
    function: str
    offset: int  # in the function

    @property
    def is_padding(self):
        return self.mnemonic in ("udf", "nop")

    @property
    def branch_target(self):
        """Of a direct branch or call."""
        return self.target if self.mnemonic[:2] in ("b", "bl", "b.", "cb", "tb") else None

    def __str__(self):
        return f"{self.function}+{self.offset:#x}: {self.mnemonic} {self.operands}".rstrip()


def parse_disassembly(text):
    """Instructions only: what the mapping symbols mark as data begins with a dot."""
    function, start = "?", 0
    for line in text.splitlines():
        if label := LABEL.match(line):
            start, function = int(label[1], 16), label[2]
        elif (match := LINE.match(line)) and not match[2].startswith("."):
            address = int(match[1], 16)
            target = TARGET.search(match[3])
            yield Instruction(
                address,
                match[2],
                TARGET.sub("", match[3]).rstrip(", "),
                int(target[1], 16) if target else None,
                function,
                address - start,
            )


class Stage:
    def __init__(self, path, top):
        self.path = pathlib.Path(path)
        self.top = pathlib.Path(top)
        self.elf = Elf(self.path.read_bytes())
        self.binary = self.path.with_suffix(".bin")
        self.mmu_off = range(
            self.elf.symbol("_mmu_off_text_start"), self.elf.symbol("_mmu_off_text_end")
        )

    @functools.cached_property
    def instructions(self):
        command = [OBJDUMP, "-d", "--no-show-raw-insn", self.path]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return list(parse_disassembly(text))

    @functools.cached_property
    def mmu_off_instructions(self):
        return [i for i in self.instructions if i.address in self.mmu_off]

    @functools.cached_property
    def objects(self):
        """Our own objects, by path below obj/."""
        root = self.path.parent / "obj"
        return {str(p.relative_to(root)): Elf(p.read_bytes()) for p in sorted(root.rglob("*.o"))}

    def function(self, name):
        return [i for i in self.instructions if i.function == name]
