# SPDX-License-Identifier: MIT
"""Hand-off blocks and entry lists (include/kexpress)."""

import struct
from dataclasses import dataclass, field

from abi import PAGE, constant, pages

DESTINATION = constant("KX_LIST_DESTINATION")
INDIRECTION = constant("KX_LIST_INDIRECTION")
DONE = constant("KX_LIST_DONE")
SOURCE = constant("KX_LIST_SOURCE")

EXEC = constant("KX_SEGMENT_EXEC")
POC = constant("KX_SEGMENT_POC")
KERNEL = constant("KX_SEGMENT_KERNEL")
INITRD = constant("KX_SEGMENT_INITRD")
CRC = constant("KX_SEGMENT_CRC")

PAGE_ENTRIES = PAGE // 8


def entries(copies):
    """The entries of (source, destination) pages; a destination only where the last one does not
    lead there."""
    result, at = [], None
    for source, destination in copies:
        if destination != at:
            result.append(destination | DESTINATION)
        result.append(source | SOURCE)
        at = destination + PAGE
    return result + [DONE]


def write_list(ram, entry_list, list_pages):
    """Writes entries to list_pages, linked in the order given, and returns the head. The last page
    used is filled only as far as needed."""
    room = PAGE_ENTRIES - 1
    chunks = [entry_list[i:i + room] for i in range(0, len(entry_list), room)]
    assert len(chunks) <= len(list_pages)
    for i, chunk in enumerate(chunks):
        if i + 1 < len(chunks):
            chunk = chunk + [list_pages[i + 1] | INDIRECTION]
        ram.write(list_pages[i], struct.pack(f"<{len(chunk)}Q", *chunk))
    return list_pages[0] | INDIRECTION


@dataclass
class Segment:
    destination: int
    file_size: int
    memory_size: int = 0
    flags: int = 0
    crc: int = 0

    def pack(self):
        return struct.pack("<3QII", self.destination, self.file_size,
                           max(self.memory_size, self.file_size), self.flags, self.crc)

    def range(self):
        size = pages(max(self.memory_size, self.file_size)) * PAGE
        return self.destination, self.destination + size


@dataclass
class Handoff:
    segments: list = field(default_factory=list)
    list_head: int = DONE
    entry: int = 0
    fdt: int = 0
    return_to: int = 0
    timing: int = 0
    keep_start: int = 0
    keep_end: int = 0
    flags: int = 0
    el: int = 0
    magic: int = constant("KX_HANDOFF_MAGIC")
    version: int = constant("KX_HANDOFF_VERSION")
    size: int = None
    segment_count: int = None
    ram: list = field(default_factory=list)  # (start, end)
    avoid: list = field(default_factory=list)
    ram_count: int = None
    reserved: int = 0

    def pack(self):
        ranges = [*self.ram, *self.avoid]
        size = (constant("KX_HANDOFF_OFF_SEGMENTS") +
                len(self.segments) * constant("KX_SEGMENT_SIZE") +
                len(ranges) * constant("KX_RANGE_SIZE"))
        count = len(self.segments) if self.segment_count is None else self.segment_count
        ram_count = len(self.ram) if self.ram_count is None else self.ram_count
        block = struct.pack("<Q4I7Q4I", self.magic, self.version,
                            size if self.size is None else self.size, self.flags, self.el,
                            self.list_head, self.entry, self.fdt, self.return_to, self.timing,
                            self.keep_start, self.keep_end, count, ram_count, len(self.avoid),
                            self.reserved)
        assert len(block) == constant("KX_HANDOFF_OFF_SEGMENTS")
        return (block + b"".join(segment.pack() for segment in self.segments) +
                b"".join(struct.pack("<2Q", *r) for r in ranges))
