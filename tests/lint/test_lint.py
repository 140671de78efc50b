# SPDX-License-Identifier: MIT
"""Each check can fail: good.S passes all, and with one fault put in, the check for it finds it."""

import pathlib
import subprocess

import pytest

import code_checks
import layout_checks
import mmu_off_checks
import source_checks
from stage import Stage, parse_disassembly

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]
CROSS = "aarch64-linux-gnu-"
STAGE_CHECKS = code_checks.CHECKS + mmu_off_checks.CHECKS + layout_checks.CHECKS
SOURCES = ("good.S", "good_c.S", "good_rest.S")
C_OBJECTS = (
    "engine/boot_map engine/el3 engine/features engine/gic_secure engine/regime engine/relocate"
    " xlat/geometry xlat/xlat"
).split()


def run(*command):
    subprocess.run([str(word) for word in command], check=True)


def assemble(text, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    source = path.with_suffix(".S")
    source.write_text(text)
    run(CROSS + "as", "-march=armv8.6-a+sve+memtag", "-I", path.parent, "-o", path, source)
    return path


def build(top, files):
    """A stage of the good files and linker.ld, with what was put into them."""
    obj = top / "build/obj"
    (top / "linker.ld").write_text(files["linker.ld"])
    (obj / "asm").mkdir(parents=True)
    (obj / "asm/pe_header.inc").write_text(files["pe_header.inc"])
    objects = [assemble(files["good.S"], obj / "asm/good.o")]
    objects += [assemble(files["good_c.S"], obj / f"src/{name}.o") for name in C_OBJECTS]
    objects += [assemble(files["good_rest.S"], obj / "src/rest.o")]
    elf = top / "build/kexpress.elf"
    flags = "-static -pie --no-dynamic-linker -z norelro -z noexecstack --no-warn-rwx-segments"
    run(CROSS + "ld", *flags.split(), "-T", top / "linker.ld", "-o", elf, *objects)
    run(CROSS + "objcopy", "-O", "binary", elf, elf.with_suffix(".bin"))
    return Stage(elf, top)


def good_files():
    files = {name: (HERE / name).read_text() for name in SOURCES}
    files["linker.ld"] = (TOP / "linker.ld").read_text()
    files["pe_header.inc"] = (TOP / "asm/pe_header.inc").read_text()
    return files


def findings(checks, name, subject):
    return list(next(check for check in checks if check.name == name).find(subject))


def test_good(tmp_path):
    stage = build(tmp_path, good_files())
    assert {c.name: list(c.find(stage)) for c in STAGE_CHECKS} == {c.name: [] for c in STAGE_CHECKS}


# Check, where in the good files the fault goes, the fault, what the finding names.
FAULTS = [
    ("set-way", "@start", "dc isw, x0", "start+0x10: dc isw, x0"),
    ("set-way", "@enter", "dc csw, x0", "enter+0x14: dc csw, x0"),
    ("set-way", "@enter", "dc cisw, x0", "dc cisw"),
    ("set-way", "@enter", "dc cigdsw, x0", "dc cigdsw"),
    ("invalidate-only", "@start", "dc ivac, x0", "start+0x10: dc ivac, x0"),
    ("invalidate-only", "@enter", "dc igvac, x0", "enter"),
    ("feature-read", "@start", "mrs x0, ctr_el0", "start+0x10: mrs x0, ctr_el0"),
    ("feature-read", "@jump", "mrs x9, dczid_el0", "jump+0x4: mrs x9, dczid_el0"),
    ("silent-stop", "@start", "b .", "start+0x10: b"),
    ("silent-stop", "@start", "cbz x0, .", "start+0x10: cbz x0"),
    ("sctlr-to-branch", "@jump", "str x0, [sp]", "jump+0x4: str x0, [sp]"),
    ("sctlr-to-branch", "@jump", "dc zva, x0", "jump+0x4"),
    ("sctlr-to-branch", "@jump", "bl enter", "jump+0x4: bl"),
    ("sctlr-to-branch", "@jump_after", "ret", "jump: does not end in br"),
    ("sctlr-to-branch", "@jump_el1", "ldp x0, x1, [sp], #16", "jump_el1+0x4"),
    ("sctlr-to-branch", "@jump_el1", "cas x0, x1, [x2]", "jump_el1+0x4"),
    ("sctlr-to-branch", "@return_to_caller", "ldrb w0, [x1]", "return_to_caller+0x8"),
    ("sctlr-to-branch", "@secondary_leave", "ldr x0, [x20]", "secondary_leave+0x4"),
    ("sctlr-to-branch", "@mmu_switch", "ldr x0, [x1]", "mmu_switch+0x4"),
    ("off-simd", "@enter", "ldr q0, [x0]", "enter+0x14: ldr q0, [x0]"),
    ("off-simd", "@enter", "movi v31.2d, #0", "enter"),
    ("off-simd", "@enter", "st1 {v0.16b-v3.16b}, [x0]", "enter"),
    ("off-simd", "@enter", "fmov d0, x0", "enter"),
    ("off-simd", "@enter", "ldr b0, [x0]", "enter"),
    ("off-simd", "@enter", "ptrue p0.b", "enter"),
    ("off-simd", "@enter", "mov z1.d, #0", "enter"),
    ("off-exclusive", "@enter", "ldxr w0, [x1]", "enter+0x14: ldxr w0, [x1]"),
    ("off-exclusive", "@enter", "ldaxrb w0, [x1]", "enter"),
    ("off-exclusive", "@enter", "stlxp w0, x1, x2, [x3]", "enter"),
    ("off-exclusive", "@enter", "casal x0, x1, [x2]", "enter"),
    ("off-exclusive", "@enter", "ldaddal x0, x1, [x2]", "enter"),
    ("off-exclusive", "@enter", "stumin w0, [x2]", "enter"),
    ("off-exclusive", "@enter", "swp w0, w1, [x2]", "enter"),
    ("off-zva", "@enter", "dc zva, x0", "enter+0x14: dc zva, x0"),
    ("off-zva", "@enter", "dc gzva, x0", "enter"),
    ("off-alignment", "@enter", "ldur x0, [x1, #4]", "enter+0x14: ldur x0, [x1, #4]"),
    ("off-alignment", "@enter", "stur w0, [sp, #-2]", "enter"),
    ("off-alignment", "@enter", "ldr x0, [x1], #12", "enter"),
    ("off-alignment", "@enter", "strh w0, [x1, #3]!", "enter"),
    ("off-alignment", "@enter", "ldursw x0, [x1, #2]", "enter"),
    ("off-alignment", "@enter", "ldp x0, x1, [x2], #8\n ldur x0, [x1, #-1]", "enter+0x18"),
    ("off-alignment", "@enter", "ldr x0, 1f\n nop\n b 2f\n1: .quad 0\n2:", "enter+0x14"),
    ("off-alignment", "@enter", "ld1 {v0.16b}, [x0]", "enter"),
    ("off-calls", "@secondary_enter", "bl secondary_main", "secondary_enter+0x0"),
    ("off-stack", "@enter", "sub sp, sp, #8", "enter+0x14: sub sp, sp, #0x8"),
    ("off-stack", "@enter", "stp x0, x1, [sp, #-24]!", "enter"),
    ("off-stack", "@enter", "ldr x0, [sp], #8", "enter"),
    ("off-calls", "@enter", "bl start", "enter+0x14: bl"),
    ("off-calls", "@enter", "b start", "enter+0x14: b"),
    ("off-calls", "@before", "b start", "jump+0x0: b"),
    ("off-calls", "@before", "tbz x0, #1, start", "jump"),
    ("off-indirect", "@enter", "br x0", "enter+0x14: br x0"),
    ("off-indirect", "@enter", "blr x0", "enter"),
    ("off-indirect", "@exception", "br x0", "exception"),
    ("off-indirect", "@enter", "eret", "enter"),
    ("off-relocation", "@enter", "adrp x0, :got:start", "asm/good.o: .text.early.enter+0x14"),
    ("vectors", "@vector", ".rept 32\n nop\n .endr", "vectors+0x0: does not end"),
    ("relative-only", "@data", ".type f, %gnu_indirect_function\nf: .data\n .quad f", "type 1032"),
    ("undefined", "@start", ".weak nobody\n bl nobody", "src/rest.o: nobody"),
    ("constructors", "@data", '.section .init_array, "aw"\n .quad start', ".init_array: 8 bytes"),
    ("size", "@data", ".data\n .fill 0x24000", "kexpress.bin: "),
    ("elf-paths", "@data", '.section .rodata\n .asciz "file:/hom' 'e/me/main.c"', ".rodata: /ho"),
]


@pytest.mark.parametrize("name, place, fault, where", FAULTS)
def test_fault(tmp_path, name, place, fault, where):
    files = good_files()
    place = f"/* {place} */"
    file = next(file for file, text in files.items() if place in text)
    files[file] = files[file].replace(place, fault)
    assert any(where in found for found in findings(STAGE_CHECKS, name, build(tmp_path, files)))


# Check, file, what is replaced in it, by what, what the finding names.
CHANGES = [
    ("sctlr-to-branch", "good.S", "msr\tsctlr_el2, x5", "nop", "jump_el1: no SCTLR write"),
    ("off-relocation", "good_c.S", "/* @constant */", ".quad start", ".rodata.c_constant+0x0"),
    ("off-relocation", "good_c.S", "/* @text */", "ldr x0, =_head", ".text.c_function+0x10"),
    ("off-relocation", "good_c.S", "/* @text */", "ldr x0, [x0, :got_lo12:_head]", "on+0x8"),
    ("off-references", "good_c.S", "/* @text */", "adrp x0, start", "refers to start"),
    ("header", "good.S", '"ARM\\x64"', '"ARM\\x65"', "magic"),
    ("header", "good.S", "_end - _head", "_end - _head - 8", "image_size"),
    ("header", "good.S", ".quad\t0xa", ".quad\t0xb", "flags"),
    ("header", "good.S", "b\tenter", "b\tstart", "code1"),
    ("header", "good.S", "#0xd, pl", "#0xd, mi", "code0"),
    ("header", "good.S", "pe_header - _head", "0", "PE header"),
    ("header", "good.S", ".quad\t0, 0, 0", ".quad\t0, 1, 0", "reserved"),
    ("header", "linker.ld", ". = 0;", ". = 4096;", ".text"),
    ("header", "linker.ld", "ENTRY(_head)", "ENTRY(enter)", "ELF entry"),
    ("pe-header", "pe_header.inc", "efi_enter", "enter", "entry"),
    ("pe-header", "pe_header.inc", "_end - _head", "_bss_end - _head", "image size"),
    ("pe-header", "pe_header.inc", "0xaa64", "0x8664", "machine"),
    ("pe-header", "pe_header.inc", "0x60000020", "0xe0000020", ".text: writable"),
    ("pe-header", "linker.ld", "(_pe_file_end", "(_image_file_end", ".data: ends beyond"),
    ("pe-header", "linker.ld", "(_end - _rodata_end)", "(_bss_end - _rodata_end)", "sections end"),
    ("vectors", "good.S", ".balign 0x800", ".balign 0x400", "not aligned"),
    ("write-xor-execute", "linker.ld", "FLAGS(5)", "FLAGS(7)", "writable and executable"),
    ("write-xor-execute", "linker.ld", "FLAGS(4)", "FLAGS(5)", "not exactly one"),
    ("page-aligned", "linker.ld", ". = ALIGN(4096);\n\t_text_end", "_text_end", "_text_end: at"),
    ("page-aligned", "linker.ld", ". = ALIGN(4096);\n\t_text_end", "_text_end", ".rodata: at"),
    ("relative-only", "linker.ld", "*(.rodata ", "*(.data.rel.ro .rodata ", "relocated outside"),
]


@pytest.mark.parametrize("name, file, old, new, where", CHANGES)
def test_change(tmp_path, name, file, old, new, where):
    files = good_files()
    assert old in files[file]
    files[file] = files[file].replace(old, new)
    assert any(where in found for found in findings(STAGE_CHECKS, name, build(tmp_path, files)))


def test_missing_object(tmp_path):
    stage = build(tmp_path, good_files())
    (tmp_path / "build/obj/src/xlat/xlat.o").unlink()
    with pytest.raises(LookupError, match="xlat.o"):
        findings(STAGE_CHECKS, "off-relocation", stage)


def test_every_check_is_seen_failing():
    tested = {fault[0] for fault in FAULTS} | {change[0] for change in CHANGES}
    assert tested == {check.name for check in STAGE_CHECKS}
    assert {fault[0] for fault in TREE_FAULTS} == {c.name for c in source_checks.CHECKS}


def test_data_is_not_code():
    text = "0 <f>:\n   0:\tb\t0 <f>\n   4:\t.word\t0x14000000\n   8:\tmov\tx0, #0x1 \t// #1\n"
    assert [str(i) for i in parse_disassembly(text)] == ["f+0x0: b", "f+0x8: mov x0, #0x1"]


GOOD_FILE = "/* SPDX-License-Identifier: MIT */\n"
LONG_FUNCTION = "int f(void)\n{\n" + "\tg();\n" * 59 + "}\n"

# Check, file, its content after the licence, what the finding names; "": what is just allowed.
TREE_FAULTS = [
    ("spdx", "src/a/b.c", None, "src/a/b.c:1"),
    ("spdx", "docs/a.md", None, ""),
    ("clang-format", "src/a/b.c", "int f( void );\n", "src/a/b.c:2"),
    ("clang-format", "asm/b.h", "int f( void );\n", ""),
    ("unfinished", "asm/b.S", "\n/* TO" "DO: more */\n", "asm/b.S:3: TO" "DO"),
    ("unfinished", "Makefile", "# FIX" "ME\n", "Makefile:2"),
    ("build-paths", "tests/a.py", "open('/hom" "e/me/x')\n", "tests/a.py:2: /ho"),
    ("build-paths", "tests/a.py", "open('build/ho" "me/x', src/wo" "rk/x)\n", ""),
    ("mirrors", ".ci/run", "curl http://deb.debi" "an.org/debian\n", ".ci/run:2"),
    ("mirrors", ".ci/run", "pip -i https://pypi-prox" "y.corp.example.com\n", ".ci/run:2"),
    ("mirrors", ".ci/run", "curl http://127.0.0." "1:8000/\n", ".ci/run:2"),
    ("mirrors", "README", "https://docs.kernel.org/cache.html\n", ""),
    ("file-length", "src/a/b.c", "\n" * 500, "src/a/b.c:501"),
    ("file-length", "src/a/b.c", "\n" * 499, ""),
    ("function-length", "src/a/b.c", LONG_FUNCTION, "src/a/b.c:3: f has 61 lines"),
    ("function-length", "src/a/b.c", LONG_FUNCTION.replace("\tg();\n", "", 1), ""),
]


@pytest.mark.parametrize("name, path, text, where", TREE_FAULTS)
def test_tree(tmp_path, name, path, text, where):
    (tmp_path / ".clang-format").write_text(
        f"# {source_checks.SPDX}\n" + (TOP / ".clang-format").read_text()
    )
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_text("" if text is None else GOOD_FILE + text)
    found = findings(source_checks.CHECKS, name, source_checks.Tree(tmp_path))
    assert len(found) == bool(where) and all(f.startswith(where) for f in found)
