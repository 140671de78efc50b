# SPDX-License-Identifier: MIT
"""kexpress as an EFI application: started by the firmware, its shell and GRUB."""

import re

import pytest

import abi
import check
import fit
import tree
from abi import GIB
from efi import BUDGET, GRUB, SYSTEMD_BOOT, U_BOOT, Volume, efi, everything
from installer import BUDGET as DEBIAN_BUDGET
from installer import Shell
from machine import Board
from scene import EL1, EL2, Payload, Start, fit_payload, image_payload

OFF = "kexpress.onerror=poweroff"
MAX = Start("el2-max", 2, cpu="max")


def slow(value):
    return pytest.param(value, marks=pytest.mark.slow)


@pytest.fixture
def payload(tmp_path, kernel, ramdisk):
    return fit_payload(tmp_path / "payload", kernel, ramdisk)


@pytest.fixture
def volume(tmp_path):
    return Volume(tmp_path / "volume")


def by_qemu(payload, append=""):
    """QEMU hands these to the firmware, which starts the kernel and provides the initrd to it as a
    boot manager would (LoadFile2)."""
    return {"kernel": abi.STAGE, "initrd": payload.initrd, "append": f"{OFF} {append}"}


@pytest.mark.path("EFI")
@pytest.mark.parametrize("start", (slow(EL1), EL2, slow(MAX)), ids=str)
def test_provided(start, payload):
    with efi(start, payload, **by_qemu(payload, "one two")) as s:
        s.run(budget=BUDGET)
        everything(s)
        assert s.report.bootargs == "one two initrd=initrd"  # the last is the firmware's
        assert s.report.warnings == []


@pytest.mark.slow
def test_several_cpus(payload):
    with efi(EL2, payload, smp=4, **by_qemu(payload)) as s:
        s.run(budget=BUDGET)
        everything(s)


@pytest.mark.slow
def test_plain_image(tmp_path, kernel):
    payload = image_payload(tmp_path / "payload", kernel, None)
    with efi(EL1, payload, **by_qemu(payload)) as s:
        s.run(budget=BUDGET)
        assert s.report.errors == []
        assert s.report.sha256["kernel"]


@pytest.mark.slow
def test_tree_of_the_payload(tmp_path, kernel, ramdisk):
    """The kernel that brings its own device tree has the firmware's services too."""
    own = Board(el=1).device_tree()
    payload = fit_payload(tmp_path / "payload", kernel, ramdisk, fdt=own)
    with efi(EL1, payload, **by_qemu(payload)) as s:
        s.run(budget=BUDGET)
        everything(s)


@pytest.fixture
def medium(tmp_path, volume, kernel, ramdisk):
    """Nobody says anything: the payload has its name, and brings its arguments."""
    payload = fit_payload(tmp_path / "payload", kernel, ramdisk, bootargs="of the FIT")
    volume.removable(abi.STAGE.read_bytes())
    volume.add("kexpress.itb", payload.initrd.read_bytes())
    return payload


def test_removable_medium(volume, medium):
    with efi(EL1, medium, volume) as s:
        s.run(budget=BUDGET)
        everything(s)
        assert s.report.bootargs == "of the FIT"


@pytest.mark.path("EFI: U-Boot")
@pytest.mark.slow
@pytest.mark.parametrize("start", (EL1, EL2), ids=str)
def test_u_boot(start, volume, medium):
    """U-Boot is EFI firmware too. Not judged: it has faults of its own (docs/lens.md)."""
    with efi(start, medium, volume, judged=False, firmware=U_BOOT) as s:
        s.run(budget=BUDGET)
        everything(s)
        assert s.report.bootargs == "of the FIT"


def test_shell(volume, payload):
    """The name that the shell puts first is no argument."""
    volume.add("a/b.itb", payload.initrd.read_bytes())
    volume.shell(f"kexpress.efi one initrd=/a/b.itb {OFF} two")
    with efi(EL1, payload, volume) as s:
        s.run(budget=BUDGET)
        everything(s)
        assert s.report.bootargs == "one initrd=/a/b.itb two"
        assert s.report.warnings == []


def grub(volume):
    """Names the initrd in a device tree of its own, in bookworm's version."""
    volume.add("EFI/debian/grub.cfg", f"linux /kexpress.bin {OFF}\ninitrd /payload.itb\nboot\n")
    return GRUB, "BOOT_IMAGE=/kexpress.bin"


def systemd_boot(volume):
    """Names the initrd on the command line, in bookworm's version."""
    volume.add("loader/loader.conf", "timeout 0\ndefault debian.conf\n")
    volume.add("loader/entries/debian.conf", "title Debian\nlinux /kexpress.bin\n"
               f"initrd /payload.itb\noptions {OFF}\n")
    return SYSTEMD_BOOT, "initrd=\\payload.itb"


@pytest.mark.path("EFI: GRUB, systemd-boot")
@pytest.mark.parametrize("start", (EL1, slow(EL2)), ids=str)
@pytest.mark.parametrize("manager", (grub, slow(systemd_boot)))
def test_boot_manager(start, manager, volume, payload):
    binary, bootargs = manager(volume)
    volume.removable(binary.read_bytes())
    volume.add("kexpress.bin", abi.STAGE.read_bytes())
    volume.add("payload.itb", payload.initrd.read_bytes())
    with efi(start, payload, volume) as s:
        s.run(budget=BUDGET)
        everything(s)
        assert s.report.bootargs == bootargs


REFUSED = {  # file: what it is made of, and the error
    "none": (lambda fit: None, "NO_PAYLOAD"),
    "empty": (lambda fit: b"", "PAYLOAD_RANGE"),
    "gzip": (lambda fit: b"\x1f\x8b" + bytes(1000), "GZIP"),
    "half": (lambda fit: fit[:len(fit) // 2], "FIT"),
    "torn": (lambda fit: fit[:100] + b"\xff" * 4000 + fit[4100:], "FIT"),
    "kernel": (lambda fit: fit.replace(b"ARM\x64", b"ARM\x65"), "IMAGE"),
}


def test_refused(volume, payload):
    """The firmware gets back a machine that can start the next; here, one that is right."""
    good = payload.initrd.read_bytes()
    commands = []
    for name, (make, _) in REFUSED.items():
        data = make(good)
        if data is not None:
            volume.add(name, data)
        commands += [f"kexpress.efi kexpress.verify=off initrd={name}", f"echo {name}: %lasterror%"]
    volume.add("good", good)
    volume.shell("memmap", *commands, "memmap", f"kexpress.efi initrd=good {OFF}")
    with efi(EL1, payload, volume) as s:
        s.run(budget=BUDGET)
        assert s.report.errors == [error for _, error in REFUSED.values()]
        for name in REFUSED:
            status = "0xE" if name == "none" else "0x1"
            assert any(line.startswith(f"{name}: {status}") for line in s.report.lines), name
        kept = [line for line in s.report.lines if re.match(r"\s*LoaderData\s*:", line)]
        assert len(kept) == 2 and kept[0] == kept[1]
        assert s.reason == "guest-shutdown"
        check.contents(s)


@pytest.mark.parametrize("start", (slow(0x10), slow(0x9000000), slow(0x50000000)), ids=hex)
def test_initrd_of_tree_nowhere(tmp_path, volume, start):
    """What the firmware's own tree says is looked up in its map before it is looked at."""
    def name_initrd(fdt):
        chosen = fdt.path_offset("/chosen")
        fdt.setprop_u64(chosen, "linux,initrd-start", start)
        fdt.setprop_u64(chosen, "linux,initrd-end", start + 0x1000)
    path = tmp_path / "tree"
    path.write_bytes(tree.edited(name_initrd))
    volume.shell("kexpress.efi", "echo status: %lasterror%", "reset -s")
    with efi(EL1, Payload(b""), volume, dtb=path) as s:
        s.run(budget=BUDGET)
        assert s.reason == "guest-shutdown"
        assert s.report.errors == ["PAYLOAD_RANGE"]
        assert any(line.startswith("status: 0x1") for line in s.report.lines)


@pytest.mark.slow
def test_long_command_line(volume, payload):
    long = " ".join(["x" * 99] * 20)
    with efi(EL1, payload, **by_qemu(payload, " ".join([long] * 3))) as s:
        s.machine.start()
        s.machine.expect("kexpress: error E_FDT_SPACE: command line longer", BUDGET)


def test_acpi_only(volume):
    volume.shell("kexpress.efi", "echo status: %lasterror%", "reset -s")
    with efi(EL2, Payload(b""), volume, acpi=True) as s:
        s.run(budget=BUDGET)
        assert s.reason == "guest-shutdown"
        assert "kexpress: error E_FDT: firmware has no device tree" in s.report.console
        assert any(line.startswith("status: 0x3") for line in s.report.lines)


@pytest.mark.parametrize("verify", ("on", slow("off")))
def test_wrong_hash(tmp_path, volume, kernel, ramdisk, verify):
    """A payload that has changed since is not worth leaving the firmware for, if it is to matter."""
    path = tmp_path / "payload"
    fit.simple(kernel, ramdisk).make(path)
    data = bytearray(path.read_bytes())
    data[data.index(kernel) + len(kernel) - 1] ^= 1
    volume.add("kexpress.itb", data)
    volume.shell(f"kexpress.efi {OFF} kexpress.verify={verify}", "echo status: %lasterror%",
                 "reset -s")
    with efi(EL1, Payload(kernel, ramdisk), volume) as s:
        s.run(budget=BUDGET)
        assert s.reason == "guest-shutdown"
        assert s.report.errors == ([] if verify == "off" else ["HASH"])
        assert ("probe: done" in s.report.lines) == (verify == "off")
        assert any(line.startswith("status: 0x1") for line in s.report.lines) == (verify == "on")


@pytest.mark.path("EFI: Debian")
@pytest.mark.parametrize("start", (slow(EL1), slow(EL2)), ids=str)
def test_debian(start, debian):
    """Linux has found the firmware's services, and uses its clock."""
    append = "rdinit=/bin/sh console=ttyAMA0"
    with efi(start, debian, judged=False, ram=2 * GIB, smp=2, **by_qemu(debian, append)) as s:
        s.machine.start()
        shell = Shell(s.machine)
        assert "efi: EFI v2" in s.machine.console
        assert "Remapping and enabling EFI services" in s.machine.console
        assert "registered as rtc0" in s.machine.console
        assert "WARNING" not in s.machine.console
        assert shell.run("mount -t sysfs sysfs /sys; ls /sys/firmware/efi/systab") != ""
        assert s.report.timing["cores"] == 2
        s.machine.send("poweroff -f\n")
        assert s.machine.finish(budget=DEBIAN_BUDGET) == "guest-shutdown"
