# SPDX-License-Identifier: MIT
"""From every kernel to every other, on all kinds of machines."""

import gzip
import hashlib
import itertools
import re

import pytest

import bed
import fit
from bed import MIB, Hardware, Reboot

OLD = ("5.10", "6.1", "6.12")
NEXT = ("6.1", "6.12")
LEVELS = ("EL1", "EL2", "VHE")
CPUS = (1, 4)
GICS = ("2", "3", "its")
BOOT_EL = {"EL1": 1, "EL2": 2, "VHE": 2}
GIB = 1024 * MIB

# Every value once at least, and what has failed before: the rest is slow.
USUAL = (("5.10", "6.1", "EL2", 1, "2"), ("6.1", "6.12", "EL1", 4, "its"),
         ("6.12", "6.1", "VHE", 1, "3"))


def cells():
    for cell in itertools.product(OLD, NEXT, LEVELS, CPUS, GICS):
        old, following, level, smp, gic = cell
        yield pytest.param(*cell, id=f"{old}-{following}-{level}-{smp}cpu-gic{gic}",
                           marks=() if cell in USUAL else pytest.mark.slow)


def check_arrived(reboot, version, smp=1):
    assert reboot.reason == "guest-shutdown", reboot.console[-3000:]
    assert reboot.said("first", "loaded") == "0"
    assert reboot.said("next", "kernel") == bed.release(version)
    assert reboot.said("next", "cpus") == str(smp)
    assert "next: trouble" not in reboot.console
    relocation = reboot.status["relocation"]
    assert relocation["bytes-hashed"] > 32 * MIB
    assert "kexpress." not in reboot.said("next", "cmdline")
    return relocation


@pytest.mark.parametrize("old, following, level, smp, gic", cells())
def test_reboot(old, following, level, smp, gic, tmp_path):
    reboot = Reboot(Hardware(level, smp, gic), old, tmp_path, bed.reboot_script(),
                    bed.next_files(following))
    relocation = check_arrived(reboot, following, smp)
    assert relocation["boot-el"] == BOOT_EL[level]


@pytest.mark.parametrize("size, ram", (
    pytest.param(64 * MIB, 1 * GIB, id="100M", marks=pytest.mark.slow),
    pytest.param(480 * MIB, 3 * GIB, id="512M", marks=pytest.mark.slow),
    pytest.param(990 * MIB, 6 * GIB, id="1G", marks=pytest.mark.slow)))
@pytest.mark.parametrize("old", ("5.10", "6.12"))
def test_size(old, size, ram, tmp_path):
    filler = bed.filler(size)
    reboot = Reboot(Hardware(ram=ram, smp=2), old, tmp_path, bed.reboot_script(),
                    bed.next_files("6.1", files={"filler": filler}), budget=900)
    check_arrived(reboot, "6.1", 2)
    assert reboot.said("next", "filler").split()[0] == hashlib.md5(filler).hexdigest()


FIRMWARE = ["-bios", "/usr/share/qemu-efi-aarch64/QEMU_EFI.fd"]


@pytest.mark.parametrize("old", ("6.1", *(pytest.param(version, marks=pytest.mark.slow)
                                          for version in ("5.10", "6.12"))))
@pytest.mark.parametrize("acpi", ("on", pytest.param("off", marks=pytest.mark.slow)))
def test_efi(acpi, old, tmp_path):
    """RAM is not in the device tree then; with ACPI nothing is but /chosen, and there must be no
    more in it, or the next kernel turns to it. LPI tables are where the old kernel has put them."""
    between = "dmesg | grep -c 'efi: EFI v'"
    reboot = Reboot(Hardware(smp=2, gic="its"), old, tmp_path,
                    bed.reboot_script(between=between),
                    bed.next_files("6.1", script=f"{bed.ARRIVED}\ndmesg | grep -E 'EFI v|ACPI: P'"),
                    extra=[*FIRMWARE, "-M", f"acpi={acpi}"])
    relocation = check_arrived(reboot, "6.1", smp=2)
    after = reboot.console[reboot.console.index("next: status"):]
    assert "efi: EFI v" in after
    assert ("ACPI: P" in after) == (acpi == "on")
    assert relocation["cores"] == (1 if acpi == "on" else 2)


@pytest.mark.slow
def test_gzip(tmp_path):
    script = bed.reboot_script().replace("/next/Image", "/next/Image.gz")
    files = bed.next_files("6.1")
    files["next/Image.gz"] = gzip.compress(files.pop("next/Image"), 1)
    check_arrived(Reboot(Hardware(), "6.1", tmp_path, script, files), "6.1")


def test_fit(tmp_path):
    files, payload = bed.next_files("6.1"), tmp_path / "payload.itb"
    fit.simple(files["next/Image"], files["next/initramfs"]).make(payload)
    script = bed.reboot_script().replace("/next/Image --initrd=/next/initramfs", "/next/fit")
    check_arrived(Reboot(Hardware(), "6.1", tmp_path, script,
                         {"next/fit": payload.read_bytes()}), "6.1")


@pytest.mark.slow
def test_command_line(tmp_path):
    """--reuse-cmdline is the running one's, without what was said to a boot loader or to us; without
    options it is the same."""
    script = bed.reboot_script().replace("--append='", "--reuse-cmdline --append='added ")
    files = bed.next_files("6.1")
    reboot = Reboot(Hardware(), "6.1", tmp_path, script, files, append="BOOT_IMAGE=/x mark=7")
    check_arrived(reboot, "6.1")
    assert reboot.said("next", "cmdline") == ("console=ttyAMA0 panic=-1 mark=7 added "
                                              "console=ttyAMA0 panic=-1")
    script = re.sub(r"--append='[^']*'", "", bed.reboot_script())
    reboot = Reboot(Hardware(), "6.1", tmp_path, script, files, append="kexpress.debug mark=8")
    check_arrived(reboot, "6.1")
    assert reboot.said("next", "cmdline") == "console=ttyAMA0 panic=-1 mark=8"


# Every other page of memory is somebody's, and there is little of it.
FRAGMENT = """mount -t tmpfs -o size=95%,nr_inodes=0 fill /mnt
available() { awk '/MemAvailable/ {print int($2 / 1024)}' /proc/meminfo; }
pieces=$(($(available) - 40))
i=0
while [ $i -lt $pieces ]; do dd if=/dev/zero of=/mnt/$i bs=4k count=256 2>/dev/null; i=$((i+1)); done
i=0
while [ $i -lt $pieces ]; do
    dd if=/dev/zero of=/mnt/$i bs=4k count=1 seek=256 conv=notrunc 2>/dev/null; i=$((i+2))
done
i=0
while [ $i -lt $pieces ]; do rm /mnt/$i; i=$((i+3)); done
"""
COMPACT = "echo 1 >/proc/sys/vm/compact_memory"
SYS = "/sys/kernel/mm"
HIDE = f"mount -t tmpfs none {SYS}/hugepages"
# What there is, before a load; what it is kept in then.
PAGES = {
    "small": (f"{HIDE}\necho never >{SYS}/transparent_hugepage/shmem_enabled", "4 KiB, locked"),
    "transparent": (f"{HIDE}\necho advise >{SYS}/transparent_hugepage/shmem_enabled",
                    "4 KiB, locked"),
    "32M": (f"echo 3 >{SYS}/hugepages/hugepages-32768kB/nr_hugepages\n"
            f"mount -t tmpfs none {SYS}/hugepages/hugepages-2048kB", "32768 KiB"),
    "mixed": (f"echo 2 >{SYS}/hugepages/hugepages-32768kB/nr_hugepages\n"
              f"echo 6 >{SYS}/hugepages/hugepages-2048kB/nr_hugepages\n"
              f"mkdir -p /tmp/p; echo 6 >/tmp/p/nr_hugepages; echo 6 >/tmp/p/free_hugepages\n"
              f"echo 0 >/tmp/p/resv_hugepages\n"
              f"mount --bind /tmp/p {SYS}/hugepages/hugepages-2048kB", "2048 KiB"),
    "1G": (f"echo 1 >{SYS}/hugepages/hugepages-1048576kB/nr_hugepages\n"
           f"mount -t tmpfs none {SYS}/hugepages/hugepages-2048kB", "1048576 KiB"),
}


@pytest.mark.parametrize("pages", ("small", *(pytest.param(kind, marks=pytest.mark.slow)
                                              for kind in PAGES if kind != "small")))
@pytest.mark.parametrize("old", ("6.1", *(pytest.param(version, marks=pytest.mark.slow)
                                          for version in ("5.10", "6.12"))))
def test_pages(old, pages, tmp_path):
    """Kept in pages of any kind; those that the kernel moves are found again."""
    prepare, kind = PAGES[pages]
    script = f"{prepare}\n" + bed.reboot_script(between=COMPACT).replace(
        "kexpress -e", "kexpress -e --debug")
    reboot = Reboot(Hardware(ram=4 * GIB if pages == "1G" else GIB), old, tmp_path, script,
                    bed.next_files("6.1"))
    check_arrived(reboot, "6.1")
    assert any(line.endswith(f" pages of {kind}") for line in reboot.lines("kexpress: "))


@pytest.mark.slow
@pytest.mark.parametrize("old", OLD)
def test_memory_pressure(old, tmp_path):
    script = FRAGMENT + bed.reboot_script(between=COMPACT)
    reboot = Reboot(Hardware(ram=512 * MIB), old, tmp_path, script,
                    {"mnt/empty": b"", **bed.next_files("6.1")})
    check_arrived(reboot, "6.1")


LOOP = """n=$(sed 's/.*loop=\\([0-9]*\\).*/\\1/' /proc/cmdline)
echo "first: round $n $(uname -r) $(kexpress status | wc -l)"
[ $n -lt {rounds} ] || {{ echo "first: all"; poweroff -f; }}
cd /
for name in {directories} bin; do echo $name; done >/tmp/names
find init bin/busybox sbin next dev/console >>/tmp/names
cpio -o -H newc </tmp/names >/tmp/initramfs
kexpress -l /next/Image --initrd=/tmp/initramfs --append="console=ttyAMA0 panic=-1 loop=$((n+1))"
kexpress -e
"""


@pytest.mark.slow
@pytest.mark.parametrize("rounds", (3, 50))
def test_loop(rounds, tmp_path):
    """Each system makes the next one's initramfs of itself."""
    script = LOOP.format(rounds=rounds, directories=" ".join(bed.DIRECTORIES))
    reboot = Reboot(Hardware("EL2", 4, "its"), "6.1", tmp_path, script,
                    {"next/Image": bed.kernel("6.1").read_bytes()}, append="loop=0",
                    budget=60 * (rounds + 2))
    assert "first: all" in reboot.console, reboot.console[-3000:]
    assert [line.split()[0] for line in reboot.lines("first: round ")] == [
        str(i) for i in range(rounds + 1)]
    assert "probably corrupted" not in reboot.console
