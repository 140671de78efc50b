# SPDX-License-Identifier: MIT
"""
The move on all cores: every byte right, every CPU given back to the kernel, whatever they do.

How many take part depends on what is measured, and on this machine. Where a test needs many, it has
a stage that is keen: team_grows() is made to say yes.
"""

import re
import struct

import pytest

import abi
import check
import tree
from abi import GIB, MIB, PAGE, constant, pages
from gdbremote import PC, SP
from scene import (E2H, EL1, EL2, QEMU_KERNEL_AT, STAGE_AT, STARTS, TREE_AT, HandoffBuilder,
                   fit_payload, probe_kernel, random_bytes, scene)
from test_fault import NOWHERE, Dump

LINEAR_MASK = (1 << 38) - 1  # RAM lies below; what is above says which map
KERNEL_AT = 0x41000000
DATA_AT = 0x60000000
SOURCE_AT = 0x50000000
SMALL_AT = 0x42000000
SIZE = 10 * MIB + 777

TABLE_AT = constant("CALLER_SPIN_TABLE")
FIRMWARE = tree.reserved(QEMU_KERNEL_AT, 0x20000)  # CPUs that spin run in the caller

# The probe polls, with its caches on, for what other CPUs answer past theirs; it drops the line each
# time.
POLLING = ("cached-read-stale", "maintenance-incomplete")

# A CPU in a spin table looks all the time: also between a store through the caches and its clean.
POLLED = (*POLLING, "uncached-read-dirty")

TRUE = struct.pack("<2I", 0x52800020, 0xd65f03c0)  # mov w0, #1; ret
FALSE = struct.pack("<2I", 0x52800000, 0xd65f03c0)
NO_FEATURES = struct.pack("<2I", 0xd2800000, 0xd65f03c0)  # mov x0, #0; ret
HANG = struct.pack("<2I", 0xd503207f, 0x17ffffff)  # wfi; b .-4


@pytest.fixture
def keen(patch):
    patch(team_grows=TRUE)


def contiguous(kernel_at=KERNEL_AT):
    kernel = probe_kernel()
    count = pages(len(kernel))
    sources = [SOURCE_AT + i * PAGE for i in range(count + pages(SIZE))]
    builder = HandoffBuilder(1).kernel(kernel, kernel_at, sources=sources[:count])
    return builder.data(random_bytes(SIZE), DATA_AT, sources=sources[count:])


def make_contiguous():
    return contiguous().build()


def make_scattered():
    builder = HandoffBuilder(2, window=(0x48000000, 0x58000000))
    builder.kernel(probe_kernel(), KERNEL_AT).data(random_bytes(SIZE), DATA_AT)
    return builder.shuffle().build()


def make_ordered():
    """A shift, a swap and zeroes among what can be moved in any order."""
    builder = contiguous()
    data = random_bytes(300 * PAGE, 3)
    builder.data(data, SMALL_AT + PAGE, sources=[SMALL_AT + i * PAGE for i in range(300)])
    first, second = ([SMALL_AT + at * MIB + i * PAGE for i in range(90)] for at in (3, 4))
    builder.data(random_bytes(90 * PAGE, 4), first[0], sources=second)
    builder.data(random_bytes(90 * PAGE, 5), second[0], sources=first)
    builder.writes.append((SMALL_AT + 8 * MIB, b"\xff" * 3 * MIB))
    builder.data(random_bytes(5 * PAGE + 9), SMALL_AT + 8 * MIB, memory_size=2 * MIB + 5)
    return builder.build()


def make_over_us():
    """kexpress moves itself away first, alone."""
    return contiguous(STAGE_AT).build()


def run(start, payload, smp=4, mmu=True, allowed=POLLING, **how):
    """Runs, checks all but the CPUs, and returns the scene's report and tree."""
    with scene(start, payload, smp=smp, mmu=mmu, ram=GIB, allowed=allowed, **how) as s:
        s.run()
        check.everything(s, mmu)
        return s.report, check.tree(s)


def answer(start):
    """Of a CPU as firmware, or who was in its place, had it."""
    return f"answers at el={start.boot_el} e2h=0"


def assert_given_back(report, smp, start):
    """By PSCI: each other CPU is off, and comes where the kernel wants it."""
    assert report.cpus == {n: f"off {answer(start)}" for n in range(1, smp)}


def cases():
    kinds = (make_contiguous, make_scattered, make_ordered, make_over_us)
    for i, make in enumerate(kinds):
        for j, start in enumerate(STARTS):
            for k, smp in enumerate((2, 4, 8)):
                marks = () if (i + j + k) % 3 == 0 else pytest.mark.slow
                yield pytest.param(make, start, smp, marks=marks,
                                   id=f"{make.__name__[5:]}-{start}-{smp}")


@pytest.mark.parametrize("make, start, smp", cases())
def test_cores(make, start, smp, keen):
    report, fdt = run(start, make(), smp)
    # On a busy host the last round of starts may come when all is moved.
    assert max(2, smp // 2) <= report.timing["cores"] <= smp
    assert report.warnings == []
    assert_given_back(report, smp, start)
    assert fdt.num_mem_rsv() == 0


@pytest.mark.parametrize("start", STARTS, ids=str)
def test_as_measured(start):
    report, _ = run(start, make_contiguous(), 4)
    assert 1 <= report.timing["cores"] <= 4
    assert_given_back(report, 4, start)


@pytest.mark.parametrize("cores", (1, 2))
def test_at_most(cores, keen):
    report, _ = run(EL1, make_contiguous(), 4, append=f"kexpress.cores={cores}")
    assert report.timing["cores"] == cores
    assert_given_back(report, 4, EL1)


def test_not_worth_it(keen, tmp_path, kernel, ramdisk):
    report, _ = run(EL1, fit_payload(tmp_path / "payload", kernel, ramdisk[:MIB]))
    assert report.timing["cores"] == 1


def test_mmu_off(keen):
    report, _ = run(EL1, make_contiguous(), mmu=False)
    assert report.timing["cores"] == 1
    assert_given_back(report, 4, EL1)


@pytest.mark.parametrize("start", (EL1, EL2), ids=str)
def test_beside_el3(start, keen):
    """PSCI by HVC and by SMC on a machine that has an EL3 too."""
    report, _ = run(start, make_contiguous(), 4, secure=True)
    assert report.timing["cores"] > 2
    assert_given_back(report, 4, start)


def test_dropped_to_el1(keen):
    """Other CPUs come at EL2, where our tables are of no use to them: they leave."""
    start = EL2.with_flags("EL1")
    report, _ = run(start, make_contiguous(), 4)
    assert report.timing["cores"] == 1
    assert_given_back(report, 4, start)


def with_tree(*changes, el=1, smp=4, bootargs=""):
    payload = make_contiguous()
    payload.handoff.fdt = TREE_AT
    blob = tree.edited(*changes, el=el, ram=GIB, smp=smp,
                       bootargs=f"kexpress.onerror=poweroff {bootargs}")
    payload.writes.append((TREE_AT, blob))
    return payload


def cpu_added(number):
    def change(fdt):
        node = fdt.add_subnode(fdt.path_offset("/cpus"), f"cpu@{number:x}")
        fdt.setprop_u32(node, "reg", number)
        fdt.setprop_str(node, "device_type", "cpu")
        fdt.setprop_str(node, "enable-method", "psci")
    return change


def test_cpu_that_is_not_there(keen):
    """PSCI refuses to start it, before all others."""
    report, _ = run(EL1, with_tree(cpu_added(0x77)), 4)
    assert report.timing["cores"] > 2
    assert report.cpus.pop(0x77) == "not off does not answer"
    assert_given_back(report, 4, EL1)


def test_cpus_that_are_on(keen):
    """The caller has started them."""
    start = EL1.with_flags("SPIN")
    report, _ = run(start, with_tree(FIRMWARE, smp=2), 2)
    assert report.timing["cores"] == 1
    assert report.warnings == []


@pytest.mark.parametrize("is_off", (True, False))
def test_cpu_that_does_not_come(is_off, patch):
    """Firmware says that it has started it, and nobody sees it again: it may still come, so the page
    stays that it would come to."""
    patch(team_grows=TRUE, psci_cpu_on=TRUE, psci_is_off=TRUE if is_off else FALSE)
    report, fdt = run(EL1, make_contiguous(), 2)
    assert report.timing["cores"] == 1
    assert report.warnings == ["kexpress: warning: CPU 0x1 was started and is not known to be off"]
    assert fdt.num_mem_rsv() == 1
    assert fdt.get_mem_rsv(0)[1] == PAGE


@pytest.mark.parametrize("start", (EL1, EL2), ids=str)
def test_cpu_that_stays(start, patch):
    """It could store to memory that the kernel has: there is no kernel."""
    patch(team_grows=TRUE, secondary_main=HANG)
    with scene(start, make_contiguous(), smp=2, ram=GIB, allowed=POLLING) as s:
        s.run()
        assert "kexpress: error E_FAULT: CPU 0x1 does not leave our image" in s.report.lines
        assert "probe:" not in s.machine.console
        assert s.reason == "guest-shutdown"


def crash(s, symbol, register, is_ours=lambda gdb: True):
    """Ruins a register of another core's at symbol."""
    gdb = s.machine.gdb
    address = STAGE_AT + abi.Symbols(abi.STAGE_ELF)[symbol]
    gdb.break_at(address)
    gdb.until_break()
    while not is_ours(gdb):
        gdb.until_break()
    gdb.write(register, NOWHERE)
    gdb.clear(address)
    gdb.go_on()
    s.reason = s.machine.finish()
    dump = Dump(s.machine.console)
    assert (dump.kind, dump.step, dump.cpu) == ("sync", "move", 1)
    return dump


def moved_twice(report):
    return int(re.search(r"kexpress: settle: \d+ cores, (\d+) of", report.console)[1])


def has_own_stack(gdb):
    return not STAGE_AT <= gdb.read(SP) < STAGE_AT + 0x1000000


@pytest.mark.parametrize("start", STARTS, ids=str)
@pytest.mark.parametrize("symbol, register", (("secondary_main", SP), ("copier_copy", 1)),
                         ids=("at-once", "in-a-chunk"))
def test_crash(symbol, register, start, keen):
    """It is told, the core is off, and its share is done by others."""
    with scene(start, make_contiguous(), smp=2, ram=GIB, allowed=POLLING, gdb=True,
               append="kexpress.debug") as s:
        dump = crash(s, symbol, register, has_own_stack)
        assert dump.base == STAGE_AT
        assert NOWHERE - PAGE < dump.far < NOWHERE + PAGE
        assert s.reason == "guest-shutdown"
        check.exit_state(s)
        check.contents(s)
        assert_given_back(s.report, 2, start)
        assert bool(moved_twice(s.report)) == (symbol == "copier_copy")


def spin_table(smp, address=TABLE_AT):
    def change(fdt):
        for n in range(1, smp):
            node = fdt.path_offset(f"/cpus/cpu@{n}")
            fdt.setprop_str(node, "enable-method", "spin-table")
            fdt.setprop_u64(fdt.path_offset(f"/cpus/cpu@{n}"), "cpu-release-addr",
                            address + 8 * n)
    return change


def release_addresses(fdt, smp):
    return [fdt.getprop(fdt.path_offset(f"/cpus/cpu@{n}"), "cpu-release-addr").as_uint64()
            for n in range(1, smp)]


@pytest.mark.parametrize("smp", (2, 4))
@pytest.mark.parametrize("start", (EL1, EL2, E2H), ids=str)
def test_spin_table(start, smp, keen):
    """They wait in our page afterwards, which the kernel is told to keep."""
    el = start.boot_el
    payload = with_tree(spin_table(smp), FIRMWARE, el=el, smp=smp)
    report, fdt = run(start.with_flags("SPIN"), payload, smp, allowed=POLLED)
    assert report.timing["cores"] > smp // 2
    assert report.cpus == {n: f"spins {answer(start)}" for n in range(1, smp)}
    assert fdt.num_mem_rsv() == 1
    page, size = fdt.get_mem_rsv(0)[:2]
    assert size == PAGE
    assert all(page < at < page + PAGE for at in release_addresses(fdt, smp))


def test_spin_table_late(patch):
    """They come to a page that is closed, and go no further: our image may be gone."""
    patch(team_grows=TRUE, secondary_main=HANG)
    payload = with_tree(spin_table(4), FIRMWARE)
    report, _ = run(EL1.with_flags("SPIN", "LATE"), payload, 4, allowed=POLLED)
    assert report.timing["cores"] == 1
    assert report.cpus == {n: f"spins {answer(EL1)}" for n in range(1, 4)}


def test_spin_table_at_most(keen):
    """Who is not needed stays where it was."""
    payload = with_tree(spin_table(4), FIRMWARE, bootargs="kexpress.cores=2")
    report, fdt = run(EL1.with_flags("SPIN"), payload, 4, allowed=POLLED)
    assert report.timing["cores"] == 2
    assert report.cpus == {n: f"spins {answer(EL1)}" for n in range(1, 4)}
    assert release_addresses(fdt, 4)[1:] == [TABLE_AT + 16, TABLE_AT + 24]


def test_other_features(patch):
    """A core whose cache lines or DC ZVA are not the boot core's leaves at once: our code is patched
    for those."""
    patch(team_grows=TRUE, landing_features=NO_FEATURES)
    report, _ = run(EL2, make_contiguous(), 4)
    assert report.timing["cores"] == 1
    assert_given_back(report, 4, EL2)


def test_spin_table_that_nobody_watches(keen):
    """The CPU is off; what it misses costs nothing."""
    payload = with_tree(spin_table(2), FIRMWARE, smp=2)
    report, _ = run(EL1, payload, 2)
    assert report.timing["cores"] == 1
    assert report.warnings == []
    assert report.cpus == {1: "spins does not answer"}


@pytest.mark.parametrize("address, timing", ((STAGE_AT + 0x1000, 0), (TABLE_AT, TABLE_AT + 0x800)),
                         ids=("in-our-image", "beside-the-timing-record"))
def test_spin_table_out_of_reach(address, timing, keen):
    """Where the release address lies in a page that we have mapped for something else."""
    payload = with_tree(spin_table(2, address), FIRMWARE, smp=2)
    payload.handoff.timing = timing
    report, _ = run(EL1.with_flags("SPIN"), payload, 2)
    assert report.timing["cores"] == 1


def test_spin_table_crash(keen):
    """Also a core that has crashed is the kernel's again."""
    payload = with_tree(spin_table(2), FIRMWARE, smp=2)
    with scene(EL1.with_flags("SPIN"), payload, smp=2, ram=GIB, gdb=True, allowed=POLLED) as s:
        crash(s, "secondary_main", SP)
        check.contents(s)
        assert s.report.cpus == {1: f"spins {answer(EL1)}"}


@pytest.mark.parametrize("twice", (False, True))
def test_cleaned_again(twice, patch):
    """Where somebody may have stored to what had been cleaned. Nobody has: the other CPUs are off."""
    patch(team_grows=TRUE, **({"work_finish": TRUE} if twice else {}))
    payload = with_tree(spin_table(4), FIRMWARE)
    with scene(EL1, payload, smp=4, ram=GIB, allowed=POLLING, gdb=True) as s:
        ranges = cleaned(s.machine.gdb)
        s.machine.finish()
        check.contents(s)
        assert ((KERNEL_AT, kernel_end()) in ranges) == twice


def cleaned(gdb):
    """Physical ranges that are cleaned at once, up to the jump."""
    at = {STAGE_AT + abi.Symbols(abi.STAGE_ELF)[name]: name for name in ("cache_clean", "jump")}
    ranges = []
    for address in at:
        gdb.break_at(address)
    gdb.until_break()
    while at[gdb.read(PC)] != "jump":
        ranges.append((gdb.read(0) & LINEAR_MASK, gdb.read(1) & LINEAR_MASK))
        gdb.until_break()
    gdb.go_on()
    return ranges


def kernel_end():
    return KERNEL_AT + abi.Image(probe_kernel()).memory_size
