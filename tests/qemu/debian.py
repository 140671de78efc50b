#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Debian's kernels and initramfs, as `make deps` unpacks them.

  debian.py OUT.itb    packs a kernel and a shell that are small enough for a slot in flash
"""

import sys
from pathlib import Path

import cpio
import fit
from abi import TOP

UNPACKED = TOP / "build/deps/arm64"
INSTALLER = ("debian-installer-*-netboot-arm64/usr/lib/debian-installer/images/*/arm64/text/"
             "debian-installer/arm64")
# Kernels that kexec is tried from and to: their directories.
KERNELS = {"5.10": "linux-image-arm64.bullseye", "6.1": "linux-image-arm64",
           "6.12": "linux-image-arm64.backports"}
# Parts of a FIT are 4-byte aligned by themselves; with the MMU off that doubles the accesses.
ALIGNED = ("-E", "-B", "0x1000")
INIT = b"""#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
exec setsid cttyhack sh
"""


def _newest(pattern):
    found = sorted(UNPACKED.glob(pattern))
    if not found:
        sys.exit(f"{pattern} is missing: make deps-run")
    return found[-1]


def installer():
    """Kernel and initramfs of the network installer."""
    directory = _newest(INSTALLER)
    return directory / "linux", directory / "initrd.gz"


def kernel(version):
    """StopIteration: it is not there."""
    return next((UNPACKED / KERNELS[version] / "boot").glob("vmlinuz-*"))


def cloud_kernel():
    """The smallest one: without drivers for real boards."""
    return _newest("linux-image-cloud-arm64/boot/vmlinuz-*")


def shell():
    """An initramfs that is a shell and nothing else."""
    busybox = _newest("busybox-static/bin/busybox").read_bytes()
    return cpio.archive({"init": INIT, "bin/busybox": busybox}, ["proc", "sys"])


def small_fit(path):
    fit.simple(cloud_kernel(), shell(), bootargs="console=ttyAMA0", arguments=ALIGNED).make(path)


if __name__ == "__main__":
    small_fit(Path(sys.argv[1]))
