# SPDX-License-Identifier: MIT
"""What no instruction of the image may be or do: our own and the libraries'."""

import re

from check import Checks

CHECKS = Checks()

SET_WAY = re.compile(r"(i|c|ci)(g|gd)?sw\b")
INVALIDATE = re.compile(r"i(g|gd)?vac\b")
MEMORY = re.compile(r"ld|st|cas|swp|cpy|setg?[pme]")
SCTLR_WRITE = re.compile(r"sctlr_el[123],")

FEATURE_READ = re.compile(r"\w+, (ctr|dczid)_el0")
# Before the instructions that hold these values are patched, and where they are; where other cores
# are compared; and the C library, which is not in the hot path.
FEATURE_READERS = ("boot_map", "efi_clean", "enter", "leave_el3", "patch_features",
                   "landing_features", "landing_code", "memset")

# From the SCTLR write to their end these keep to registers.
REGISTERS_ONLY = {
    "jump": "br",
    "jump_el1": "eret",
    "return_to_caller": "br",
    "mmu_switch": "ret",
    "secondary_leave": "br",
}


@CHECKS.add(
    "set-way",
    "Set/way operations miss other cores' caches and system caches, and hypervisors trap or break"
    " them (U-Boot 46dc5428703, seL4 PR #1620).",
)
def set_way(stage):
    for i in stage.instructions:
        if i.mnemonic == "dc" and SET_WAY.match(i.operands):
            yield str(i)


@CHECKS.add(
    "invalidate-only",
    "DC IVAC loses what is dirty in a line (hvisor PR #312). Only move_uncached needs it, on"
    " destination pages that it overwrites whole.",
)
def invalidate_only(stage):
    for i in stage.instructions:
        if i.mnemonic == "dc" and INVALIDATE.match(i.operands) and i.function != "move_uncached":
            yield str(i)


@CHECKS.add(
    "feature-read",
    "What depends on line size, DC ZVA or DIC is patched once (include/arm64/patch.h): the hot path"
    " tests nothing, and such a read may trap to a hypervisor.",
)
def feature_read(stage):
    for i in stage.instructions:
        if i.mnemonic == "mrs" and FEATURE_READ.match(i.operands):
            if i.function not in FEATURE_READERS:
                yield str(i)


@CHECKS.add(
    "silent-stop",
    "A branch to itself stops without a word; crash_end says what happened and ends as"
    " kexpress.onerror says.",
)
def silent_stop(stage):
    for i in stage.instructions:
        if i.branch_target == i.address:
            yield str(i)


def touches_memory(instruction):
    return MEMORY.match(instruction.mnemonic) or (
        instruction.mnemonic == "dc" and "zva" in instruction.operands
    )


@CHECKS.add(
    "sctlr-to-branch",
    "From the SCTLR write that turns the MMU off, stack and data lie in caches that are no longer"
    " looked at: only registers, no call, and the final branch (coreboot e0058e89, barebox"
    " 09ff2fb801).",
)
def sctlr_to_branch(stage):
    for name, last in REGISTERS_ONLY.items():
        body = stage.function(name)
        writes = [i.offset for i in body if i.mnemonic == "msr" and SCTLR_WRITE.match(i.operands)]
        if not writes:
            yield f"{name}: no SCTLR write found"
            continue
        off = [i for i in body if i.offset > writes[0] and not i.is_padding]
        if not off or off[-1].mnemonic != last:
            yield f"{name}: does not end in {last}"
        inside = {i.address for i in off} | {None}
        for i in off:
            if touches_memory(i) or i.branch_target not in inside:
                yield str(i)
