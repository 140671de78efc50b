#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Linux's own kexec under lens: Debian's kernels relocate Debian's 6.1.

Nothing in the guest is ours but a shell script. A first boot, without lens, tells where things
are: kexec -d prints the segments and the entry point, /proc/kallsyms where machine_kexec() lies.
Its last call goes to the code that relocates; the second boot's clock is modelled from there until
the entry point, which is purgatory's. Other commands that load a kernel are measured in the same
way (loaders.py).
"""

import argparse
import re
import struct
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import libfdt

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from machine_lens import STAGE_AT, LensMachine  # noqa: E402
from machine import MIB, Board, Machine  # noqa: E402
import cpio  # noqa: E402
from debian import KERNELS, kernel  # noqa: E402, F401
from loaders import DEBIAN, KEXEC, Loader  # noqa: E402

NEXT = "6.1"
PROFILE = "cortex-a72-stingray"
BUDGET = 900  # seconds; a judged boot takes minutes
GONE = r"Bye!"  # machine_kexec()'s last word; the next kernel has none
TRIES = 8  # a loader has the pages that it gets, which may be others in a boot of another pace
NEXT_SHELL = r"next: Linux version"
PS = 10**12
# What asks for random numbers waits for a seed: under lens the kernel gathers none itself.
SEED = bytes(range(64))
KIMAGE_ALIGNMENT = 128 * MIB  # of KIMAGE_VADDR, whatever the version
FUNCTION_MAX = 0x300  # bytes of machine_kexec() to look at
BLR, BLR_MASK = 0xd63f0000, 0xfffffc1f

# The kernel's own lines must not come between what is read.
FIRST_INIT = """#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t sysfs sysfs /sys
echo 1 >/proc/sys/kernel/printk
/bin/busybox grep -E ' machine_(kexec|shutdown)$' /proc/kallsyms
{command} -l /next/Image --initrd=/next/initramfs --append=console=ttyAMA0
echo 7 >/proc/sys/kernel/printk
{command} -e
"""
NEXT_INIT = """#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox echo "next: $(/bin/busybox cat /proc/version)"
/bin/busybox poweroff -f
"""


def next_initramfs():
    busybox = (DEBIAN / "busybox-static/bin/busybox").read_bytes()
    return cpio.archive({"init": NEXT_INIT.encode(), "bin/busybox": busybox}, ["proc"])


def initramfs(image=None, following=None, loader=KEXEC):
    """Of the first kernel. What it starts, by default Debian's: an Image and that one's
    initramfs."""
    return cpio.archive({"init": FIRST_INIT.format(command=loader.command).encode(),
                         "bin/busybox": (DEBIAN / "busybox-static/bin/busybox").read_bytes(),
                         "next/Image": image or kernel(NEXT).read_bytes(),
                         "next/initramfs": following or next_initramfs(), **loader.read()},
                        ["proc", "sys", "run"])


def seeded_tree(board):
    """QEMU's, the same each time: no seed for KASLR, so the kernel does not move itself."""
    fdt = libfdt.Fdt(board.device_tree())
    chosen = fdt.path_offset("/chosen")
    fdt.delprop(chosen, "kaslr-seed")
    fdt.setprop(chosen, "rng-seed", SEED)
    fdt.pack()
    return bytes(fdt.as_bytearray())


@dataclass(frozen=True)
class Reboot:
    """From one of Debian's kernels, with an initramfs that has the loader."""
    version: str
    archive: Path
    loader: Loader = KEXEC
    cpus: int = 1

    def board(self):
        board = Board(gic="2", ram=2048 * MIB, smp=self.cpus, kernel=kernel(self.version),
                      initrd=self.archive, append="console=ttyAMA0 panic=-1",
                      dtb=self.archive.with_name("dtb"))
        board.dtb.write_bytes(seeded_tree(board))
        return board


@dataclass
class Places:
    """Physical addresses, of the old kernel's functions and of what it jumps to; segments:
    (address, size) as they are copied."""
    machine_shutdown: int
    machine_kexec: int
    calls: list
    entry: int
    next_kernel: int
    segments: list

    @property
    def bytes(self):
        return sum(size for _, size in self.segments)

    def marks(self):
        named = ("machine_shutdown", "machine_kexec", "entry", "next_kernel")
        return ({name: getattr(self, name) for name in named} |
                {f"call{i}": at for i, at in enumerate(self.calls)})


def indirect_calls(version, offset):
    """Offsets of the BLR instructions of the function at an offset in a kernel."""
    function = kernel(version).read_bytes()[offset:offset + FUNCTION_MAX]
    words = struct.unpack(f"<{len(function) // 4}I", function)
    return [offset + 4 * i for i, word in enumerate(words) if word & BLR_MASK == BLR]


def numbers(pattern, console):
    return [int(value, 16) for value in re.findall(pattern, console)]


def find_places(reboot, console):
    offsets = {name: at % KIMAGE_ALIGNMENT for name in ("machine_kexec", "machine_shutdown")
               for at in numbers(rf"(\w+) T {name}\s", console)}
    calls = indirect_calls(reboot.version, offsets["machine_kexec"])
    loader = reboot.loader
    return Places(**{name: STAGE_AT + offset for name, offset in offsets.items()},
                  calls=[STAGE_AT + call for call in calls],
                  entry=numbers(loader.entry, console)[0],
                  next_kernel=numbers(loader.next_kernel, console)[0],
                  segments=list(zip(numbers(loader.addresses, console),
                                    numbers(loader.sizes, console))))


def places_of(machine, reboot):
    """By a boot until the old kernel is gone."""
    machine.start()
    machine.expect(GONE, BUDGET)
    return find_places(reboot, machine.console)


def finish(machine, until):
    """The rest of a boot, which must come so far, and then to power-off."""
    machine.expect(until, BUDGET)
    reason = machine.finish(BUDGET)
    assert reason == "guest-shutdown", f"{reason}:\n{machine.console}"


def no_marks(_):
    return {}


def measure(reboot, profile=PROFILE, start="machine_kexec", stop="entry", until=NEXT_SHELL,
            more_marks=no_marks, **options):
    """Where things are, the times of steps in ps, and lens's record as lines by their first word,
    with the judges' lines. more_marks: {name: address} by what the places are."""
    with Machine(reboot.board()) as machine:
        places = places_of(machine, reboot)
    for _ in range(TRIES):
        marks = places.marks() | more_marks(places)
        with LensMachine(reboot.board(), profile, marks, start=hex(marks[start]),
                         stop=hex(marks[stop]), kernel=hex(places.next_kernel),
                         **options) as machine:
            expected, places = places, places_of(machine, reboot)
            if places == expected:
                finish(machine, until)
                return places, machine.steps(), machine.record(), machine.log.read_text()
    raise AssertionError(f"no two boots were alike; the last one: {places}")


def called_ps(steps):
    return max(ps for name, ps in steps.items() if name.startswith("call"))


def relocation_ps(steps):
    return steps["entry"] - called_ps(steps)


def report(version, places, steps, record, log):
    counts = {key: int(value) for key, value in record["counts"][0].items()}
    print(f"{version}: {places.bytes} bytes in {len(places.segments)} segments")
    print(f"  machine_kexec() until its call {called_ps(steps) - steps['start']} ps, "
          f"relocation {relocation_ps(steps)} ps, "
          f"{places.bytes / relocation_ps(steps) * PS / 1e6:.1f} MB/s")
    if steps["next_kernel"] > steps["entry"]:
        print(f"  purgatory {steps['next_kernel'] - steps['entry']} ps")
    print("  " + " ".join(f"{key}={value}" for key, value in counts.items() if value))
    print(f"  unexplained={record['end'][0]['unexplained']}")
    print("".join(f"  {line}\n" for line in log.splitlines()
                  if line.startswith(("lens:", "contract:", "verify"))), end="")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("versions", nargs="*", default=list(KERNELS), metavar="VERSION")
    parser.add_argument("--profile", default=PROFILE)
    parser.add_argument("--stop", choices=("entry", "next_kernel"), default="entry")
    parser.add_argument("--coherency", choices=("on", "off"), default="off",
                        help="judge the caches' maintenance from reset on: slow")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        archive = Path(directory) / "initramfs"
        archive.write_bytes(initramfs())
        for version in arguments.versions:
            report(version, *measure(Reboot(version, archive), arguments.profile,
                                     stop=arguments.stop, coherency=arguments.coherency,
                                     verify="on"))


if __name__ == "__main__":
    main()
