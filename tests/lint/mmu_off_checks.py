# SPDX-License-Identifier: MIT
"""What code that runs with the MMU off may not be or do. Memory is Device-nGnRnE to it."""

import re

from check import Checks
from code_checks import MEMORY
from elf import SHF_ALLOC

CHECKS = Checks()

REGISTER = re.compile(r"[vqdshbz]\d+(\.\d*[bhsdq])?\b|p\d+(\.[bhsd]|/[mz])?\b")
EXCLUSIVE = re.compile(
    r"(ld|st)[al]?x[rp]|cas|swp|(ld|st)(add|clr|eor|set|[su]max|[su]min)|rcw|(ld|st)64"
)
PLAIN = re.compile(r"(?:ldu?r|stu?r|ldtr|sttr|ldn?p|stn?p|ldar|stlr)(sb|sh|sw|b|h)?$")
SUFFIX_SIZE = {"sb": 1, "b": 1, "sh": 2, "h": 2, "sw": 4}
REGISTER_SIZE = {"b": 1, "h": 2, "s": 4, "w": 4, "d": 8, "x": 8, "q": 16}
OFFSET = re.compile(r"\[\w+, #(-?\w+)\]|\], #(-?\w+)")
STACK_POINTER = re.compile(
    r"(?:add|sub) sp, \w+, #(\w+)|.*\[sp, #(-?\w+)\]!|.*\[sp\], #(-?\w+)"
)
STACK_ALIGN = 16

# Functions whose last instruction leaves by a branch, with the reason.
LEAVES = {
    "enter": ("start", "the MMU is on"),
    "secondary_enter": ("secondary_main", "the MMU is on"),
}
# Functions whose business an indirect branch is. RET is everybody's.
INDIRECT = {
    ("jump", "br"): "to the next kernel",
    ("return_to_caller", "br"): "to who handed over to us",
    ("jump_el1", "eret"): "to the next kernel, at EL1",
    ("landing_code", "br"): "from the landing page to our image",
    ("secondary_leave", "br"): "back to the landing page",
    ("landing_gone", "br"): "to the next kernel, which releases the core",
    ("leave_el3", "eret"): "to the level that we go on at",
    ("exception", "eret"): "from an SError that was taken on purpose",
}
INDIRECT_BRANCH = re.compile(r"blr|br|eret|drps")

R_AARCH64_ABS64 = 257
GOT_RELOCATIONS = range(300, 314)  # R_AARCH64_MOVW_GOTOFF_G0 to R_AARCH64_LD64_GOTPAGE_LO15
OFF_OBJECT = re.compile(r"\*(\w+\.o)\(")  # in linker.ld, within the MMU-off text


@CHECKS.add(
    "off-simd",
    "SIMD and FP may trap before CPACR is set, and compilers use them for accesses that Device"
    " memory does not allow (Zephyr #118671, circle #388).",
)
def simd(stage):
    for i in stage.mmu_off_instructions:
        if any(REGISTER.match(word) for word in re.findall(r"(?<![#\w])\w+[\w./]*", i.operands)):
            yield str(i)


@CHECKS.add(
    "off-exclusive",
    "Exclusives and atomics on Device memory never succeed, fault or lie (rust-raspberrypi #137,"
    " swift_os #167).",
)
def exclusive(stage):
    for i in stage.mmu_off_instructions:
        if EXCLUSIVE.match(i.mnemonic):
            yield str(i)


@CHECKS.add(
    "off-zva",
    "DC ZVA on Device memory is an alignment fault (Arm ARM, DC ZVA), which QEMU does not raise.",
)
def zva(stage):
    for i in stage.mmu_off_instructions:
        if i.mnemonic == "dc" and "zva" in i.operands:
            yield str(i)


def access_size(instruction):
    suffix = PLAIN.match(instruction.mnemonic)[1]
    return SUFFIX_SIZE.get(suffix) or REGISTER_SIZE[instruction.operands[0]]


def misaligned(i):
    size = access_size(i)
    offsets = [int(a or b, 0) for a, b in OFFSET.findall(i.operands)]
    if i.target is not None:  # a literal
        offsets.append(i.target)
    return any(offset % size for offset in offsets)


@CHECKS.add(
    "off-alignment",
    "Device memory faults on unaligned access, so offsets are multiples of the access size and no"
    " instruction is used whose size is unknown here (kexec-tools 1b03cf7).",
)
def alignment(stage):
    for i in stage.mmu_off_instructions:
        if MEMORY.match(i.mnemonic) and (not PLAIN.match(i.mnemonic) or misaligned(i)):
            yield str(i)


@CHECKS.add(
    "off-stack",
    "sp moves in multiples of 16, else the next access through it faults (SCTLR.SA).",
)
def stack(stage):
    for i in stage.mmu_off_instructions:
        match = STACK_POINTER.match(f"{i.mnemonic} {i.operands}")
        if match and any(int(step, 0) % STACK_ALIGN for step in match.groups() if step):
            yield str(i)


@CHECKS.add(
    "off-calls",
    "What is called with the MMU off must be built for it; the rest of the image, the C library"
    " too, makes unaligned and SIMD accesses.",
)
def calls(stage):
    last = {i.function: i for i in stage.mmu_off_instructions if not i.is_padding}
    leaves = {(last[f].address, "b", stage.elf.symbol(to)) for f, (to, _) in LEAVES.items()}
    for i in stage.mmu_off_instructions:
        to = i.branch_target
        outside = to is not None and to not in stage.mmu_off
        if outside and (i.address, i.mnemonic, to) not in leaves:
            yield f"{i} {to:#x}"


@CHECKS.add(
    "off-indirect",
    "Jump tables and function pointers may be read before they are relocated; only jumps that are"
    " a function's business are indirect.",
)
def indirect(stage):
    for i in stage.mmu_off_instructions:
        if INDIRECT_BRANCH.match(i.mnemonic) and (i.function, i.mnemonic) not in INDIRECT:
            yield str(i)


def mmu_off_objects(stage):
    """Objects with code that runs with the MMU off: those linker.ld names, and all assembly."""
    named = OFF_OBJECT.findall((stage.top / "linker.ld").read_text())
    found = {path: o for path, o in stage.objects.items() if path.split("/")[-1] in named}
    missing = set(named) - {path.split("/")[-1] for path in found}
    if missing or not named:
        raise LookupError(f"objects of linker.ld not found beside {stage.path}: {missing}")
    return found, {path: o for path, o in stage.objects.items() if path.startswith("asm/")}


@CHECKS.add(
    "off-relocation",
    "Absolute addresses and the GOT are not relocated yet when the first map is built: gcc once"
    " made a table of them out of an initialiser with several &symbol, and the map was built at"
    " address 0.",
)
def relocation(stage):
    c_objects, asm_objects = mmu_off_objects(stage)
    for path, o in {**c_objects, **asm_objects}.items():
        loaded = {s.name for s in o.sections if s.flags & SHF_ALLOC}
        for r in o.relocations():
            forbidden = r.type == R_AARCH64_ABS64 or r.type in GOT_RELOCATIONS
            if forbidden and r.section in loaded:
                name = o.symbols[r.symbol].name
                yield f"{path}: {r.section}+{r.offset:#x}: relocation {r.type} against {name}"


@CHECKS.add(
    "off-references",
    "C that runs with the MMU off refers to code built like it and to addresses of linker.ld: what"
    " other objects define may hold absolute addresses, not relocated yet.",
)
def references(stage):
    c_objects, _ = mmu_off_objects(stage)
    script = (stage.top / "linker.ld").read_text()
    for path, o in c_objects.items():
        for name in o.undefined():
            made = re.search(rf"\b{name} = \.;", script)
            if not made and stage.elf.symbol(name) not in stage.mmu_off:
                yield f"{path}: refers to {name}"
