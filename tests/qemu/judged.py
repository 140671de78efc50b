# SPDX-License-Identifier: MIT
"""
Test machines whose caches lens judges: a run that real hardware might punish fails, and so does a
kernel that is not entered as the boot protocol wants it.
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "lens"))

import abi  # noqa: E402
from machine_lens import LensMachine  # noqa: E402

PROFILE = "cortex-a72-stingray"  # of no effect: time is not modelled
NEVER = "0"  # no instruction is there: flash that is empty

FINDING = re.compile(r"^(lens: (\S+) cpu=.*)", re.M)
OTHER_WALK = re.compile(r"^verify .*", re.M)
ENTERED = re.compile(r"^contract: (\S.*) kernel=(0x[0-9a-f]+)", re.M)
HEAD = 0x1000  # bytes that tell our image from others


class JudgedMachine(LensMachine):
    def __init__(self, board, stage_at, allowed=(), verify="off", gdb=False):
        self.stage_at = stage_at
        self.allowed = allowed
        self.head = (board.out / "kexpress.bin").read_bytes()[:HEAD]
        super().__init__(board, PROFILE, gdb=gdb, start=NEVER, coherency="on", kernel="image",
                         verify=verify, elf=board.out / "kexpress.elf", bias=hex(stage_at))

    def __exit__(self, kind, *rest):
        try:
            if kind is None:
                self.judge()
        finally:
            super().__exit__(kind, *rest)

    def judge(self):
        log = self.log.read_text()
        complaints = [line for line, name in FINDING.findall(log) if name not in self.allowed]
        complaints += OTHER_WALK.findall(log)
        complaints += [f"{at}: {verdict}" for verdict, at in ENTERED.findall(log)
                       if verdict != "held" and not self._is_stage(int(at, 16))]
        assert not complaints, "\n".join(complaints)

    def _is_stage(self, at):
        """Tests enter kexpress in any state, and it may move itself."""
        return at == self.stage_at or self.ram.read(at, HEAD) == self.head
