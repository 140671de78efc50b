# SPDX-License-Identifier: MIT
"""A boot from end to end: how kexpress is started, with what, and what came of it."""

import random
import re
import struct
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import abi
import fit
from abi import PAGE, Image, constant, pages
from entrylist import EXEC, INITRD, KERNEL, POC, Handoff, Segment, entries, write_list
from judged import JudgedMachine
from machine import Board, Machine

# What QEMU puts where on a machine of 256 MiB and more.
QEMU_KERNEL_AT = 0x40200000
QEMU_INITRD_AT = 0x48000000
QEMU_TREE_AT = 0x48000000  # without initrd; else in the next 2 MiB block behind it

# What these tests put where.
STAGE_AT = 0x44000000  # kexpress, where the caller starts it
BLOCK_AT = 0x44800100  # the hand-off block: not at the start of a page
TREE_AT = 0x43000000   # a tree of our own
SECOND_AT = 0x4c000123  # the initramfs of a plain Image payload: misaligned on purpose
POOL = (0x4a000000, 0x50000000)  # sources and lists are scattered here

LINE = 64  # of a cache

PADDING = 0x300000  # tests/qemu/guests.mk


@dataclass(frozen=True)
class Start:
    """How kexpress is entered. flags: what the caller is told (caller/config.h); None: QEMU starts
    kexpress itself."""

    name: str
    boot_el: int
    flags: int = None
    cpu: str = "cortex-a72"

    @property
    def el(self):
        return 1 if self.flags and self.flags & constant("CALLER_EL1") else self.boot_el

    @property
    def e2h(self):
        return bool(self.flags and self.flags & constant("CALLER_E2H"))

    def with_flags(self, *names):
        flags = self.flags or 0
        for name in names:
            flags |= constant("CALLER_" + name)
        return replace(self, flags=flags)

    def __str__(self):
        return self.name


EL1 = Start("el1", 1)
EL2 = Start("el2", 2)
E2H = Start("e2h", 2, constant("CALLER_E2H"), "max")
STARTS = (EL1, EL2, E2H)


@dataclass
class Payload:
    """What is handed to kexpress, and what shall come of it."""

    kernel: bytes
    ramdisk: bytes = b""
    initrd: Path = None  # file given to QEMU as the initrd
    writes: list = field(default_factory=list)  # (address, bytes) put into memory beforehand
    append: str = ""
    handoff: Handoff = None
    handoff_at: int = BLOCK_AT
    segments: list = field(default_factory=list)  # (destination, bytes) to be found afterwards
    placed: int = None  # bytes of all destination pages that have a source
    in_place: int = 0  # of those
    zeroed: int = 0  # bytes of destination pages that have none

    @property
    def moved(self):
        placed = self.placed
        if placed is None:
            placed = (pages(len(self.kernel)) + pages(len(self.ramdisk))) * PAGE
        return placed - self.in_place


def probe_kernel(seed=0, padding=PADDING, out=abi.OUT):
    """The probe with random bytes in it."""
    image = (out / "tests/probe.bin").read_bytes()
    assert image.endswith(b"\xa5" * PADDING)
    return image[:-padding] + random.Random(seed).randbytes(padding) if padding else image


def random_bytes(size, seed=1):
    return random.Random(seed).randbytes(size)


def fit_payload(path, kernel, ramdisk, **how):
    """Its ramdisk stays where it is; its kernel does not lie at a 2 MiB boundary."""
    fit.simple(kernel, ramdisk, **how).make(path)
    ramdisk = ramdisk or b""
    return Payload(kernel, ramdisk, initrd=path, in_place=pages(len(ramdisk)) * PAGE)


def image_payload(path, kernel, ramdisk, at=SECOND_AT):
    path.write_bytes(kernel)
    if not ramdisk:
        return Payload(kernel, initrd=path)
    return Payload(kernel, ramdisk, initrd=path, writes=[(at, ramdisk)],
                   in_place=pages(len(ramdisk)) * PAGE,
                   append=f"kexpress.initrd={at:#x},{len(ramdisk)}")


def page_range(start, count):
    return [start + i * PAGE for i in range(count)]


class Pages:
    """Free pages of a window, in random order."""

    def __init__(self, seed, window=POOL, avoid=()):
        self.free = [page for page in range(*window, PAGE)
                     if not any(start < page + PAGE and page < end for start, end in avoid)]
        random.Random(seed).shuffle(self.free)

    def take(self, count):
        taken, self.free = self.free[:count], self.free[count:]
        assert len(taken) == count
        return taken


class HandoffBuilder:
    """A hand-off whose list is scattered over memory at random, but for what a test says."""

    def __init__(self, seed=0, window=POOL, avoid=()):
        self.random = random.Random(seed)
        self.pages = Pages(seed, window, avoid)
        self.writes = []
        self.copies = []
        self.payload = Payload(kernel=b"", writes=self.writes, handoff=Handoff(), placed=0)

    def place(self, data, destination, flags=0, sources=None, memory_size=0):
        """Adds a segment; sources are the pages that hold it before."""
        count = pages(len(data))
        sources = sources or self.pages.take(count)
        for i, source in enumerate(sources):
            page = data[i * PAGE:(i + 1) * PAGE]
            self.writes.append((source, page + bytes(PAGE - len(page))))
            self.copies.append((source, destination + i * PAGE))
        self.payload.placed += count * PAGE
        self.payload.in_place += sum(PAGE for i, source in enumerate(sources)
                                     if source == destination + i * PAGE)
        if not flags & KERNEL and memory_size > len(data):
            self.payload.zeroed += (pages(memory_size) - count) * PAGE
        self.payload.handoff.segments.append(Segment(destination, len(data), memory_size, flags))
        return self

    def kernel(self, data, destination, **how):
        self.payload.kernel = data
        self.payload.handoff.entry = destination
        return self.place(data, destination, KERNEL | EXEC | POC,
                          memory_size=Image(data).memory_size, **how)

    def ramdisk(self, data, destination, **how):
        self.payload.ramdisk = data
        return self.place(data, destination, INITRD, **how)

    def data(self, data, destination, memory_size=0, **how):
        """A segment of no kind, for what it is about; its last page and its memory are zeroed."""
        size = max(pages(memory_size), pages(len(data))) * PAGE
        self.payload.segments.append((destination, data + bytes(size - len(data))))
        return self.place(data, destination, memory_size=memory_size, **how)

    def shuffle(self):
        """Copies in random order: nearly every page needs a destination entry of its own."""
        self.random.shuffle(self.copies)
        return self

    def build(self, list_pages=None):
        entry_list = entries(self.copies)
        list_pages = list_pages or self.pages.take(pages(len(entry_list) * 8) + 4)
        recorder = _Recorder()
        self.payload.handoff.list_head = write_list(recorder, entry_list, list_pages)
        self.writes += recorder.writes
        return self.payload


class _Recorder:
    def __init__(self):
        self.writes = []

    def write(self, address, data):
        self.writes.append((address, data))


class Report:
    """What the console says, taken apart."""

    def __init__(self, console):
        self.console = console
        self.lines = console.replace("\r", "").splitlines()
        self.probe = {}
        self.sha256 = {}
        self.cpus = {}  # what the probe says of each other CPU
        for line in self.lines:
            if match := re.fullmatch(r"probe: ([\w/-]+)=(0x[0-9a-f]{16})", line):
                self.probe[match[1]] = int(match[2], 16)
            elif match := re.match(r"probe: cpu=0x(\w+) (.*)$", line):
                self.cpus[int(match[1], 16)] = re.sub(r"0x0*(\w)", r"\1", match[2])
            elif match := re.match(r"probe: sha256 kernel=(\w+) initrd=(\w+)", line):
                self.sha256 = {"kernel": match[1], "initrd": match[2]}
        self.bootargs = self._rest("probe: bootargs=")
        self.timing = {key: int(value) for key, value in
                       re.findall(r"(\w+)=(\d+)", self._rest("kexpress: timing ") or "")}

    def _rest(self, prefix):
        return next((line[len(prefix):] for line in self.lines if line.startswith(prefix)), None)

    @property
    def stage_at(self):
        """Where it ran in the end: it may have moved itself."""
        return int(re.findall(r"kexpress: version \S+ at (0x[0-9a-f]+)", self.console)[-1], 16)

    @property
    def errors(self):
        """Names of the errors reported, without E_."""
        return re.findall(r"kexpress: error E_(\w+)", self.console)

    @property
    def warnings(self):
        return [line for line in self.lines if line.startswith("kexpress: warning")]

    @property
    def returned(self):
        """What the caller got back: error, el, sctlr, preserved."""
        line = self._rest("caller: returned ")
        return line and {key: int(value, 16) for key, value in
                         re.findall(r"(\w+)=(0x[0-9a-f]+)", line)}


class Scene:
    """ram is None where nobody can look into it: on a board in a lab."""

    def __init__(self, machine, start, payload, called, stage_at):
        self.machine = machine
        self.ram = machine.ram
        self.start = start
        self.payload = payload
        self.called = called
        self.stage_at = stage_at
        self.reason = None

    def run(self, **how):
        self.reason = self.machine.run(**how)
        return self.report

    def own_memory(self):
        """Ranges of kexpress's image, and of the caller with what it writes."""
        image = Image(abi.STAGE.read_bytes())
        if not self.called:
            return [(QEMU_KERNEL_AT, QEMU_KERNEL_AT + image.memory_size)]
        caller = Image(abi.CALLER.read_bytes())
        ranges = [(self.stage_at, self.stage_at + image.memory_size),
                  (QEMU_KERNEL_AT, QEMU_KERNEL_AT + caller.memory_size)]
        if self.payload.handoff:
            at = self.payload.handoff_at
            ranges.append((at, at + len(self.payload.handoff.pack())))
        return ranges

    def handed_over(self):
        """Ranges of everything that kexpress was given, and of everything that it shall write."""
        ranges = [(at, at + len(data)) for at, data in self.payload.writes]
        if self.payload.handoff:
            ranges += [segment.range() for segment in self.payload.handoff.segments]
        if self.payload.initrd:
            size = self.payload.initrd.stat().st_size
            ranges.append((QEMU_INITRD_AT, QEMU_INITRD_AT + size))
        return ranges

    @property
    def report(self):
        return Report(self.machine.console)


def _configure(machine, start, payload, stage, stage_at, argument):
    flags = start.flags or 0
    if payload.handoff:
        flags |= constant("CALLER_ARGUMENT")
        argument = payload.handoff_at
        if not payload.handoff.fdt:
            flags |= constant("CALLER_FDT")
    elif argument is not None:
        flags |= constant("CALLER_ARGUMENT")
    machine.ram.write(stage_at, stage)
    machine.ram.write(constant("CALLER_CONFIG_ADDRESS"),
                      struct.pack("<4Q", flags, stage_at, argument or 0, stage_at + len(stage)))


def _soil(scene):
    """Tells the caller to leave dirty lines over all of kexpress's memory but its own device tree,
    over what it is given and over where that goes."""
    ranges = [r for r in scene.own_memory() if r[0] != QEMU_KERNEL_AT] + scene.handed_over()
    ranges = _joined((start & -LINE, -(-end // LINE) * LINE) for start, end in ranges)
    assert len(ranges) <= constant("CALLER_DIRTY_MAX")
    packed = b"".join(struct.pack("<2Q", *r) for r in ranges)
    scene.ram.write(constant("CALLER_CONFIG_ADDRESS") + 32, packed)


def _joined(ranges):
    """Sorted, and merged where they overlap or touch."""
    joined = []
    for start, end in sorted(ranges):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


@contextmanager
def scene(start, payload, *, append="", mmu=True, onerror="poweroff", stage_at=STAGE_AT,
          argument=None, stage=None, judged=True, allowed=(), verify="off", gdb=False, **board):
    """A machine with everything in memory, not yet running. argument: x0 for kexpress, if neither
    QEMU's device tree nor a hand-off block. stage: the image for the caller to start, if not
    ours. judged: by lens. allowed: names of lens's findings that the test provokes. verify="on":
    lens's table walks are compared with QEMU's."""
    called = start.flags is not None or payload.handoff or argument is not None
    words = [payload.append, append, f"kexpress.onerror={onerror}" if onerror else "",
             "" if mmu else "kexpress.mmu=off"]
    board.setdefault("cpu", start.cpu)
    config = Board(el=start.boot_el, kernel=abi.CALLER if called else abi.STAGE,
                   initrd=payload.initrd, append=" ".join(filter(None, words)), **board)
    at = stage_at if called else QEMU_KERNEL_AT
    judge = (at, allowed, verify)
    with JudgedMachine(config, *judge, gdb) if judged else Machine(config, gdb) as machine:
        for address, data in payload.writes:
            machine.ram.write(address, data)
        if payload.handoff:
            machine.ram.write(payload.handoff_at, payload.handoff.pack())
        if called:
            _configure(machine, start, payload, stage or abi.STAGE.read_bytes(), stage_at, argument)
        made = Scene(machine, start, payload, called, stage_at)
        if (start.flags or 0) & constant("CALLER_DIRTY"):
            _soil(made)
        yield made
