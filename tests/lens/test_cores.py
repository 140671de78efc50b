# SPDX-License-Identifier: MIT
"""Several CPUs: the same record on every run, and as fast together as memory allows."""

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "qemu"))

from abi import GIB, MIB, TOP  # noqa: E402
from machine import Board  # noqa: E402
from machine_lens import LensMachine  # noqa: E402

COPIED = 16 * MIB
CPU_ON = 30 * 10**6  # picoseconds: what the profiles say


@pytest.fixture(scope="session", autouse=True)
def build():
    subprocess.run(["make", "-s", "-f", "tests/lens/lens.mk", "lens", "build/lens/cores.bin",
                    "build/lens/cores-flush.bin"], cwd=TOP, check=True)


def run(cpus, profile="neoverse-n1", guest="cores"):
    """The record, without what order the log's lines came in."""
    board = Board(smp=cpus, ram=GIB, gic="2", kernel=TOP / f"build/lens/{guest}.bin")
    with LensMachine(board, profile, verify="on") as machine:
        assert machine.run() == "guest-shutdown"
        record = machine.record()
    assert record["end"][0]["unexplained"] == "0"
    return {word: sorted(lines, key=str) for word, lines in record.items()}


def times(record, name):
    """Modelled picoseconds by CPU."""
    return {int(event["cpu"]): int(event["ps"]) for event in record["event"]
            if event["name"] == name}


def rate(cpus, profile):
    """GB/s of copied bytes, of all together."""
    record = run(cpus, profile)
    begun, copied = times(record, "hint0"), times(record, "hint1")
    assert len(begun) == len(copied) == cpus
    return 1000 * COPIED / (max(copied.values()) - min(begun.values()))


@pytest.mark.parametrize("guest", ("cores", "cores-flush"))
def test_the_same_on_every_run(guest):
    """Also while the host is busy with something else; with atomics and PSCI, and with TLBIs that
    QEMU stops all CPUs for."""
    first = run(4, guest=guest)
    assert first["end"][0]["stalls"] == "0"
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(3)]
    try:
        assert run(4, guest=guest) == first
    finally:
        for process in busy:
            process.kill()
            process.wait()
    assert run(4, guest=guest) == first


def test_starting_takes_its_time():
    record = run(2)
    assert CPU_ON < times(record, "hint0")[1] < 2 * CPU_ON
    assert times(record, "hint2")[0] > max(times(record, "hint1").values())


# How many cores keep memory busy: facts that the profiles were fitted to.
@pytest.mark.parametrize("profile,cpus,gain", (
    ("neoverse-n1", 4, 4), ("neoverse-v2", 4, 4),
    ("cortex-a72-pi4", 4, 1), ("cortex-a76-pi5", 2, 1.25), ("cortex-a76-pi5", 4, 1.25)))
def test_cores_add_up_until_memory_is_busy(profile, cpus, gain):
    assert rate(cpus, profile) == pytest.approx(gain * rate(1, profile), rel=0.06)
