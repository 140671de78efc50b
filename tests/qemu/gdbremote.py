# SPDX-License-Identifier: MIT
"""As much of gdb's remote protocol as breaking in and changing registers takes."""

import select
import struct
import time

SP = 31
PC = 32

BUDGET = 30


class Gdb:
    def __init__(self, sock, hang):
        self.sock = sock
        self.hang = hang
        self.data = b""

    def _byte(self, deadline):
        if not self.data:
            if not select.select([self.sock], [], [], max(0, deadline - time.monotonic()))[0]:
                self.hang("no answer from gdb's stub")
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
        assert self._ask(f"Z1,{address:x},4") == "OK"

    def clear(self, address):
        assert self._ask(f"z1,{address:x},4") == "OK"

    def read(self, register):
        return struct.unpack("<Q", bytes.fromhex(self._ask(f"p{register:x}")))[0]

    def write(self, register, value):
        assert self._ask(f"P{register:x}={struct.pack('<Q', value).hex()}") == "OK"

    def step(self):
        assert self._ask("s").startswith("T05")

    def until_break(self, budget=BUDGET):
        """Goes on until the next breakpoint."""
        answer = self._ask("c", budget)
        assert answer.startswith("T05"), answer

    def detach(self):
        """Lets the machine run, and no more of us."""
        assert self._ask("D") == "OK"
