# SPDX-License-Identifier: MIT
"""From a reset, with nothing given but flash: at every exception level, and from whichever slot is
whole."""

import random
import struct
import zlib
from dataclasses import replace

import pytest

import abi
import check
import debian
from abi import GIB
from flashed import BLOCK, DATA, ERASED, Reset, board, build, flash, flashed, payload, run, slot
from gdbremote import SP
from machine import Machine
from test_fault import NOWHERE, Dump

BUDGET = 300  # seconds for Debian's boot; ten are usual

EL1 = Reset("el1", False)
EL2 = Reset("el2", True)
EL3_TO_2 = Reset("el3-el2", True, secure=True)
EL3_TO_1 = Reset("el3-el1", False, secure=True)

RESETS = (
    EL1, EL2, EL3_TO_1,
    replace(EL3_TO_2, name="el3-el2-gic2", gic="2"),
    replace(EL3_TO_1, name="el3-el1-max", cpu="max"),
    replace(EL3_TO_2, name="el3-el2-4cpus", smp=4),
)
MORE_RESETS = (
    EL3_TO_2,
    replace(EL3_TO_1, name="el3-el1-gic2", gic="2"),
    *(replace(EL3_TO_1, name=f"el3-el1-{cpu}", cpu=cpu)
      for cpu in ("cortex-a53", "cortex-a57", "cortex-a76", "neoverse-v1")),
    replace(EL3_TO_2, name="el3-el2-max", cpu="max"),
    replace(EL2, name="el2-4cpus", smp=4),
)


@pytest.fixture(scope="module", autouse=True)
def built():
    build()


@pytest.fixture
def made(kernel, ramdisk, tmp_path):
    return payload(kernel, ramdisk, tmp_path / "payload")


@pytest.fixture
def other(kernel, tmp_path):
    """Told from the first by its ramdisk."""
    return payload(kernel, b"the other slot", tmp_path / "other")


def slow(*cases):
    return [pytest.param(case, marks=pytest.mark.slow) for case in cases]


@pytest.mark.path("flash")
@pytest.mark.parametrize("reset", (*RESETS, *slow(*MORE_RESETS)), ids=str)
def test_reset(reset, made, tmp_path):
    fit, expected = made
    with flashed(reset, expected, tmp_path, a=slot(fit, 1)) as s:
        assert run(s).errors == []
        assert s.report.warnings == []
        check.exit_state(s)
        check.contents(s)
        check.timing(s)


@pytest.mark.path("flash: Debian")
@pytest.mark.parametrize("reset", (
    EL3_TO_1, *slow(EL2, replace(EL3_TO_2, name="el3-el2-gic2", gic="2"))), ids=str)
def test_debian(reset, tmp_path):
    """Interrupts come, or it would not get so far. Not judged, which would take minutes."""
    packed = tmp_path / "debian.itb"
    debian.small_fit(packed)
    with Machine(board(reset, tmp_path, a=slot(packed.read_bytes(), 1), ram=GIB)) as machine:
        machine.start()
        machine.expect(r"/ # ", BUDGET)


def test_newer_slot_first(made, other, tmp_path):
    for sequences, expected in (((1, 2), other), ((7, 6), made), ((2**32 - 1, 0), other)):
        a, b = slot(made[0], sequences[0]), slot(other[0], sequences[1])
        with flashed(EL1, expected[1], tmp_path, a=a, b=b) as s:
            run(s)
            check.contents(s)


def damaged_header(data):
    return bytes([data[0] ^ 1]) + data[1:]


def damaged_tree(data):
    return data[:BLOCK + 0x40] + bytes([data[BLOCK + 0x40] ^ 1]) + data[BLOCK + 0x41:]


@pytest.mark.parametrize("damage", (damaged_header, damaged_tree))
def test_damaged_slot_is_passed_over(damage, made, other, tmp_path):
    with flashed(EL1, made[1], tmp_path, a=slot(made[0], 1), b=damage(slot(other[0], 2))) as s:
        run(s)
        assert len(s.report.warnings) == 1 and "flash slot B passed over" in s.report.warnings[0]
        check.contents(s)


def test_damaged_kernel_falls_back(made, kernel, tmp_path):
    """What only a FIT's own hashes find."""
    fit, expected = made
    at = fit.index(kernel) + len(kernel) - 1
    damaged = fit[:at] + bytes([fit[at] ^ 1]) + fit[at + 1:]
    with flashed(EL1, expected, tmp_path, a=slot(damaged, 2), b=slot(fit, 1)) as s:
        run(s)
        assert s.report.errors == ["HASH"]
        assert "kexpress: trying flash slot B" in s.report.lines
        check.contents(s)


def reheaded(data, **fields):
    """A slot whose header has other values, and a right checksum."""
    layout = flash.HEADER
    names = ("magic", "version", "sequence", "size", "offset", "tree_size", "digest", "reserved")
    values = dict(zip(names, layout.unpack_from(data)))
    header = layout.pack(*{**values, **fields}.values())
    return header + struct.pack("<I", zlib.crc32(header)) + data[layout.size + 4:]


@pytest.mark.parametrize("fields", (
    {"size": DATA["SLOT_SIZE"]}, {"offset": 0xfffffff8}, {"version": 2}), ids=lambda fields: "-".join(f"{k}-{v:#x}" for k, v in fields.items()))
def test_nothing_bootable(fields, made, tmp_path):
    with flashed(EL1, None, tmp_path, a=reheaded(slot(made[0], 1), **fields)) as s:
        s.run(last_line="kexpress: halted\r\n")
        assert s.report.errors == ["NO_PAYLOAD"]
        assert len(s.report.warnings) == 1


def cuts(data, count):
    """Bytes of an update that have reached flash: in the header, which is written last, each side
    of each field; elsewhere at random."""
    body = len(data) - BLOCK
    fields = (0, 1, 8, 12, 16, 24, 28, 32, 64, 68, 71)
    chosen = random.Random(1).sample(range(1, body), count - len(fields) - 1)
    return sorted([0, *chosen, *(body + n for n in fields)])


def interrupted(new, old, written):
    """What a slot holds then. Its header is erased first; then the payload's blocks are, each
    before it is written; the header is written at last. A block that was just being erased holds
    anything."""
    body = new[BLOCK:]
    flash = bytearray(ERASED * BLOCK + old[BLOCK:].ljust(len(body), ERASED))
    for start in range(0, min(written + 1, len(body)), BLOCK):
        done = body[start:min(start + BLOCK, written)]
        block = done.ljust(BLOCK, ERASED) if done else random.Random(start).randbytes(BLOCK)
        flash[BLOCK + start:2 * BLOCK + start] = block
    header = max(written - len(body), 0)
    flash[:header] = new[:header]
    return bytes(flash)


def power_loss(count):
    return [pytest.param(n, count, marks=pytest.mark.slow if n % 25 else ()) for n in range(count)]


@pytest.mark.parametrize("number, count", power_loss(200))
def test_power_loss(number, count, made, other, tmp_path):
    """An update of slot B that is cut anywhere leaves slot A to boot from."""
    new, old = slot(other[0], 3), slot(made[0], 1)
    written = cuts(new, count)[number]
    b = interrupted(new, old, written)
    with flashed(EL1, made[1], tmp_path, a=slot(made[0], 2), b=b) as s:
        run(s)
        check.contents(s)


def test_update_that_was_not_cut(made, other, tmp_path):
    new = slot(other[0], 3)
    b = interrupted(new, slot(made[0], 1), len(new) - BLOCK + 72)
    with flashed(EL1, other[1], tmp_path, a=slot(made[0], 2), b=b) as s:
        run(s)
        check.contents(s)


def test_fault_at_el3(made, tmp_path):
    """The dump is that of EL3: nothing else is there yet."""
    at = DATA["LOAD"] + abi.Symbols(abi.STAGE_ELF)["gic_make_non_secure"]
    with Machine(board(EL3_TO_2, tmp_path, a=slot(made[0], 1)), gdb=True) as machine:
        machine.gdb.break_at(at)
        machine.gdb.until_break()
        machine.gdb.write(SP, NOWHERE)
        machine.gdb.clear(at)
        machine.gdb.go_on()
        machine.finish(last_line="kexpress: halted\r\n")
        dump = Dump(machine.console)
        assert dump.kind == "sync"
        assert at <= dump.elr < at + 0x200
        assert dump.far == pytest.approx(NOWHERE, abs=0x100)
