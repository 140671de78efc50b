# SPDX-License-Identifier: MIT
"""As much of gdb's remote protocol as breaking in and changing registers takes."""

import select
import struct
import time

SP = 31
PC = 32

BUDGET = 30


class Gdb:
    def __init__(self, sock, console, read_console, hang):
        """The console is read while we wait: QEMU stands still once nobody takes what it says, and
        a few hundred characters, each a write of its own, are enough."""
        self.sock = sock
        self.console = console
        self.read_console = read_console
        self.hang = hang
        self.data = b""
        self.breakpoints = set()

    def _byte(self, deadline):
        while not self.data:
            sockets = (self.sock, self.console)
            ready = select.select(sockets, [], [], max(0, deadline - time.monotonic()))[0]
            if not ready:
                self.hang("no answer from gdb's stub")
            if self.console in ready:
                self.read_console()
            if self.sock in ready:
                self.data = self.sock.recv(65536)
                if not self.data:
                    self.hang("gdb's stub has gone")
        byte, self.data = self.data[:1], self.data[1:]
        return byte

    def _answer(self, budget):
        deadline = time.monotonic() + budget
        while self._byte(deadline) != b"$":
            pass
        answer = b""
        while (byte := self._byte(deadline)) != b"#":
            answer += byte
        self._byte(deadline)
        self._byte(deadline)
        self.sock.sendall(b"+")
        return answer.decode()

    def _send(self, command):
        packet = command.encode()
        self.sock.sendall(b"$%s#%02x" % (packet, sum(packet) & 0xff))

    def _ask(self, command, budget=BUDGET):
        self._send(command)
        return self._answer(budget)

    def break_at(self, address):
        self._insert(address)
        self.breakpoints.add(address)

    def clear(self, address):
        self._remove(address)
        self.breakpoints.remove(address)

    def _insert(self, address):
        assert self._ask(f"Z1,{address:x},4") == "OK"

    def _remove(self, address):
        assert self._ask(f"z1,{address:x},4") == "OK"

    def read(self, register):
        return struct.unpack("<Q", bytes.fromhex(self._ask(f"p{register:x}")))[0]

    def write(self, register, value):
        assert self._ask(f"P{register:x}={struct.pack('<Q', value).hex()}") == "OK"

    def write_device(self, address, value):
        """A 32-bit register, by its physical address."""
        assert self._ask("Qqemu.PhyMemMode:1") == "OK"
        assert self._ask(f"M{address:x},4:{struct.pack('<I', value).hex()}") == "OK"
        assert self._ask("Qqemu.PhyMemMode:0") == "OK"

    def _step_over(self, address):
        """Off a breakpoint, which would only be met again."""
        self._remove(address)
        assert self._ask("s").startswith("T05")
        self._insert(address)

    def until_break(self, budget=BUDGET):
        """Goes on until the next breakpoint, and returns where that is."""
        at = self.read(PC)
        if at in self.breakpoints:
            self._step_over(at)
        if self.read(PC) not in self.breakpoints - {at}:
            answer = self._ask("c", budget)
            assert answer.startswith("T05"), answer
        return self.read(PC)

    def go_on(self):
        """Lets the machine run for good. It may be off before the stub has answered."""
        self._send("D")
