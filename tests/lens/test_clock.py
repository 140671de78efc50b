# SPDX-License-Identifier: MIT
"""The clock on the real stage: what the guest sees, what the log says, and that both are the same
on every run."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "qemu"))

import abi  # noqa: E402
import fit  # noqa: E402
from machine import Board  # noqa: E402
from machine_lens import LensMachine, symbols  # noqa: E402

PS = 10**12
LINE = 64
PAIR = {"on": 32, "off": 16}  # bytes that an instruction moves, with the MMU on and off
AGREE = PS // 10**6  # what lies between a mark and the counter's reading, and a tick


@pytest.fixture(scope="module")
def payload(tmp_path_factory):
    """A kernel that switches the machine off: the probe, with a megabyte of zeroes behind it."""
    path = tmp_path_factory.mktemp("lens") / "payload.itb"
    probe = abi.PROBE.read_bytes()
    return fit.simple(probe, bytes(abi.MIB)).make(path)


def boot(payload, mmu="on", el=1, cpu="cortex-a72", profile="cortex-a72-stingray", **options):
    """kexpress's timing line, steps and record of a boot until the jump."""
    at = symbols(abi.STAGE_ELF)
    marks = {name: at[name] for name in ("open_payload", "plan", "map", "move", "settle",
                                         "hand_over")}
    # QEMU's random kaslr-seed is looked at byte by byte.
    board = Board(el=el, cpu=cpu, kernel=abi.STAGE, initrd=payload, extra=["-seed", "0"],
                  append=f"kexpress.mmu={mmu} kexpress.onerror=poweroff")
    with LensMachine(board, profile, marks, stop=hex(at["jump"]), verify="on", **options) as machine:
        machine.run()
        line = re.search(r"kexpress: timing (.*)", machine.console).group(1)
        timing = {key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", line)}
        return timing, machine.steps(), machine.record()


@pytest.mark.parametrize("mmu", ("on", "off"))
@pytest.mark.parametrize("el", (1, 2))
def test_guest_and_log_agree(payload, mmu, el):
    timing, steps, record = boot(payload, mmu, el)
    assert record["end"][0]["unexplained"] == "0"
    names = ("plan", "map", "move", "settle", "hand_over")
    for name, following in zip(names, names[1:]):
        seen = timing[name] * PS // timing["frequency"]
        assert abs(seen - (steps[following] - steps[name])) < AGREE, name


def test_memory_types(payload):
    """With the MMU off a move's accesses are Device, each a round trip; with it on they are cached."""
    counts, moves = {}, {}
    for mmu in ("on", "off"):
        timing, steps, record = boot(payload, mmu)
        counts[mmu] = {key: int(value) for key, value in record["counts"][0].items()}
        moves[mmu] = steps["settle"] - steps["move"]
    pairs = {mmu: timing["bytes_copied"] // size for mmu, size in PAIR.items()}
    for way in ("loads", "stores"):
        off, on = (counts[mmu]["device_" + way] for mmu in ("off", "on"))
        # A FIT's parts are aligned to 4: moved in words.
        assert pairs["off"] <= off - on < 3 * pairs["off"]
        off, on = (counts[mmu]["writeback_" + way] for mmu in ("off", "on"))
        assert 0.99 * pairs["on"] < on - off < 1.1 * pairs["on"]
    assert 20 * moves["on"] < moves["off"]


def operations(payload, cpu):
    counts = boot(payload, el=2, cpu=cpu)[2]["counts"][0]
    return {name: int(counts[name]) for name in ("dc_cvac", "ic_ialluis", "ic_iallu")}


def test_no_maintenance_but_what_is_needed(payload):
    """The kernel is cleaned and not the initramfs; instructions are invalidated on entry, and again
    for the kernel where CTR_EL0.DIC does not make it needless: QEMU's max has it."""
    kernel_lines = -(-abi.Image(abi.PROBE.read_bytes()).memory_size // LINE)
    for cpu, again in ("cortex-a72", 1), ("max", 0):
        counts = operations(payload, cpu)
        assert kernel_lines <= counts["dc_cvac"] < kernel_lines + 200  # the device tree's
        assert counts["ic_ialluis"] == again
        assert counts["ic_iallu"] >= 1


def test_the_same_on_every_run(payload):
    """Also while the host is busy with something else."""
    first = boot(payload)
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        second = boot(payload)
    finally:
        busy.kill()
        busy.wait()
    assert first == second


def test_modelled_from_and_to_what_is_printed(payload):
    """The stage's own first line: what lies before it takes no time, or only that does."""
    _, steps, record = boot(payload, start_text="kexpress: ")
    assert record["event"][0]["name"] == "start"
    assert 0 < steps["open_payload"] < steps["hand_over"]
    _, steps, _ = boot(payload, stop_text="kexpress: ")
    assert 0 < steps["stop"] == steps["open_payload"] == steps["hand_over"]


def test_modelled_only_where_asked(payload):
    at = symbols(abi.STAGE_ELF)
    timing, steps, record = boot(payload, start=hex(at["move"]))
    assert steps["plan"] == steps["move"] == 0
    seen = timing["settle"] * PS // timing["frequency"]
    assert abs(seen - (steps["hand_over"] - steps["settle"])) < AGREE
    first, end = at["copy_plain"], at["copy_bytes"]
    _, steps, record = boot(payload, range=f"{first:#x}-{end:#x}")
    pairs = timing["bytes_copied"] // PAIR["on"]
    assert pairs <= int(record["counts"][-1]["writeback_loads"]) < pairs + pairs // 100
