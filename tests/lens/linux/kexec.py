#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Linux's own kexec under lens: Debian's kernels relocate Debian's 6.1.

Nothing in the guest is ours but a shell script. A first boot, without lens, tells where things
are: kexec -d prints the segments and the entry point, /proc/kallsyms where machine_kexec() lies.
Its last call goes to the code that relocates; the second boot's clock is modelled from there until
the entry point, which is purgatory's.
"""

import argparse
import re
import struct
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from machine_lens import STAGE_AT, TOP, LensMachine  # noqa: E402
from machine import MIB, Board, Machine  # noqa: E402
import cpio  # noqa: E402

DEBIAN = TOP / "build/deps/arm64"
KERNELS = {"5.10": "linux-image-arm64.bullseye", "6.1": "linux-image-arm64",
           "6.12": "linux-image-arm64.backports"}
NEXT = "6.1"
PROFILE = "cortex-a72-stingray"
BUDGET = 900  # seconds; a judged boot takes minutes
NEXT_SHELL = r"next: Linux version"
PS = 10**12
KIMAGE_ALIGNMENT = 128 * MIB  # of KIMAGE_VADDR, whatever the version
FUNCTION_MAX = 0x300  # bytes of machine_kexec() to look at
BLR, BLR_MASK = 0xd63f0000, 0xfffffc1f
LIBRARIES = ("lib/aarch64-linux-gnu/libc.so.6", "lib/aarch64-linux-gnu/libz.so.1",
             *(f"usr/lib/aarch64-linux-gnu/libxen{name}" for name in (
                 "ctrl.so.4.17", "toollog.so.1", "toolcore.so.1", "call.so.1", "evtchn.so.1",
                 "gnttab.so.1", "foreignmemory.so.1", "devicemodel.so.1")))

FIRST_INIT = """#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t sysfs sysfs /sys
/bin/busybox grep -E ' machine_kexec$' /proc/kallsyms
/sbin/kexec -d -c {options} -l /next/Image --initrd=/next/initramfs --append=console=ttyAMA0
/sbin/kexec -e
"""
NEXT_INIT = """#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox echo "next: $(/bin/busybox cat /proc/version)"
/bin/busybox poweroff -f
"""


def kernel(version):
    return next((DEBIAN / KERNELS[version] / "boot").glob("vmlinuz-*"))


def next_initramfs():
    busybox = (DEBIAN / "busybox-static/bin/busybox").read_bytes()
    return cpio.archive({"init": NEXT_INIT.encode(), "bin/busybox": busybox}, ["proc"])


def initramfs(image=None, following=None, options=""):
    """Of the first kernel. What it starts, by default Debian's: an Image and that one's initramfs;
    options of kexec."""
    tools = DEBIAN / "kexec-tools"
    files = {"init": FIRST_INIT.format(options=options).encode(),
             "bin/busybox": (DEBIAN / "busybox-static/bin/busybox").read_bytes(),
             "sbin/kexec": (tools / "sbin/kexec").read_bytes(),
             "lib/ld-linux-aarch64.so.1": (tools / "lib/ld-linux-aarch64.so.1").read_bytes(),
             "next/Image": image or kernel(NEXT).read_bytes(),
             "next/initramfs": following or next_initramfs()}
    files |= {f"lib/{Path(name).name}": (tools / name).read_bytes() for name in LIBRARIES}
    return cpio.archive(files, ["proc", "sys"])


def board(version, archive):
    return Board(gic="2", ram=2048 * MIB, kernel=kernel(version), initrd=archive,
                 append="console=ttyAMA0 panic=-1", extra=["-M", "dtb-randomness=off"])


@dataclass
class Places:
    """Physical addresses; segments: (address, size) as they are copied."""
    machine_kexec: int
    calls: list
    purgatory: int
    next_kernel: int
    segments: list

    @property
    def bytes(self):
        return sum(size for _, size in self.segments)


def indirect_calls(version, offset):
    """Offsets of the BLR instructions of the function at an offset in a kernel."""
    function = kernel(version).read_bytes()[offset:offset + FUNCTION_MAX]
    words = struct.unpack(f"<{len(function) // 4}I", function)
    return [offset + 4 * i for i, word in enumerate(words) if word & BLR_MASK == BLR]


def numbers(pattern, console):
    return [int(value, 16) for value in re.findall(pattern, console)]


def find_places(version, console):
    offset = numbers(r"(\w+) T machine_kexec", console)[0] % KIMAGE_ALIGNMENT
    sizes = numbers(r"segment\[\d+\]\.memsz\s*= 0x(\w+)", console)
    addresses = numbers(r"segment\[\d+\]\.mem\s*= 0x(\w+)", console)
    return Places(machine_kexec=STAGE_AT + offset,
                  calls=[STAGE_AT + call for call in indirect_calls(version, offset)],
                  purgatory=numbers(r"kexec_load: entry = 0x(\w+)", console)[0],
                  next_kernel=addresses[0], segments=list(zip(addresses, sizes)))


def boot(machine, until):
    """The console, of a boot that must come so far, and then to power-off."""
    machine.start()
    machine.expect(until, BUDGET)
    reason = machine.finish(BUDGET)
    assert reason == "guest-shutdown", f"{reason}:\n{machine.console}"
    return machine.console


def measure(version, archive, profile=PROFILE, stop="purgatory", until=NEXT_SHELL, **options):
    """Where things are, the times of steps in ps, and lens's record as lines by their first word,
    with the judges' lines."""
    with Machine(board(version, archive)) as machine:
        places = find_places(version, boot(machine, until))
    marks = {f"call{i}": at for i, at in enumerate(places.calls)}
    marks |= {"purgatory": places.purgatory, "next_kernel": places.next_kernel}
    with LensMachine(board(version, archive), profile, marks, start=hex(places.machine_kexec),
                     stop=hex(getattr(places, stop)), kernel=hex(places.next_kernel),
                     **options) as machine:
        again = find_places(version, boot(machine, until))
        assert again == places, "the second boot was not like the first"
        return places, machine.steps(), machine.record(), machine.log.read_text()


def called_ps(steps):
    return max(ps for name, ps in steps.items() if name.startswith("call"))


def relocation_ps(steps):
    return steps["purgatory"] - called_ps(steps)


def report(version, places, steps, record, log):
    counts = {key: int(value) for key, value in record["counts"][0].items()}
    print(f"{version}: {places.bytes} bytes in {len(places.segments)} segments")
    print(f"  machine_kexec() until its call {called_ps(steps) - steps['start']} ps, "
          f"relocation {relocation_ps(steps)} ps, "
          f"{places.bytes / relocation_ps(steps) * PS / 1e6:.1f} MB/s")
    if steps["next_kernel"] > steps["purgatory"]:
        print(f"  purgatory {steps['next_kernel'] - steps['purgatory']} ps")
    print("  " + " ".join(f"{key}={value}" for key, value in counts.items() if value))
    print(f"  unexplained={record['end'][0]['unexplained']}")
    print("".join(f"  {line}\n" for line in log.splitlines()
                  if line.startswith(("lens:", "contract:", "verify"))), end="")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("versions", nargs="*", default=list(KERNELS), metavar="VERSION")
    parser.add_argument("--profile", default=PROFILE)
    parser.add_argument("--stop", choices=("purgatory", "next_kernel"), default="purgatory")
    parser.add_argument("--coherency", choices=("on", "off"), default="off",
                        help="judge the caches' maintenance from reset on: slow")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        archive = Path(directory) / "initramfs"
        archive.write_bytes(initramfs())
        for version in arguments.versions:
            report(version, *measure(version, archive, arguments.profile, arguments.stop,
                                     coherency=arguments.coherency, verify="on"))


if __name__ == "__main__":
    main()
