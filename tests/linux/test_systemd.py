# SPDX-License-Identifier: MIT
"""`systemctl kexec` on Debian, with kexec-tools and with kexpress, and what kexpress.service does."""

import re
import sys
from pathlib import Path

import pytest

import userland
from userland import Executable

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "lens/linux"))

import kexec  # noqa: E402
from abi import TOP  # noqa: E402
from machine import Machine  # noqa: E402

BUDGET = 600  # seconds; on an idle machine it takes 45
KEXPRESS = TOP / "build/loader/kexpress"
SERVICE = (TOP / "src/loader/systemd/kexpress.service").read_bytes()
SCRIPT = """
systemctl is-system-running --wait
systemctl enable kexpress.service
ipcmk -M 1M
{loader} -l /boot/Image --initrd=/boot/next --append='console=ttyAMA0 quiet' || exit
{loaded}
systemctl kexec
"""
LOADED_BY_STUB = "mkdir /run/kexpress; echo >/run/kexpress/loaded"

# systemd-shutdown's last act before it starts the next kernel.
LAST = """#!/bin/sh
exec >/dev/console 2>&1
echo "last: $1; segments $(ipcs -m | grep -c root); $(grep -E ' (/|/var) ext4' /proc/mounts)"
"""
# In the place of kexpress.
STUB = """#!/bin/sh
exec >/dev/console 2>&1
echo "stub: $*; /var $(mountpoint -q /var && echo mounted || echo unmounted)"
sleep 10 # longer than the rest of the machine takes
{action}
"""
# What ipcmk has made is still there, /var is unmounted, and root cannot be written to.
ENDED = r"last: kexec; segments [1-9]; /dev/vd\w / ext4 ro,relatime 0 0\r"
NEXT = r"next: Linux version"
CHECKED = ["check; /var mounted"]


def stub(action):
    return Executable(STUB.format(action=action).encode())


def reboot(directory, kexpress, loader="kexec", loaded=""):
    """The console, and why the machine went off in the end. kexpress: that program, or a stub;
    loaded: what the script does once it has loaded the next kernel."""
    files = {"boot/Image": userland.kernel().read_bytes(),
             "boot/next": kexec.next_initramfs(),
             "usr/sbin/kexpress": kexpress,
             "usr/lib/systemd/system/kexpress.service": SERVICE,
             "usr/lib/systemd/system-shutdown/last": Executable(LAST.encode())}
    script = SCRIPT.format(loader=loader, loaded=loaded)
    with Machine(userland.board(directory, script, files)) as machine:
        machine.start()
        reason = machine.finish(BUDGET)
    assert re.search(ENDED, machine.console), machine.console
    return machine.console, reason


def checks(console):
    return re.findall(r"stub: (.*)\r", console)


def next_runs(console, reason):
    return re.search(NEXT, console) and reason == "guest-shutdown"


def test_kexec_tools(tmp_path):
    """What others have loaded is left alone."""
    console, reason = reboot(tmp_path, stub("kexec -u; exit 1"))
    assert next_runs(console, reason), f"{reason}:\n{console}"
    assert not checks(console)


@pytest.fixture
def kexpress():
    if not KEXPRESS.exists():
        pytest.skip("it is not built: make loader")
    return Executable(KEXPRESS.read_bytes())


def test_kexpress(kexpress, tmp_path):
    console, reason = reboot(tmp_path, kexpress, "kexpress")
    assert next_runs(console, reason), f"{reason}:\n{console}"
    assert "Finished kexpress.service" in console and "kexpress: timing " in console, console


@pytest.mark.slow
def test_payload_that_is_gone(kexpress, tmp_path):
    """Whoever may can remove its memory. ipcmk's segment is number 0."""
    console, reason = reboot(tmp_path, kexpress, "kexpress", loaded="ipcrm -m 1")
    assert "Failed to start kexpress.service" in console and "memory is gone" in console, console
    assert not re.search(NEXT, console) and reason == "guest-reset", f"{reason}:\n{console}"


@pytest.mark.slow
def test_what_is_whole_is_started(tmp_path):
    """Without kexec-tools' command systemd makes the system call itself."""
    console, reason = reboot(tmp_path, stub("echo stub: whole"),
                             loaded=f"{LOADED_BY_STUB}; rm /sbin/kexec")
    assert checks(console) == [*CHECKED, "whole"], console
    assert next_runs(console, reason), f"{reason}:\n{console}"


@pytest.mark.slow
def test_what_is_not_whole_is_not_started(tmp_path):
    """kexpress check unloads it, and fails: the machine resets, from a clean state."""
    console, reason = reboot(tmp_path, stub("kexec -u; exit 1"), loaded=LOADED_BY_STUB)
    assert checks(console) == CHECKED, console
    assert not re.search(NEXT, console) and reason == "guest-reset", f"{reason}:\n{console}"
