# SPDX-License-Identifier: MIT
"""Commands that load the next kernel for Linux's kexec and start it, as the first kernel's
initramfs has them."""

from dataclasses import dataclass
from pathlib import Path

from abi import TOP
from debian import UNPACKED as DEBIAN

KEXEC_TOOLS = DEBIAN / "kexec-tools"
LIBRARIES = ("lib/aarch64-linux-gnu/libc.so.6", "lib/aarch64-linux-gnu/libz.so.1",
             *(f"usr/lib/aarch64-linux-gnu/libxen{name}" for name in (
                 "ctrl.so.4.17", "toollog.so.1", "toolcore.so.1", "call.so.1", "evtchn.so.1",
                 "gnttab.so.1", "foreignmemory.so.1", "devicemodel.so.1")))


@dataclass(frozen=True)
class Loader:
    """The command with its options, its files by their names in the initramfs, and patterns of
    what it says: hexadecimal numbers."""
    command: str
    files: dict
    entry: str  # what the old kernel jumps to
    next_kernel: str
    addresses: str  # of each segment that the old kernel copies
    sizes: str

    def read(self):
        """Contents of its files."""
        return {name: path.read_bytes() for name, path in self.files.items()}


def kexec(*options):
    """Of kexec-tools."""
    files = {"sbin/kexec": KEXEC_TOOLS / "sbin/kexec",
             "lib/ld-linux-aarch64.so.1": KEXEC_TOOLS / "lib/ld-linux-aarch64.so.1"}
    files |= {f"lib/{Path(name).name}": KEXEC_TOOLS / name for name in LIBRARIES}
    return Loader(command=" ".join(("/sbin/kexec -d -c", *options)), files=files,
                  entry=r"kexec_load: entry = 0x(\w+)",
                  next_kernel=r"segment\[0\]\.mem\s*= 0x(\w+)",
                  addresses=r"segment\[\d+\]\.mem\s*= 0x(\w+)",
                  sizes=r"segment\[\d+\]\.memsz\s*= 0x(\w+)")


KEXEC = kexec()
KEXEC_UNCHECKED = kexec("--no-checks")

KEXPRESS = Loader(command="/sbin/kexpress -d",
                  files={"sbin/kexpress": TOP / "build/loader/kexpress"},
                  entry=r"kexpress: entry 0x(\w+)", next_kernel=r"kexpress: kernel at 0x(\w+)",
                  addresses=r"kexpress: entry 0x(\w+)",
                  sizes=r"kexpress: entry 0x\w+ size 0x(\w+)")
