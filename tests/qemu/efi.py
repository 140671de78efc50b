# SPDX-License-Identifier: MIT
"""Machines with EFI firmware, and what it must have left to the kernel."""

import struct
from contextlib import contextmanager
from pathlib import Path

import check
from abi import PAGE, STAGE, TOP
from judged import JudgedMachine
from machine import Board, Machine
from scene import Scene

FIRMWARE = Path("/usr/share/qemu-efi-aarch64/QEMU_EFI.fd")
ARM64 = TOP / "build/deps/arm64"
GRUB = ARM64 / "grub-efi-arm64-bin/usr/lib/grub/arm64-efi/monolithic/grubaa64.efi"
SYSTEMD_BOOT = ARM64 / "systemd-boot-efi/usr/lib/systemd/boot/efi/systemd-bootaa64.efi"
U_BOOT = ARM64 / "u-boot-qemu/usr/lib/u-boot/qemu_arm64/u-boot.bin"
NOWHERE = 0  # where the image is loaded is the firmware's business
BUDGET = 300  # seconds: the firmware runs under lens too

LOADER_CODE, LOADER_DATA, BOOT_CODE, BOOT_DATA, CONVENTIONAL = 1, 2, 3, 4, 7
FREE = (LOADER_CODE, LOADER_DATA, BOOT_CODE, BOOT_DATA, CONVENTIONAL)
RUNTIME = 1 << 63


@contextmanager
def efi(start, payload, volume=None, acpi=False, judged=True, firmware=FIRMWARE, **board):
    """A machine whose firmware starts what is on the volume, a directory, or QEMU's kernel."""
    extra = ["-bios", str(firmware), "-machine", f"acpi={'on' if acpi else 'off'}"]
    if volume:
        extra += ["-drive", f"file=fat:{volume},format=raw,if=virtio,read-only=on"]
    config = Board(el=start.boot_el, cpu=start.cpu, extra=extra, **board)
    with JudgedMachine(config, NOWHERE) if judged else Machine(config) as machine:
        yield Scene(machine, start, payload, False, NOWHERE)


class Volume:
    """A directory that the firmware sees as a FAT volume."""

    def __init__(self, path):
        self.path = path
        path.mkdir()

    def add(self, name, data):
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return self

    def removable(self, data):
        """What firmware starts of a volume of which it knows nothing."""
        return self.add("EFI/BOOT/BOOTAA64.EFI", data)

    def shell(self, *commands):
        """For the firmware's shell, which comes when there is nothing else to start."""
        self.add("kexpress.efi", STAGE.read_bytes())
        return self.add("startup.nsh", "".join(f"{line}\r\n" for line in ("fs0:", *commands)))

    def __str__(self):
        return str(self.path)


def memory_map(scene, fdt):
    """(type, start, virtual start, end, attributes) of what the kernel is told of."""
    chosen = fdt.path_offset("/chosen")

    def number(name):
        value = fdt.getprop(chosen, "linux,uefi-" + name)
        return int.from_bytes(bytes(value), "big")
    assert number("system-table") % 8 == 0
    assert number("mmap-desc-ver") == 1
    assert number("secure-boot") == 2
    at, size, step = number("mmap-start"), number("mmap-size"), number("mmap-desc-size")
    assert at % 8 == 0 and size and size % step == 0 and step >= 40
    data = scene.ram.read(at, size)
    found = []
    for offset in range(0, size, step):
        kind, start, virtual, pages, attributes = struct.unpack_from("<I4x4Q", data, offset)
        found.append((kind, start, virtual, start + pages * PAGE, attributes))
    return found


def left_to_kernel(scene):
    """The firmware's map, as it was found, and nothing of ours where somebody else is."""
    fdt = check.tree(scene)
    found = memory_map(scene, fdt)
    assert any(attributes & RUNTIME for *_, attributes in found)
    for kind, start, virtual, end, attributes in found:
        assert start % PAGE == 0 and start < end
        if attributes & RUNTIME:
            assert kind not in FREE and virtual == start
    taken = [(start, end) for kind, start, _, end, _ in found if kind not in FREE]
    probe = scene.report.probe
    ours = [(probe["x00"], probe["x00"] + fdt.totalsize()),
            (probe["base"], probe["base"] + len(scene.payload.kernel)),
            (probe["initrd_start"], probe["initrd_end"])]
    for start, end in ours:
        assert any(first <= start and end <= last for kind, first, _, last, _ in found
                   if kind in FREE), f"{start:#x}"
        assert not any(start < last and first < end for first, last in taken), f"{start:#x}"


def everything(scene):
    check.everything(scene)
    left_to_kernel(scene)
