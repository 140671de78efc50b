# SPDX-License-Identifier: MIT
"""
The boards of boards/*/board.toml, as QEMU models them: kexpress is started as a kernel is, by QEMU,
with a payload as the initrd.
"""

import tomllib
from contextlib import contextmanager
from dataclasses import dataclass, field

from abi import MIB, TOP
from judged import JudgedMachine
from machine import Board, Machine
from scene import Scene, Start

DTBS = "build/deps/arm64/linux-image-arm64/usr/lib/linux-image-*"
KERNEL_OFFSET = 2 * MIB  # where QEMU puts an Image that may be anywhere


@dataclass
class RealBoard(Board):
    """A board, entered at one exception level. board.toml says what its entries are."""

    name: str = ""
    qemu: dict = field(default_factory=dict)
    debian: dict = field(default_factory=dict)

    def __post_init__(self):
        self.out = TOP / "build" / self.name
        self.cpu = None  # the machine's own, or one that args name
        self.ram_base, self.ram = self.qemu["memory"]
        self.smp = self.qemu["smp"]
        self.cores = self.qemu.get("cores", self.smp)
        self.start = self.qemu["start"]
        self.serial = self.qemu["serial"]
        self.needs_gdb = "set_up" in self.qemu
        self.extra = self.qemu.get("args", []) + self.extra
        if "dtb" in self.qemu:
            self.dtb = find_dtb(self.qemu["dtb"])

    def __str__(self):
        return f"{self.name}-el{self.el}"

    def machine(self):
        return self.qemu["machine"][f"el{self.el}"]

    def set_up(self, machine):
        for address, value in self.qemu.get("set_up", []):
            machine.gdb.write_device(address, value)
        if self.needs_gdb:
            machine.gdb.go_on()


def find_dtb(name):
    found = sorted(TOP.glob(f"{DTBS}/{name}"))
    assert found, f"{name} is missing: make deps-test"
    return found[-1]


def boards_named(pattern):
    for path in sorted(TOP.glob(f"boards/{pattern}/board.toml")):
        toml = tomllib.loads(path.read_text())
        for el in toml["qemu"]["machine"]:
            yield RealBoard(name=path.parent.name, el=int(el.removeprefix("el")),
                            qemu=toml["qemu"], debian=toml["debian"])


def all_boards():
    return boards_named("*")


def find_board(name):
    """At the highest exception level it is entered at."""
    return max(boards_named(name), key=lambda b: b.el)


@contextmanager
def board_scene(board, payload, append="", judged=True, allowed=(), stage=None):
    """A machine that is not yet running, as scene()."""
    board.kernel = stage or board.out / "kexpress.bin"
    board.initrd = payload.initrd
    board.append = " ".join(filter(None, (payload.append, append, "kexpress.onerror=poweroff")))
    at = board.ram_base + KERNEL_OFFSET
    gdb = board.needs_gdb
    with JudgedMachine(board, at, allowed, gdb=gdb) if judged else Machine(board, gdb) as machine:
        board.set_up(machine)
        yield Scene(machine, Start(str(board), board.el), payload, False, at)
