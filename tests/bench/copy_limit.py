# SPDX-License-Identifier: MIT
"""
How fast one core of a profile copies memory that is in no cache: lens's calibration guest, its copy
loops only.
"""

import functools
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "qemu"), str(TESTS / "lens")]

import machine_lens  # noqa: E402
from abi import GIB, TOP  # noqa: E402
from calibrate import CASES  # noqa: E402
from machine import Board  # noqa: E402

GUEST = TOP / "build/lens/calibrate.bin"
LOOPS = ("copy", "copy, prefetch")
FIRST, AFTER = "fill", "zero"  # the case before them, and the one after


@functools.cache
def bytes_per_ns(profile):
    """Of the better loop."""
    print(f"bench: what one core of {profile} copies", flush=True)
    at = machine_lens.symbols(GUEST.with_suffix(".elf"), 0)
    start, stop = (hex(machine_lens.STAGE_AT + at[name] - at["image"]) for name in (FIRST, AFTER))
    with machine_lens.LensMachine(Board(ram=GIB, kernel=GUEST), profile, start=start,
                                  stop=stop) as machine:
        machine.run()
        ps = machine.steps()
    return max(case.amount / (ps[f"hint{2 * number + 1}"] - ps[f"hint{2 * number}"]) * 1000
               for number, case in enumerate(CASES) if case.name in LOOPS)


def nanoseconds(profile, size):
    return round(size / bytes_per_ns(profile))
