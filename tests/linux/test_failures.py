# SPDX-License-Identifier: MIT
"""What happens when something is wrong: it is said, and the system goes on, or starts anew."""

import gzip

import pytest

import bed
import debian
from bed import LOAD, MIB, Hardware, Reboot

OK, FAILED, USAGE, NOT_LOADED, DAMAGED, NOT_PERMITTED, NO_MEMORY = range(7)
IN_KERNEL = 16 * MIB  # offset in the store: most of it is the kernel's
STATE = 'echo "first: loaded-now $(cat /sys/kernel/kexec_loaded) $(ls /run/kexpress 2>/dev/null)"'
POOL = "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"


def run(tmp_path, script, files=(), version="6.1", hardware=Hardware(), **how):
    return Reboot(hardware, version, tmp_path, script, {**bed.next_files("6.1"), **dict(files)},
                  **how)


def saboteur():
    return {"bin/saboteur": bed.SABOTEUR.read_bytes()}


def check_still_there(reboot, status, message):
    """Nothing is loaded any more, and no memory is kept."""
    assert reboot.reason == "guest-shutdown"
    assert reboot.said("first", "executed") == str(status)
    assert any(message in line for line in reboot.lines("kexpress: ")), reboot.console[-2000:]
    assert reboot.said("first", "loaded-now").strip() == "0"
    assert reboot.said("first", "pool") == "0"
    assert "next:" not in reboot.console


def after(script):
    return f"{script}\n{STATE}\necho \"first: pool $(cat {POOL})\"\n"


@pytest.mark.slow
@pytest.mark.parametrize("version", debian.KERNELS)
def test_changed_page(version, tmp_path):
    script = after(bed.reboot_script(between=f"saboteur {IN_KERNEL}"))
    reboot = run(tmp_path, script, saboteur(), version)
    check_still_there(reboot, DAMAGED, "is not what was loaded; unloaded")


def test_check(tmp_path):
    """As a service does it at shutdown."""
    script = f"""{LOAD}
kexpress check; echo "first: good $?"
saboteur {IN_KERNEL}
kexpress check; echo "first: executed $?"
kexpress check; echo "first: again $?"
"""
    reboot = run(tmp_path, after(script), saboteur())
    assert reboot.said("first", "good") == str(OK)
    assert reboot.said("first", "again") == str(NOT_LOADED)
    check_still_there(reboot, DAMAGED, "is not what was loaded; unloaded")


@pytest.mark.parametrize("level", ("EL1", pytest.param("EL2", marks=pytest.mark.slow)))
def test_changed_too_late(level, tmp_path):
    """After the last look from Linux the stage finds it, says so, and resets the machine."""
    reboot = run(tmp_path, f"{LOAD}\nsaboteur {IN_KERNEL} exec\n", saboteur(),
                 hardware=Hardware(level))
    assert reboot.reason == "guest-reset"
    assert any("E_HASH: segment is not what its CRC says, 0x" in line
               for line in reboot.lines("kexpress: error "))
    assert "next:" not in reboot.console


@pytest.mark.slow
def test_pages_gone(tmp_path):
    reboot = run(tmp_path, after(bed.reboot_script(between="saboteur remove")), saboteur())
    check_still_there(reboot, DAMAGED, "memory is gone")


@pytest.mark.slow
@pytest.mark.parametrize("mount", (":", "mount -t securityfs s /sys/kernel/security"),
                         ids=("unseen", "seen"))
def test_locked_down(mount, tmp_path):
    script = f"{mount}\n{LOAD}\necho \"first: executed $?\"\n"
    reboot = run(tmp_path, after(script), append="lockdown=integrity")
    check_still_there(reboot, NOT_PERMITTED, "lock" if mount != ":" else "not permitted")


@pytest.mark.slow
def test_disabled(tmp_path):
    script = f"echo 1 >/proc/sys/kernel/kexec_load_disabled\n{LOAD}\necho \"first: executed $?\"\n"
    check_still_there(run(tmp_path, after(script)), NOT_PERMITTED, "kexec_load_disabled is 1")


@pytest.mark.slow
def test_memory_short(tmp_path):
    """It is not the payload that others are killed for."""
    script = f"""mount -t tmpfs -o size=95% fill /mnt
available() {{ awk '/MemAvailable/ {{print int($2 / 1024)}}' /proc/meminfo; }}
dd if=/dev/zero of=/mnt/fill bs=1M count=$(($(available) - 45)) 2>/dev/null
{LOAD}
echo "first: executed $?"
"""
    reboot = run(tmp_path, after(script), {"mnt/empty": b""})
    check_still_there(reboot, NO_MEMORY, "memory is short")
    assert "Out of memory" not in reboot.console


def test_nothing_loaded(tmp_path):
    commands = {"-e": NOT_LOADED, "check": NOT_LOADED, "-u": NOT_LOADED, "-p /next/Image": USAGE,
                "": USAGE, "-l": USAGE, "-l -e /next/Image": USAGE, "--what": USAGE,
                "-l /nothing": FAILED, "-l /bin/busybox": FAILED, "-l /proc": FAILED,
                "-l /next/Image --initrd=/nothing": FAILED, "-l /next/Image --dtb=/init": FAILED,
                "status": OK, "status --json": OK, "--help": OK, "--version": OK}
    script = "".join(f"kexpress {command}; echo \"first: status-{i} $?\"\n"
                     for i, command in enumerate(commands))
    reboot = run(tmp_path, after(script + "echo 'first: executed 0'\n"))
    found = {command: int(reboot.said("first", f"status-{i}"))
             for i, command in enumerate(commands)}
    assert found == commands
    check_still_there(reboot, OK, "nothing is loaded")


@pytest.mark.slow
def test_unload(tmp_path):
    script = f"""{LOAD}
{LOAD}
echo "first: twice $?"
kexpress -u
echo "first: executed $?"
ipcs -m
"""
    reboot = run(tmp_path, after(script))
    assert reboot.said("first", "twice") == str(OK)
    assert "\n0x" not in reboot.console
    check_still_there(reboot, OK, "entry 0x")


@pytest.mark.slow
def test_damaged_gzip(tmp_path):
    packed = bytearray(gzip.compress(bed.kernel("6.1").read_bytes(), 1))
    packed[len(packed) // 2] ^= 1
    script = "kexpress -l /next/Image.gz\necho \"first: executed $?\"\n"
    reboot = run(tmp_path, after(script), {"next/Image.gz": bytes(packed)})
    check_still_there(reboot, FAILED, "damaged gzip data")
