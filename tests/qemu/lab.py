# SPDX-License-Identifier: MIT
"""
A board in a lab, by labgrid: what boots is given to its U-Boot, or to labgrid's QEMU.

Only the console is there: nobody looks into memory, and whether the board went off is not known.
"""

import shlex
import shutil
import time
from contextlib import contextmanager
from pathlib import Path

import pexpect
import uboot
from labgrid.exceptions import NoDriverFoundError
from labgrid.protocol import ConsoleProtocol, PowerProtocol
from labgrid.resource.common import NetworkResource

from boards import all_boards
from machine import BUDGET, Console
from scene import Scene, Start

LAST_LINES = ("probe: done\r\n", "kexpress: halted\r\n")
LOAD_BUDGET = 120  # seconds for a file by TFTP
PIECE = 4096  # bytes of console at a time


class LabMachine(Console):
    """What tests need of a Machine."""

    ram = None

    def __init__(self, lab, payload, append):
        super().__init__()
        self.lab = lab
        self.payload = payload
        self.append = append

    def __enter__(self):
        if self.lab.loader:
            self._hand_to_uboot()
        else:
            self._hand_to_qemu()
        self._power = self.lab.target.get_driver(PowerProtocol)
        self._port = self.lab.target.get_driver(ConsoleProtocol)
        return self

    def __exit__(self, *_):
        self._power.off()
        self.lab.target.deactivate_all_drivers()

    def _hand_to_qemu(self):
        """It reads them when it is made active."""
        qemu = self.lab.target.get_driver("QEMUDriver", activate=False)
        qemu.boot_args = self.append
        qemu.extra_args = shlex.join(["-initrd", str(self.payload), *self.lab.qemu_args])

    def _hand_to_uboot(self):
        wrapped = self.payload.with_suffix(".img")
        uboot.wrap(self.payload, wrapped)
        self.served = {"kernel_addr_r": self._serve(self.lab.stage),
                       "ramdisk_addr_r": self._serve(wrapped)}

    def _serve(self, path):
        """What a boot loader calls it. To a server's folder on this machine labgrid copies nothing."""
        tftp = self.lab.target.get_driver("TFTPProviderDriver")
        if not isinstance(tftp.provider, NetworkResource):
            folder = Path(tftp.provider.internal)
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, folder)
        return tftp.stage(str(path))

    def _start_by_uboot(self):
        self.lab.target.activate(self.lab.loader)
        for address, name in self.served.items():
            self.lab.loader.run_check(f"tftpboot ${{{address}}} {name}", timeout=LOAD_BUDGET)
        self.lab.loader.run_check(f"setenv bootargs '{self.append}'")
        self.send("booti ${kernel_addr_r} ${ramdisk_addr_r} ${fdtcontroladdr}\n")

    def start(self):
        self._power.cycle()
        if self.lab.loader:
            self._start_by_uboot()

    def send(self, text):
        self._port.write(text.encode())

    def _read_console(self, deadline):
        try:
            data = self._port.read(PIECE, timeout=max(0, deadline - time.monotonic()))
        except pexpect.TIMEOUT:
            self._hang()
        self.console += data.decode(errors="replace")
        return data

    def finish(self, budget=BUDGET, last_line=None):
        """Reads the console until the payload or kexpress has said its last."""
        deadline = time.monotonic() + budget
        while not any(line in self.console for line in LAST_LINES):
            self._read_console(deadline)

    def run(self, **how):
        self.start()
        return self.finish(**how)


class Lab:
    """The target `main` of a labgrid environment."""

    def __init__(self, env):
        name = env.config.get_option("board")
        self.board = next(board for board in all_boards() if str(board) == name)
        self.stage = env.config.get_image_path("kexpress")
        self.target = env.get_target()
        self.loader = self._driver("UBootDriver")
        self.qemu_args = [] if self.loader else shlex.split(self._driver("QEMUDriver").extra_args)

    def _driver(self, name):
        try:
            return self.target.get_driver(name, activate=False)
        except NoDriverFoundError:
            return None

    @contextmanager
    def scene(self, payload, append=""):
        """A board that is not yet running, as scene()."""
        words = " ".join(filter(None, (payload.append, append)))
        with LabMachine(self, payload.initrd, words) as machine:
            yield Scene(machine, Start(str(self.board), self.board.el), payload, False, None)
