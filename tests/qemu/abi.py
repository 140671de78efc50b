# SPDX-License-Identifier: MIT
"""The public ABI and the built image, read from where they are defined."""

import os
import re
import struct
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
OUT = TOP / os.environ.get("KEXPRESS_OUT", "build/virt")

STAGE = OUT / "kexpress.bin"
STAGE_ELF = OUT / "kexpress.elf"
PROBE = OUT / "tests/probe.bin"
CALLER = OUT / "tests/caller.bin"
CALLER_ELF = OUT / "tests/caller.elf"

PAGE = 4096
MIB = 1 << 20
GIB = 1 << 30


def _read(path):
    return (TOP / path).read_text()


def _constants(*paths):
    pattern = re.compile(r"^#define (\w+)[\s\\]+(0x[0-9a-f]+|\d+)\b", re.M)
    return {name: int(value, 0) for path in paths for name, value in pattern.findall(_read(path))}


def _xlist(path, pattern):
    return re.findall(r"^\t" + pattern, _read(path), re.M)


CONSTANTS = _constants(
    "include/kexpress/handoff.h",
    "include/kexpress/list.h",
    "include/kexpress/timing.h",
    "tests/qemu/caller/config.h",
)

# Name without E_, as in the header, to number.
ERRORS = {name: int(number) for name, number in
          _xlist("include/kexpress/error.h", r"X\((\w+), (\d+), ")}

# Member of struct kx_timing to property of /chosen/kexpress, in order.
TIMING = dict(_xlist("include/kexpress/timing.h", r"X\((\w+), \"([\w-]+)\"\)"))


# Consoles' models, in order.
CONSOLES = _xlist("src/payload/console_model.h", r"X\((\w+), ")


def constant(name):
    return CONSTANTS[name]


def pages(size):
    return -(-size // PAGE)


class Image:
    """An arm64 Image's header."""

    HEADER = struct.Struct("<2I3Q3Q2I")
    IMAGE_SIZE = 16
    FLAGS = 24

    def __init__(self, data):
        fields = self.HEADER.unpack_from(data)
        self.text_offset, self.memory_size, self.flags = fields[2:5]


class Symbols:
    """Symbols of an ELF file, by name."""

    SHT_SYMTAB = 2

    def __init__(self, path):
        self.data = Path(path).read_bytes()
        offset, = struct.unpack_from("<Q", self.data, 0x28)
        size, count = struct.unpack_from("<2H", self.data, 0x3a)
        self.sections = [struct.unpack_from("<2I4Q2I2Q", self.data, offset + i * size)
                         for i in range(count)]
        self.values = dict(self._symbols())

    def _symbols(self):
        for section in self.sections:
            if section[1] != self.SHT_SYMTAB:
                continue
            names = self.sections[section[6]][4]
            for at in range(section[4], section[4] + section[5], section[9]):
                name, _, _, _, value, _ = struct.unpack_from("<I2BH2Q", self.data, at)
                end = self.data.index(b"\0", names + name)
                yield self.data[names + name:end].decode(), value

    def __getitem__(self, name):
        return self.values[name]


def patched(stage, elf, functions):
    """The image, with code or data of other bytes by name."""
    symbols = Symbols(elf)
    image = bytearray(stage.read_bytes())
    for name, code in functions.items():
        image[symbols[name]:symbols[name] + len(code)] = code
    return bytes(image)
