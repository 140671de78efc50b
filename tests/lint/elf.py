# SPDX-License-Identifier: MIT
"""As much of ELF64, little-endian, as the checks look at."""

import struct
from typing import NamedTuple

PT_LOAD = 1
PF_X, PF_W = 1, 2
SHT_SYMTAB, SHT_RELA, SHT_NOBITS = 2, 4, 8
SHF_ALLOC = 2
SHN_UNDEF = 0
STB_WEAK = 2


class Section(NamedTuple):
    name: object  # offset in the string table, until the reader replaces it
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    align: int
    entry_size: int


class Segment(NamedTuple):
    type: int
    flags: int
    offset: int
    address: int
    physical: int
    file_size: int
    memory_size: int
    align: int


class Symbol(NamedTuple):
    name: object
    info: int
    other: int
    section: int
    value: int
    size: int


class Relocation(NamedTuple):
    section: str  # that it applies to
    offset: int
    type: int
    symbol: int
    addend: int


def _string(table, offset):
    return table[offset : table.index(b"\0", offset)].decode()


class Elf:
    def __init__(self, data):
        self.data = data
        (_, _, _, self.entry, segments, sections, _, _, segment_size, segment_count, section_size,
         section_count, names) = struct.unpack_from("<2HI3QI6H", data, 16)
        self.segments = self._table("<2I6Q", Segment, segments, segment_size * segment_count)
        raw = self._table("<2I4Q2I2Q", Section, sections, section_size * section_count)
        table = self.content(raw[names])
        self.sections = [s._replace(name=_string(table, s.name)) for s in raw]
        self.symbols = self._symbols()

    def _table(self, layout, row, offset, size):
        return [row(*values) for values in struct.iter_unpack(layout, self.data[offset:][:size])]

    def _symbols(self):
        for section in self.sections:
            if section.type == SHT_SYMTAB:
                table = self.content(self.sections[section.link])
                rows = self._table("<I2BH2Q", Symbol, section.offset, section.size)
                return [s._replace(name=_string(table, s.name)) for s in rows]
        return []

    def content(self, section):
        if section.type == SHT_NOBITS:
            return b""
        return self.data[section.offset : section.offset + section.size]

    def section(self, name):
        return next((s for s in self.sections if s.name == name), None)

    def symbol(self, name):
        """The value of a symbol that must be there."""
        for symbol in self.symbols:
            if symbol.name == name and symbol.section != SHN_UNDEF:
                return symbol.value
        raise KeyError(f"no symbol {name}")

    def defined(self):
        return {s.name for s in self.symbols if s.section != SHN_UNDEF}

    def undefined(self, weak_only=False):
        """Names that are referred to and not defined."""
        undefined = [s for s in self.symbols if s.section == SHN_UNDEF and s.name]
        return [s.name for s in undefined if s.info >> 4 == STB_WEAK or not weak_only]

    def relocations(self):
        for section in self.sections:
            if section.type != SHT_RELA:
                continue
            target = self.sections[section.info]
            for offset, info, addend in struct.iter_unpack("<2Qq", self.content(section)):
                yield Relocation(target.name, offset, info & 0xFFFFFFFF, info >> 32, addend)
