# SPDX-License-Identifier: MIT
"""
Each board of boards/, as QEMU models it, relocates a kernel, which then has all that it needs; and
Debian's kernel starts, as far as it does on QEMU's model without us.
"""

import pytest

import check
from boards import all_boards, board_scene
from installer import BUDGET, Shell
from scene import fit_payload, probe_kernel
from test_cores import POLLED, POLLING

BOARDS = list(all_boards())


def others(board):
    """What the kernel gets of each other CPU, by the way that the device tree names."""
    found = {"psci": "off", "spin-table": "spins"}.get(board.start)
    return {n: f"{found} answers at el={board.el} e2h=0" for n in range(1, board.cores) if found}


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_probe(board, tmp_path, ramdisk):
    payload = fit_payload(tmp_path / "payload", probe_kernel(out=board.out), ramdisk)
    allowed = POLLED if board.start == "spin-table" else POLLING
    with board_scene(board, payload, allowed=allowed) as s:
        s.run(last_line=None if board.start == "psci" else "probe: done\r\n")
        assert s.reason == ("guest-shutdown" if board.start == "psci" else None)
        assert s.report.errors == [] and s.report.warnings == []
        check.exit_state(s)
        check.contents(s)
        check.timing(s)
        assert s.report.cpus == others(board)


# How far Debian's kernel gets, by what it says.
REACHED = {
    "entry": "Booting Linux on physical CPU",
    "cores": "SMP: Total of {} processors activated",
}


@pytest.mark.slow
@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_debian(board, debian):
    """Moved by all cores, which are all the kernel's then. Not judged: that takes too long."""
    append = f"rdinit=/bin/sh {board.debian['append']}"
    with board_scene(board, debian, append=append, judged=False) as s:
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
