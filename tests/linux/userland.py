# SPDX-License-Identifier: MIT
"""
A Debian system on QEMU's "virt" machine: systemd, udev, D-Bus and logind as Debian builds them, on
ext4 on a disk, with /var on another one.

The packages are unpacked and nothing of them has been run: users come from systemd-sysusers when
the machine boots. A test brings files; what it wants done is a script among them, which systemd
starts once the machine is up.
"""

import lzma
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "qemu"))

import cpio  # noqa: E402
import debian  # noqa: E402
from machine import MIB, Board  # noqa: E402

PACKAGES = "systemd-sysv"  # and the others of its row
MERGED = ("bin", "lib", "sbin")  # directories that are links into /usr
VERSION = "6.1"
MODULES = ("virtio_mmio", "virtio_blk", "crc32c_generic", "ext4")
ROOT_SIZE, VAR_SIZE = 256 * MIB, 32 * MIB

# Only what a disk needs: the system's own udev does the rest.
INIT = """#!/bin/busybox sh
/bin/busybox mount -t devtmpfs dev /dev
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t sysfs sysfs /sys
for module in /modules/*; do /bin/busybox insmod $module; done
/bin/busybox mount -t ext4 $(/bin/busybox findfs LABEL=root) /root
/bin/busybox umount /sys /proc /dev
exec /bin/busybox switch_root /root /sbin/init
"""

# Type=idle: after all that is started at boot.
SERVICE = """[Unit]
Description=What the test does

[Service]
Type=idle
ExecStart=/usr/local/sbin/script
StandardOutput=tty
StandardError=inherit
TTYPath=/dev/console
"""
UNITS = "etc/systemd/system"
FILES = {"etc/machine-id": "0123456789abcdef0123456789abcdef\n",
         "etc/hostname": "userland\n",
         "etc/fstab": "LABEL=root / ext4 defaults 0 0\nLABEL=var /var ext4 defaults 0 0\n",
         f"{UNITS}/script.service": SERVICE,
         f"{UNITS}/multi-user.target.d/script.conf": "[Unit]\nWants=script.service\n"}
# What systemd does is to be seen, in plain text.
APPEND = "console=ttyAMA0 TERM=dumb quiet systemd.show_status=yes systemd.getty_auto=no"


@dataclass
class Executable:
    data: bytes


def kernel():
    return debian.kernel(VERSION)


def read_module(name):
    """Debian 13's are compressed."""
    path = next((debian.UNPACKED / debian.KERNELS[VERSION]).rglob(f"{name}.ko*"))
    return lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()


def modules(names):
    """{name: contents}, in the order in which they can be loaded. A module says itself which ones
    it needs (Linux scripts/mod/modpost.c, add_depends())."""
    found = {}
    for name in names:
        data = read_module(name)
        needed = re.search(rb"\0depends=([^\0]*)\0", data)[1].decode()
        found |= modules([other for other in needed.split(",") if other]) | {name: data}
    return found


def first_initramfs():
    files = {"init": INIT.encode(),
             "bin/busybox": (debian.UNPACKED / "busybox-static/bin/busybox").read_bytes()}
    files |= {f"modules/{number:02}-{name}.ko": data
              for number, (name, data) in enumerate(modules(MODULES).items())}
    return cpio.archive(files, ["proc", "sys", "root"])


def _write(path, contents):
    path.parent.mkdir(parents=True, exist_ok=True)
    data = contents.data if isinstance(contents, Executable) else contents
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    path.chmod(0o755 if isinstance(contents, Executable) else 0o644)


def _unpack(tree, files):
    for name in MERGED:
        (tree / "usr" / name).mkdir(parents=True)
        (tree / name).symlink_to(f"usr/{name}")
    shutil.copytree(debian.UNPACKED / PACKAGES, tree, symlinks=True, dirs_exist_ok=True)
    (tree / "root").mkdir()
    for name, contents in files.items():
        _write(tree / name, contents)


def _make_ext4(path, label, size, tree=None):
    """All in it is root's, whoever we are."""
    as_root = ["unshare", "--map-root-user"] if os.geteuid() else []
    subprocess.run([*as_root, "/sbin/mke2fs", "-q", "-t", "ext4", "-L", label,
                    *(["-d", tree] if tree else []), path, f"{size // MIB}M"],
                   check=True, capture_output=True)


def make_disks(directory, script, files):
    """The script is for sh; files: {path: text, bytes, or an Executable}."""
    tree = directory / "tree"
    script = Executable(b"#!/bin/sh\n" + script.encode())
    _unpack(tree, FILES | {"usr/local/sbin/script": script} | files)
    _make_ext4(directory / "root", "root", ROOT_SIZE, tree)
    _make_ext4(directory / "var", "var", VAR_SIZE)
    shutil.rmtree(tree)


def board(directory, script, files, **options):
    """A machine that boots it; everything for it is made in the directory."""
    make_disks(directory, script, files)
    initramfs = directory / "initramfs"
    initramfs.write_bytes(first_initramfs())
    disks = [word for name in ("root", "var") for word in
             ("-drive", f"if=none,id={name},format=raw,file={directory / name}",
              "-device", f"virtio-blk-device,drive={name}")]
    options = {"gic": "2", "ram": 1024 * MIB} | options
    return Board(kernel=kernel(), initrd=initramfs, extra=disks,
                 append=APPEND, **options)
