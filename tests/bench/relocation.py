# SPDX-License-Identifier: MIT
"""
One relocation by kexpress on a modelled machine: a hand-off of so many bytes, timed by lens from
kexpress's first instruction to its jump.

A share of the bytes is the kernel, which is cleaned to the point of coherency; the rest is the
initramfs. All sources are whole pages. The kernel switches the machine off.
"""

import random
import re
import struct
import sys
from dataclasses import dataclass
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "qemu"), str(TESTS / "lens")]

import machine_lens  # noqa: E402
from abi import CALLER, GIB, MIB, PAGE, constant, pages  # noqa: E402
from entrylist import EXEC, INITRD, KERNEL, POC, Handoff, Segment, entries, write_list  # noqa: E402
from machine import RAM_BASE, Board  # noqa: E402

# Physical addresses. Behind DESTINATION: as much room again for the sources, and the list.
STAGE_AT = 0x44000000
BLOCK_AT = 0x44800000
DESTINATION = 0x50000000
ROOM = 256 * MIB
LARGEST = GIB

KEXPRESS = "kexpress"
MODES = ("mmu-off", "mmu-on")
LISTS = ("contiguous", "scattered", "in-place")
# Flags of the initramfs, by what is cleaned to the point of coherency.
CLEANING = {"kernel": INITRD, "all": INITRD | EXEC | POC}
BUDGET = 300  # seconds of the host's
# A fixed seed: the device tree has random bytes, which kexpress looks at.
HOW = {"append": "kexpress.onerror=poweroff", "extra": ["-seed", "0"]}

# Where each step begins; the kernel's first instruction follows the last.
STEPS = {"enter": "_head", "discover": "discover", "open": "open_payload", "plan": "plan",
         "map": "map", "move": "move", "settle": "settle", "hand_over": "hand_over"}
END = "jump"

# QEMU's CPU whose caches and ID registers are the profile's, or nearest to it.
CPUS = {"cortex-a53": "cortex-a53", "cortex-a72-pi4": "cortex-a72",
        "cortex-a72-stingray": "cortex-a72", "thunderx2": "cortex-a72",
        "cortex-a76-pi5": "cortex-a76", "neoverse-n1": "neoverse-n1",
        "neoverse-v2": "neoverse-v1"}


@dataclass(frozen=True)
class Case:
    profile: str
    mode: str
    bytes: int  # whole pages
    list: str = "contiguous"
    engine: str = KEXPRESS
    cpus: int = 1  # of the machine
    kernel_percent: int = 50
    cleaning: str = "kernel"

    def __str__(self):
        return (f"{self.engine} {self.profile} {self.bytes / MIB:.1f} MiB {self.list} {self.mode}"
                f" cpus={self.cpus} kernel={self.kernel_percent}% cleaned={self.cleaning}")

    @property
    def kernel_bytes(self):
        return whole_pages(self.bytes * self.kernel_percent // 100)

    @property
    def source(self):
        return DESTINATION + max(self.bytes, ROOM)

    @property
    def list_at(self):
        return self.source + max(self.bytes, ROOM)

    @property
    def ram(self):
        return self.list_at + ROOM - RAM_BASE


def whole_pages(size):
    return pages(size) * PAGE


SMC, HVC = 0xd4000003, 0xd4000002


def kernel_image(size, conduit=SMC):
    """The header that makes it an arm64 Image, and PSCI SYSTEM_OFF."""
    anywhere_4k = 0xa
    header = struct.pack("<2I6Q4sI", 0x14000010, 0, 0, size, anywhere_4k, 0, 0, 0, b"ARM\x64", 0)
    return header + struct.pack("<3I", 0x52b08000, 0x72800100, conduit)


def sources(case):
    """Where the pages lie, in the order of their destinations."""
    start = DESTINATION if case.list == "in-place" else case.source
    result = list(range(start, start + case.bytes, PAGE))
    if case.list == "scattered":
        random.Random(0).shuffle(result)
    return result


def write_handoff(ram, case):
    """Kernel, list and hand-off block; returns the block's address. All else moved is zeroes."""
    kernel_size = case.kernel_bytes
    source = sources(case)
    ram.write(source[0], kernel_image(kernel_size))
    copies = [(page, DESTINATION + i * PAGE) for i, page in enumerate(source)]
    entry_list = entries(copies)
    list_pages = [case.list_at + i * PAGE for i in range(pages(len(entry_list) * 8) + 2)]
    handoff = Handoff(
        segments=[Segment(DESTINATION, kernel_size, flags=KERNEL | EXEC | POC),
                  Segment(DESTINATION + kernel_size, case.bytes - kernel_size,
                          flags=CLEANING[case.cleaning])],
        list_head=write_list(ram, entry_list, list_pages), entry=DESTINATION,
        flags=constant("KX_HANDOFF_MMU_OFF") if case.mode == "mmu-off" else 0)
    ram.write(BLOCK_AT, handoff.pack())
    return BLOCK_AT


def prepare(ram, image, case):
    """What tests/qemu/caller starts, and with what."""
    ram.write(STAGE_AT, image.read_bytes())
    block = write_handoff(ram, case)
    flags = constant("CALLER_ARGUMENT") | constant("CALLER_FDT")
    ram.write(constant("CALLER_CONFIG_ADDRESS"), struct.pack("<3Q", flags, STAGE_AT, block))


def steps_ns(events):
    """Nanoseconds of each step, from lens's picoseconds by event."""
    begins = [events[name] for name in (*STEPS, "end")]
    return {step: round((after - before) / 1000)
            for step, before, after in zip(STEPS, begins, begins[1:])}


def kexpress_timing(console):
    line = re.search(r"kexpress: timing (.*)", console)
    assert line, f"no timing line:\n{console}"
    return {key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", line.group(1))}


def bandwidth_gbs(profile):
    """Of the profile's memory, reads and writes together."""
    text = (machine_lens.PROFILES / f"{profile}.profile").read_text()
    return float(re.search(r"^dram_gbs\s+(\S+)", text, re.M).group(1))


def common(case, steps, relocation, moved):
    """What is told of every engine. steps and relocation in ns; moved: bytes."""
    total = sum(steps.values())
    return {"profile": case.profile, "mode": case.mode, "engine": case.engine,
            "bytes": case.bytes, "kernel_bytes": case.kernel_bytes, "cpus": case.cpus,
            "cleaning": case.cleaning, "total_ns": total, "relocation_ns": relocation,
            "share": round(relocation / total, 4),
            "limit_ns": round(2 * moved / bandwidth_gbs(case.profile)), "steps_ns": steps,
            "bytes_copied": moved}


def check_repeatable(case, lines):
    """lines: of lens's log."""
    stalls = lines["end"][0]["stalls"]
    assert stalls == "0", f"{case}: {stalls} stalls, so it may come out otherwise the next time"


def record(case, events, timing):
    """docs/bench.md"""
    steps = steps_ns(events)
    moved = timing["bytes_copied"]
    assert moved + timing["bytes_in_place"] == case.bytes, f"{case}: moved {moved} bytes"
    assert timing["mmu"] == (case.mode == "mmu-on"), f"{case}: moved in the other mode"
    return {"list": case.list, **common(case, steps, steps["move"] + steps["settle"], moved),
            "cores": timing["cores"], "bytes_cleaned": timing["bytes_cleaned"],
            "runs": timing["runs"], "tables": timing["tables"]}


def measure(image, case, board, stage_at, prepare_ram=lambda ram: None):
    """Runs the stage, which is loaded there; returns the case's record."""
    at = machine_lens.symbols(image.with_suffix(".elf"), stage_at)
    marks = {step: at[symbol] for step, symbol in STEPS.items()}
    # Modelled from the first instruction on: else the counter that kexpress prints would hold host
    # time.
    with machine_lens.LensMachine(board, case.profile, {**marks, "end": at[END]},
                                  stop=hex(at[END])) as machine:
        prepare_ram(machine.ram)
        machine.run(budget=BUDGET)
        check_repeatable(case, machine.record())
        return record(case, machine.steps(), kexpress_timing(machine.console))


def relocate(image, case):
    """Runs the case; returns its record."""
    board = Board(el=2, cpu=CPUS[case.profile], ram=case.ram, smp=case.cpus, kernel=CALLER, **HOW)
    return measure(image, case, board, STAGE_AT, lambda ram: prepare(ram, image, case))
