# SPDX-License-Identifier: MIT
"""
Started by Xen as its first guest. Its console is Xen's by hypercall, for the UART is not its own.
"""

import pytest

import abi
import check
import debian
import fit
import xen
from abi import PAGE, pages
from installer import BUDGET, Shell
from scene import Payload, fit_payload
from test_fault import Dump

UNDEFINED = b"\0\0\0\0"  # an instruction


@pytest.fixture(scope="module", autouse=True)
def hypervisor():
    if not xen.hypervisor():
        pytest.skip("Debian's package is not there")


@pytest.fixture
def payload(tmp_path, ramdisk):
    return fit_payload(tmp_path / "payload", xen.probe(), ramdisk)


def run(s):
    s.run(budget=xen.BUDGET)
    assert s.reason == "guest-shutdown"
    assert xen.UART_USED not in s.report.console


@pytest.mark.path("Xen, as dom0", level="EL1")
@pytest.mark.parametrize("gic, mmu", (("2", True), ("3", False)), ids=("gic2", "gic3-mmu-off"))
def test_probe(gic, mmu, payload, tmp_path):
    append = f"kexpress.onerror=poweroff kexpress.mmu={'on' if mmu else 'off'}"
    with xen.xen_scene(tmp_path, payload, gic, append) as s:
        run(s)
        check.everything(s, mmu)
        assert s.report.warnings == []
        assert s.report.cpus == {1: "off answers at el=1 e2h=0"}


def test_error(tmp_path):
    path = tmp_path / "payload"
    path.write_bytes(bytes(PAGE))
    with xen.xen_scene(tmp_path, Payload(b"", initrd=path)) as s:
        run(s)
        assert s.report.errors == ["FORMAT"]


def test_crash(payload, tmp_path, patch):
    """The dump is made with the MMU off. Xen puts a carriage return of its own before a newline."""
    patch(hand_over=UNDEFINED)
    with xen.xen_scene(tmp_path, payload) as s:
        run(s)
        assert Dump(s.machine.console.replace("\r\r", "\r")).step == "hand over"


@pytest.mark.path("Xen: Debian as dom0", level="EL1")
@pytest.mark.slow
def test_debian(tmp_path):
    kernel, _ = debian.installer()
    path = tmp_path / "payload"
    shell = debian.shell()
    fit.simple(kernel, shell).make(path)
    payload = Payload(kernel.read_bytes(), shell, initrd=path, in_place=pages(len(shell)) * PAGE)
    with xen.xen_scene(tmp_path, payload, append="console=hvc0") as s:
        s.machine.start()
        shell = Shell(s.machine)
        assert xen.UART_USED not in s.report.console
        assert s.report.timing["bytes_copied"] == payload.moved
        assert shell.run("cat /sys/hypervisor/type") == "xen\n"
        assert "Xen 4." in shell.run("dmesg | grep 'support found'")
        assert shell.run("cat /sys/devices/system/cpu/online") == "0-1\n"
        s.machine.send("poweroff -f\n")
        assert s.machine.finish(budget=BUDGET) == "guest-shutdown"
