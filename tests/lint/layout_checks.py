# SPDX-License-Identifier: MIT
"""The shape of the linked image."""

import re
import struct

from check import Checks
from elf import PF_W, PF_X, PT_LOAD, SHF_ALLOC

CHECKS = Checks()

HEADER = struct.Struct("<2I6Q4sI")
HEADER_FLAGS = 0xA  # little-endian, 4 KiB pages, placement anywhere
PE_FILE_HEADER, PE_SECTION = 24, 40  # bytes
PE_EXECUTE, PE_WRITE = 1 << 29, 1 << 31
PAGE = 4096
PAGE_SYMBOLS = (
    "_text_end _rodata_end _image_file_end _stack_guard _stack_start _early_start _end".split()
)
PAGE_SECTIONS = ".text .rodata .data.rel.ro .bss".split()
VECTORS, VECTOR_ALIGN, VECTOR_SIZE = 16, 0x800, 0x80
R_AARCH64_RELATIVE = 1027
CONSTRUCTORS = re.compile(r"\.(pre)?(init|fini)(_array)?\b|\.[cd]tors\b")
BUDGET = 144 * 1024  # bytes of kexpress.bin


@CHECKS.add(
    "header",
    "Boot loaders place and start us by the arm64 Image header (Linux"
    " Documentation/arch/arm64/booting.rst).",
)
def header(stage):
    text = stage.elf.section(".text")
    code0, code1, offset, size, flags, *reserved, magic, pe = HEADER.unpack_from(
        stage.elf.content(text)
    )
    head = stage.elf.symbol("_head")
    wanted = {
        ".text": (text.address, 0),
        "_head": (head, 0),
        "ELF entry": (stage.elf.entry, head),
        "code0": (code0, 0xFA405A4D),  # CCMP x18, #0, #0xd, pl: "MZ"
        "code1": (code1, 0x14000000 | (stage.elf.symbol("enter") - head - 4) >> 2),  # B enter
        "text_offset": (offset, 0),
        "image_size": (size, stage.elf.symbol("_end") - head),
        "flags": (flags, HEADER_FLAGS),
        "reserved": (any(reserved), False),
        "magic": (int.from_bytes(magic, "little"), int.from_bytes(b"ARM\x64", "little")),
        "PE header": (pe, HEADER.size),
    }
    for name, (found, right) in wanted.items():
        if found != right:
            yield f"_head: {name} is {found:#x}, not {right:#x}"


@CHECKS.add(
    "pe-header",
    "EFI firmware loads us by it, refuses an image that ends before its last section, and protects"
    " memory by sections: none may be written and executed (Microsoft PE format).",
)
def pe_header(stage):
    data = stage.binary.read_bytes()
    symbol = stage.elf.symbol
    signature, machine, count, optional_size = struct.unpack_from("<4s2H12xH", data, HEADER.size)
    at = HEADER.size + PE_FILE_HEADER
    magic, entry, alignment, size, headers = struct.unpack_from("<H14xI12xI20x2I", data, at)
    wanted = {
        "signature": (int.from_bytes(signature, "little"), 0x4550),
        "machine": (machine, 0xAA64),
        "magic": (magic, 0x20B),
        "entry": (entry, symbol("efi_enter")),
        "alignment": (alignment, PAGE),
        "image size": (size, symbol("_end")),
        "headers": (headers, symbol("_pe_text_start")),
    }
    for name, (found, right) in wanted.items():
        if found != right:
            yield f"pe_header: {name} is {found:#x}, not {right:#x}"
    end = headers
    for i in range(count):
        name, size, address, raw_size, raw, flags = struct.unpack_from(
            "<8s4I12xI", data, at + optional_size + i * PE_SECTION
        )
        name = name.rstrip(b"\0").decode()
        if address != end or raw != address or address % PAGE:
            yield f"{name}: at {address:#x} and {raw:#x}, not {end:#x}"
        if raw + raw_size > len(data):
            yield f"{name}: ends beyond the file"
        if flags & PE_WRITE and flags & PE_EXECUTE:
            yield f"{name}: writable and executable"
        end = address + size
    if end != symbol("_end"):
        yield f"pe_header: sections end at {end:#x}"


@CHECKS.add(
    "vectors",
    "VBAR ignores its low 11 bits, and an entry longer than 0x80 bytes runs into the next one.",
)
def vectors(stage):
    base = stage.elf.symbol("vectors")
    if base % VECTOR_ALIGN:
        yield f"vectors: at {base:#x}, not aligned to {VECTOR_ALIGN:#x}"
    for entry in range(base, base + VECTORS * VECTOR_SIZE, VECTOR_SIZE):
        code = [i for i in stage.instructions if entry <= i.address < entry + VECTOR_SIZE]
        if not any(i.mnemonic in ("b", "eret") for i in code):
            yield f"vectors+{entry - base:#x}: does not end within {VECTOR_SIZE:#x} bytes"


@CHECKS.add(
    "write-xor-execute",
    "Our own map is W^X (SCTLR.WXN), one segment a protection.",
)
def write_xor_execute(stage):
    loads = [s for s in stage.elf.segments if s.type == PT_LOAD]
    for s in loads:
        if s.flags & PF_W and s.flags & PF_X:
            yield f"segment at {s.address:#x}: writable and executable"
    if sum(1 for s in loads if s.flags & PF_X) != 1:
        yield "program headers: not exactly one executable segment"


@CHECKS.add(
    "page-aligned",
    "Each block has its own protection in our tables, so each starts a page (linker.ld).",
)
def page_aligned(stage):
    for name in PAGE_SYMBOLS:
        if stage.elf.symbol(name) % PAGE:
            yield f"{name}: at {stage.elf.symbol(name):#x}"
    for name in PAGE_SECTIONS:
        if (section := stage.elf.section(name)) and section.address % PAGE:
            yield f"{name}: at {section.address:#x}"


@CHECKS.add(
    "relative-only",
    "start.c applies R_AARCH64_RELATIVE and skips the rest; and only what is writable until then"
    " can be relocated.",
)
def relative_only(stage):
    room = range(stage.elf.symbol("_rodata_end"), stage.elf.symbol("_image_file_end"))
    for r in stage.elf.relocations():
        if r.type != R_AARCH64_RELATIVE:
            yield f"{r.offset:#x}: relocation of type {r.type}"
        elif r.offset not in room:
            yield f"{r.offset:#x}: relocated outside .data.rel.ro and .data"


@CHECKS.add(
    "undefined",
    "ld turns a call of an undefined weak symbol into a NOP, and its address into anything, without"
    " a word and without a symbol in the result.",
)
def undefined(stage):
    for name in stage.elf.undefined():
        yield f"{name}: not defined"
    defined = stage.elf.defined()
    for path, o in stage.objects.items():
        for name in o.undefined(weak_only=True):
            if name not in defined:
                yield f"{path}: {name} is weak and not defined"


@CHECKS.add(
    "constructors",
    "Nobody runs constructors or destructors.",
)
def constructors(stage):
    for s in stage.elf.sections:
        if s.flags & SHF_ALLOC and s.size and CONSTRUCTORS.match(s.name):
            yield f"{s.name}: {s.size} bytes"


@CHECKS.add(
    "size",
    f"Growth is to be noticed: flash and the cache maintenance on entry pay for it. {BUDGET} bytes"
    " are enough.",
)
def size(stage):
    found = stage.binary.stat().st_size
    if found > BUDGET:
        yield f"{stage.binary}: {found} bytes"


@CHECKS.add(
    "elf-paths",
    "Paths of the machine that built it make an image that nobody can build again, and tell about"
    " its maker: -ffile-prefix-map is used.",
)
def elf_paths(stage):
    own = re.escape(str(stage.top.resolve()).encode())
    pattern = rb"(?<![\w.])(?:/(?:home|root|work)/|" + own + rb")[\x21-\x7e]*"
    for section in stage.elf.sections:
        for match in sorted(set(re.findall(pattern, stage.elf.content(section)))):
            yield f"{section.name}: {match.decode()}"
