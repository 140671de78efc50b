# SPDX-License-Identifier: MIT
"""
A machine of QEMU's, "virt" unless told otherwise, as a context manager.

RAM is a file that is mapped here as well: tests write to it before the guest runs, and read it
afterwards, without the guest's help. Console, QMP and gdb are socket pairs, so there is nothing to
wait for and nothing left behind. Nothing blocks: whatever takes longer than its budget is a Hang,
which shows the console's last lines.
"""

import json
import mmap
import os
import re
import select
import shutil
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from abi import GIB, MIB, OUT
from gdbremote import Gdb

RAM_BASE = 0x40000000
BUDGET = 120  # seconds; runs of the probe take about three on an idle machine
SHM = Path("/dev/shm")
SHM_ROOM = 2 * GIB  # RAM files are sparse: what a run touches, with some to spare


class Hang(AssertionError):
    pass


@dataclass
class Board:
    """What machine. el is the exception level that QEMU starts a kernel at."""

    el: int = 1
    cpu: str = "cortex-a72"
    ram: int = 256 * MIB
    ram_base: int = RAM_BASE
    smp: int = 1
    gic: str = "3"
    secure: bool = False
    kernel: Path = None
    initrd: Path = None
    append: str = ""
    dtb: Path = None
    serial: int = 0  # number of the port that is the console
    out: Path = OUT  # where it was built
    extra: list = field(default_factory=list)
    needs_gdb: bool = False

    def set_up(self, machine):
        """What firmware would have done before a kernel is started."""

    def machine(self):
        return (f"virt,gic-version={self.gic},virtualization={'on' if self.el > 1 else 'off'},"
                f"secure={'on' if self.secure else 'off'}")

    def arguments(self):
        args = ["-smp", str(self.smp), "-m", f"{self.ram // MIB}M"]
        for option, value in (("-cpu", self.cpu), ("-kernel", self.kernel),
                              ("-initrd", self.initrd), ("-append", self.append),
                              ("-dtb", self.dtb)):
            if value:
                args += [option, str(value)]
        return args + self.extra

    def device_tree(self):
        """The tree that QEMU makes for this machine, without /chosen's payload."""
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "tree"
            command = ["qemu-system-aarch64", "-nodefaults", "-display", "none",
                       "-M", f"{self.machine()},dumpdtb={path}", "-cpu", self.cpu,
                       "-smp", str(self.smp), "-m", f"{self.ram // MIB}M"]
            subprocess.run(command, check=True, capture_output=True, timeout=BUDGET)
            return path.read_bytes()


def flash_drives(directory, keep=False):
    """QEMU's options for the two banks that boards/flash.py has made. keep: what is written."""
    how = f"if=pflash,format=raw,snapshot={'off' if keep else 'on'}"
    return [word for number in range(2) for word in
            ("-drive", f"{how},file={directory}/flash{number}.img")]


class Ram:
    """Memory by physical address. Pages that nobody has written stay holes in the file, which cost
    nothing; so nothing here reads the map where a read of the file does."""

    def __init__(self, path, size, base):
        self.file = open(path, "wb+", buffering=0)
        self.file.truncate(size)
        self.map = mmap.mmap(self.file.fileno(), size)
        self.size = size
        self.base = base
        self.end = base + size

    def close(self):
        self.map.close()
        self.file.close()

    def write(self, address, data):
        offset = address - self.base
        self.map[offset:offset + len(data)] = data

    def read(self, address, size):
        assert self.base <= address <= address + size <= self.end, f"{address:#x} is not RAM"
        return os.pread(self.file.fileno(), size, address - self.base)

    def _extents(self):
        """[start, end) offsets that are no holes."""
        end = 0
        while True:
            try:
                start = os.lseek(self.file.fileno(), end, os.SEEK_DATA)
            except OSError:
                return
            end = os.lseek(self.file.fileno(), start, os.SEEK_HOLE)
            yield start, end

    def snapshot(self):
        """What is in memory now, for changes()."""
        return {start: os.pread(self.file.fileno(), end - start, start)
                for start, end in self._extents()}

    def changes(self, before):
        """Addresses of pages that differ from a snapshot."""
        old = {start + at: data[at:at + mmap.PAGESIZE] for start, data in before.items()
               for at in range(0, len(data), mmap.PAGESIZE)}
        zeroes = bytes(mmap.PAGESIZE)
        for start, data in self.snapshot().items():
            for at in range(0, len(data), mmap.PAGESIZE):
                if data[at:at + mmap.PAGESIZE] != old.get(start + at, zeroes):
                    yield self.base + start + at


def _scratch():
    if SHM.is_dir() and os.access(SHM, os.W_OK) and shutil.disk_usage(SHM).free > SHM_ROOM:
        return SHM
    return None


class Console:
    """What a machine has said, and waiting for more of it. _read_console(deadline) adds what comes
    next, and returns b"" at the end."""

    def __init__(self):
        self.console = ""

    def _hang(self, what="hang"):
        tail = "\n".join(self.console.splitlines()[-15:])
        raise Hang(f"{what}; the console's last lines:\n{tail}")

    def expect(self, pattern, budget=BUDGET, since=0):
        """Reads the console until pattern is in what came after position since."""
        deadline = time.monotonic() + budget
        while not (match := re.compile(pattern).search(self.console, since)):
            if not self._read_console(deadline):
                self._hang(f"the end without {pattern!r}")
        return match


class Machine(Console):
    def __init__(self, board, gdb=False):
        super().__init__()
        self.board = board
        self.events = []
        self.want_gdb = gdb

    def __enter__(self):
        self.directory = tempfile.TemporaryDirectory(prefix="kexpress-", dir=_scratch())
        path = Path(self.directory.name)
        self.ram = Ram(path / "ram", self.board.ram, self.board.ram_base)
        self.errors = open(path / "stderr", "w+")
        self._theirs = []
        arguments = self._arguments(path)
        self.process = subprocess.Popen(
            arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.errors,
            pass_fds=[s.fileno() for s in self._theirs])
        for sock in self._theirs:
            sock.close()
        self.gdb = (Gdb(self._gdb, self._console, self._read_console, self._hang)
                    if self.want_gdb else None)
        self._qmp("qmp_capabilities")
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        for sock in (self._console, self._control) + ((self._gdb,) if self.want_gdb else ()):
            sock.close()
        self.errors.close()
        self.ram.close()
        self.directory.cleanup()

    def _channel(self, name):
        ours, theirs = socket.socketpair()
        self._theirs.append(theirs)
        return ours, ["-chardev", f"socket,id={name},fd={theirs.fileno()}"]

    def _arguments(self, path):
        self._console, console = self._channel("console")
        self._control, control = self._channel("control")
        arguments = ["qemu-system-aarch64", "-S", "-nodefaults", "-display", "none", "-no-reboot",
                     "-object", f"memory-backend-file,id=ram,size={self.board.ram},"
                                f"mem-path={path / 'ram'},share=on",
                     "-M", self.board.machine() + ",memory-backend=ram",
                     *self.board.serial * ["-serial", "null"],
                     *console, "-serial", "chardev:console",
                     *control, "-mon", "chardev=control,mode=control"]
        if self.want_gdb:
            self._gdb, gdb = self._channel("gdb")
            arguments += [*gdb, "-gdb", "chardev:gdb"]
        return arguments + self.board.arguments()

    def _qmp(self, command):
        self._control.sendall(json.dumps({"execute": command}).encode())
        deadline = time.monotonic() + BUDGET
        while True:
            for message in self._qmp_messages(deadline):
                if "return" in message or "error" in message:
                    return message

    def _qmp_messages(self, deadline):
        """Whole messages that are there or come next; events are kept."""
        text = b""
        while not text.endswith(b"\n"):
            data = self._receive(self._control, deadline)
            if not data:
                self.errors.seek(0)
                raise AssertionError(f"QEMU has gone: {self.errors.read()}")
            text += data
        messages = [json.loads(line) for line in text.splitlines()]
        self.events += [m for m in messages if "event" in m]
        return messages

    def _receive(self, sock, deadline):
        """Data; b"" at the end. A socket that QEMU left with unread data is at its end too."""
        ready = select.select([sock], [], [], max(0, deadline - time.monotonic()))[0]
        if not ready:
            self._hang()
        try:
            return sock.recv(65536)
        except ConnectionResetError:
            return b""

    def _read_console(self, deadline=0):
        """Without a deadline: what is there."""
        data = self._receive(self._console, deadline)
        self.console += data.decode(errors="replace")
        return data

    def start(self):
        self._qmp("cont")

    def send(self, text):
        self._console.sendall(text.encode())

    def finish(self, budget=BUDGET, last_line=None):
        """Reads the console until power-off, or until last_line where the machine goes on; returns
        why the machine went off."""
        deadline = time.monotonic() + budget
        while self._read_console(deadline):
            if last_line and last_line in self.console:
                return None
        self.process.wait(BUDGET)
        self._drain_events()
        return next((e["data"]["reason"] for e in self.events if e["event"] == "SHUTDOWN"), None)

    def _drain_events(self):
        text = b""
        deadline = time.monotonic() + BUDGET
        while data := self._receive(self._control, deadline):
            text += data
        self.events += [m for m in map(json.loads, text.splitlines()) if "event" in m]

    def run(self, **how):
        self.start()
        return self.finish(**how)
