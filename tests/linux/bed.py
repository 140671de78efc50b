# SPDX-License-Identifier: MIT
"""
Real Linux that reboots by kexpress: Debian's kernels under QEMU, with a shell script as init that
loads and executes the next one. Nothing else is in the initramfs but busybox and kexpress.
"""

import json
import random
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/qemu"))

import cpio  # noqa: E402
import debian  # noqa: E402
from machine import MIB, Board, Machine  # noqa: E402

LOADER = TOP / "build/loader/kexpress"
SABOTEUR = TOP / "build/loader/saboteur"
BUDGET = 300  # seconds; a reboot takes ten on an idle machine
DIRECTORIES = ["proc", "sys", "dev", "run", "tmp"]

# Both kernels'. What a script says is one line each, behind "first: " or "next: ".
INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin:/sbin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmp /tmp
mount -t tmpfs run /run
{script}
poweroff -f
"""

LOAD = "kexpress -l /next/Image --initrd=/next/initramfs --append='console=ttyAMA0 panic=-1' --debug"
REBOOT = f"""{LOAD} {{options}}
echo "first: loaded $?"
{{between}}
kexpress -e
echo "first: executed $?"
"""
ARRIVED = """echo "next: kernel $(uname -r)"
echo "next: cpus $(nproc)"
echo "next: cmdline $(cat /proc/cmdline)"
[ ! -f /filler ] || echo "next: filler $(md5sum /filler)"
echo "next: status $(kexpress status --json)"
dmesg | grep -E 'probably corrupted|reserved range.*not found|Call trace' && echo "next: trouble"
"""


def kernel(version):
    try:
        return debian.kernel(version)
    except StopIteration:
        pytest.skip(f"Debian's kernel {version} is not there")


def release(version):
    return kernel(version).name.removeprefix("vmlinuz-")


def initramfs(script, files=()):
    files = {"init": INIT.format(script=script).encode(),
             "bin/busybox": (debian.UNPACKED / "busybox-static/bin/busybox").read_bytes(),
             "sbin/kexpress": LOADER.read_bytes(), **dict(files)}
    return cpio.archive(files, DIRECTORIES)


def filler(size, seed=1):
    """What cannot be packed, nor found by chance; in whole MiB."""
    source = random.Random(seed)
    return b"".join(source.randbytes(MIB) for _ in range(size // MIB))


def next_files(version, script=ARRIVED, files=()):
    return {"next/Image": kernel(version).read_bytes(), "next/initramfs": initramfs(script, files)}


def reboot_script(options="", between=":"):
    return REBOOT.format(options=options, between=between)


@dataclass
class Hardware:
    """What the machine is; level as Linux sees it: EL1, EL2, or VHE."""

    level: str = "EL1"
    smp: int = 1
    gic: str = "3"  # 2, 3, or its: a GICv3 with its ITS
    ram: int = 1024 * MIB

    def board(self, version, archive, append="", extra=()):
        its = ["-M", f"its={'on' if self.gic == 'its' else 'off'}"] if self.gic != "2" else []
        return Board(el=1 if self.level == "EL1" else 2,
                     cpu="cortex-a76" if self.level == "VHE" else "cortex-a72",
                     smp=self.smp, ram=self.ram, gic="2" if self.gic == "2" else "3",
                     kernel=kernel(version), initrd=archive,
                     append=f"console=ttyAMA0 panic=-1 {append}",
                     extra=[*its, "-device", "virtio-rng-pci", *extra])


class Reboot:
    """What a machine has said by the time it was off."""

    def __init__(self, hardware, version, directory, script, files=(), append="", extra=(),
                 budget=BUDGET):
        archive = Path(directory) / "initramfs"
        archive.write_bytes(initramfs(script, files))
        with Machine(hardware.board(version, archive, append, extra)) as machine:
            machine.start()
            self.reason = machine.finish(budget)
            self.console = machine.console.replace("\r", "")

    def lines(self, prefix):
        return [line[len(prefix):] for line in self.console.splitlines()
                if line.startswith(prefix)]

    def said(self, who, key):
        """What follows "who: key ", of the first such line."""
        found = self.lines(f"{who}: {key} ")
        assert found, f"no {who}: {key}\n" + "\n".join(self.console.splitlines()[-25:])
        return found[0]

    @property
    def status(self):
        return json.loads(self.said("next", "status"))
