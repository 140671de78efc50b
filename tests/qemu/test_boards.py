# SPDX-License-Identifier: MIT
"""
Each board of boards/, as QEMU models it, relocates a kernel, which then has all that it needs; and
Debian's kernel starts, as far as it does on QEMU's model without us.
"""

import struct

import pytest

import abi
import check
from abi import MIB, PAGE, Image, pages
from boards import all_boards
from installer import BUDGET, Shell
from scene import fit_payload, probe_kernel, random_bytes
from test_cores import POLLED, POLLING, TRUE

BOARDS = list(all_boards())


def others(board):
    """What the kernel gets of each other CPU, by the way that the device tree names."""
    found = {"psci": "off", "spin-table": "spins"}.get(board.start)
    return {n: f"{found} answers at el={board.el} e2h=0" for n in range(1, board.cores) if found}


def probe(board, boot, payload, stage=None, behind=b""):
    """Boots it, checks everything, and returns how many cores have moved it. behind: what is behind
    the kernel's .bss."""
    allowed = POLLED if board.start == "spin-table" else POLLING
    with boot(payload, board, allowed=allowed, stage=stage) as s:
        s.run(last_line=None if board.start == "psci" else "probe: done\r\n")
        assert s.reason == ("guest-shutdown" if board.start == "psci" and s.ram else None)
        assert s.report.errors == [] and s.report.warnings == []
        check.exit_state(s)
        check.contents(s)
        check.timing(s)
        assert s.report.cpus == others(board)
        end = s.report.probe["base"] + Image(payload.kernel).memory_size
        assert not behind or s.ram.read(end - len(behind), len(behind)) == behind
        return s.report.timing["cores"]


@pytest.mark.path("boot protocol, or hand-off")
@pytest.mark.board
@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_probe(board, boot, tmp_path, ramdisk):
    probe(board, boot, fit_payload(tmp_path / "payload", probe_kernel(out=board.out), ramdisk))


def large_payload(board, path, ramdisk, behind):
    """A probe with so much behind its .bss that it is worth several cores."""
    kernel = probe_kernel(out=board.out)
    data = bytearray(kernel.ljust(Image(kernel).memory_size, b"\0"))
    data += behind
    struct.pack_into("<Q", data, Image.IMAGE_SIZE, len(data))
    payload = fit_payload(path, bytes(data), ramdisk)
    payload.kernel = bytes(data[:len(kernel)])  # what the probe tells the hash of
    payload.placed = (pages(len(data)) + pages(len(ramdisk))) * PAGE
    return payload


def boards_with_cores():
    for board in BOARDS:
        if board.start:
            marks = () if board.name in ("raspi3b", "zcu102") else pytest.mark.slow
            yield pytest.param(board, id=str(board), marks=marks)


@pytest.mark.parametrize("board", boards_with_cores())
def test_cores(board, boot, tmp_path, ramdisk):
    """All of them move, and all are the kernel's afterwards."""
    stage = tmp_path / "keen.bin"
    stage.write_bytes(abi.patched(board.out / "kexpress.bin", board.out / "kexpress.elf",
                                  {"team_grows": TRUE}))
    behind = random_bytes(10 * MIB, 7)
    payload = large_payload(board, tmp_path / "payload", ramdisk, behind)
    cores = probe(board, boot, payload, stage, behind)
    assert max(2, board.cores // 2) <= cores <= board.cores


# How far Debian's kernel gets, by what it says.
REACHED = {
    "entry": "Booting Linux on physical CPU",
    "cores": "SMP: Total of {} processors activated",
}


@pytest.mark.path("boot protocol: Debian")
@pytest.mark.slow
@pytest.mark.board
@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_debian(board, boot, debian):
    """Moved by all cores, which are all the kernel's then. Not judged: that takes too long."""
    append = f"rdinit=/bin/sh {board.debian['append']}"
    with boot(debian, board, append=append, judged=False) as s:
        s.machine.start()
        if board.debian["reaches"] == "shell":
            shell = Shell(s.machine)
            assert shell.run("mount -t sysfs sysfs /sys") == ""
            online = shell.run("cat /sys/devices/system/cpu/online")
            assert online == f"0-{board.cores - 1}\n"
        else:
            s.machine.expect(REACHED[board.debian["reaches"]].format(board.cores), BUDGET)
        assert s.report.timing["bytes_copied"] == debian.moved
        assert (s.report.timing["cores"] > 1) == bool(board.start)
