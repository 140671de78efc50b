# SPDX-License-Identifier: MIT
"""
Real Linux that reboots by kexpress: Debian's kernels under QEMU, with a shell script as init that
loads and executes the next one. Nothing else is in the initramfs but busybox.
"""

import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/qemu"))

import cpio  # noqa: E402
from machine import MIB, Board, Machine  # noqa: E402

DEBIAN = TOP / "build/deps/arm64"
LOADER = TOP / "build/loader/kexpress"
KERNELS = {"5.10": "linux-image-arm64.bullseye", "6.1": "linux-image-arm64",
           "6.12": "linux-image-arm64.backports"}

FIRST_INIT = """#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t sysfs sysfs /sys
/bin/busybox mount -t devtmpfs dev /dev
/bin/busybox mkdir -p /run /tmp
/bin/busybox --install -s /bin
export PATH=/bin:/sbin
{script}
echo "first: end"
poweroff -f
"""
NEXT_INIT = """#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t sysfs sysfs /sys
/bin/busybox mkdir -p /run
/bin/busybox --install -s /bin
export PATH=/bin:/sbin
echo "next: $(cat /proc/version)"
echo "next: cpus $(nproc)"
{script}
poweroff -f
"""
SCRIPT = """kexpress -l /next/Image --initrd=/next/initramfs --append="console=ttyAMA0 {append}" --debug
echo "first: loaded $?"
kexpress -e
echo "first: still here $?"
"""


def kernel(version):
    return next((DEBIAN / KERNELS[version] / "boot").glob("vmlinuz-*"))


def busybox():
    return (DEBIAN / "busybox-static/bin/busybox").read_bytes()


def next_initramfs(script="kexpress status --json", filler=0):
    import os
    files = {"init": NEXT_INIT.format(script=script).encode(), "bin/busybox": busybox(),
             "sbin/kexpress": LOADER.read_bytes()}
    if filler:
        files["filler"] = os.urandom(filler)
    return cpio.archive(files, ["proc", "sys"])


def first_initramfs(next_version, script=SCRIPT.format(append=""), following=None):
    files = {"init": FIRST_INIT.format(script=script).encode(), "bin/busybox": busybox(),
             "sbin/kexpress": LOADER.read_bytes(), "next/Image": kernel(next_version).read_bytes(),
             "next/initramfs": following or next_initramfs()}
    return cpio.archive(files, ["proc", "sys", "dev", "run", "tmp"])


if __name__ == "__main__":
    first, following = sys.argv[1:3]
    archive = Path("/tmp/w/first.cpio")
    archive.write_bytes(first_initramfs(following))
    gic = sys.argv[4] if len(sys.argv) > 4 else "3"
    board = Board(el=int(sys.argv[3]) if len(sys.argv) > 3 else 1, ram=1024 * MIB, smp=1, gic=gic, kernel=kernel(first), initrd=archive,
                  append="console=ttyAMA0 panic=-1", extra=["-M", "its=" + (sys.argv[5] if len(sys.argv) > 5 else "off"), "-device", "virtio-rng-pci"])
    with Machine(board) as machine:
        machine.start()
        try:
            print(machine.finish(120))
        finally:
            print(machine.console)
