# SPDX-License-Identifier: MIT
"""What bench makes of a log: records, tables, files. Nothing is run under QEMU."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import bench  # noqa: E402
import elision  # noqa: E402
import linux_kexec  # noqa: E402
import relocation  # noqa: E402
from abi import TOP, Image  # noqa: E402
from entrylist import (DONE, EXEC, INDIRECTION, INITRD, KERNEL, POC, SOURCE,  # noqa: E402
                       Segment)
from machine import RAM_BASE, Board  # noqa: E402
from machine_lens import LensMachine  # noqa: E402
from relocation import DESTINATION, LISTS, PAGE, Case  # noqa: E402
from tables import Table, milliseconds, tables  # noqa: E402

LOG = """event name=start cpu=0 ps=0
event name=enter cpu=0 ps=0
event name=discover cpu=0 ps=1000000
event name=open cpu=0 ps=3000000
event name=plan cpu=0 ps=3000400
event name=map cpu=0 ps=3000900
event name=move cpu=0 ps=4000000
event name=settle cpu=0 ps=9000000
event name=settle cpu=0 ps=9900000
event name=hand_over cpu=0 ps=11000000
event name=end cpu=0 ps=11500000
event name=stop cpu=0 ps=11500000
end ps=11500000 unexplained=0
"""
STEPS = {"enter": 1000, "discover": 2000, "open": 0, "plan": 0, "map": 999, "move": 5000,
         "settle": 2000, "hand_over": 500}
CONSOLE = ("kexpress: timing version=1 frequency=62500000 bytes_copied={copied} "
           "bytes_in_place={in_place} bytes_cleaned=4096 runs=2 tables=9 cores=1 mmu={mmu}\r\n")
CASE = Case("thunderx2", "mmu-on", bench.PUBLISHED_SIZES[1])
SCHEMA = {"bench": str, "profile": str, "mode": str, "list": str, "engine": str, "cores": int,
          "bytes": int, "total_ns": int, "relocation_ns": int, "limit_ns": int, "steps_ns": dict,
          "bytes_copied": int, "bytes_cleaned": int, "runs": int, "tables": (int, type(None)),
          "share": float, "published_ns": (int, type(None)),
          "published_share": (float, type(None)), "kernel_bytes": int, "cpus": int,
          "cleaning": str, "copy_ns": int}
BENCHES = ("relocation", "sizes", "lists", "cores", "limit", "maintenance",
           "elision")
LINUX_EVENTS = {"next_kernel": 0, "start": 0, "call0": 2000000, "call1": 3000000,
                "entry": 8000000, "stop": 8500000}
LINUX_CASE = linux_kexec.cases("thunderx2", bench.PUBLISHED_SIZES[1])[0]


@pytest.fixture
def events(tmp_path):
    machine = LensMachine(Board(), CASE.profile)
    machine.log = tmp_path / "log"
    machine.log.write_text(LOG)
    return machine.steps()


def record(case, events):
    copied, in_place = (0, case.bytes) if case.list in ("in-place", "fit-2m") else (case.bytes, 0)
    console = CONSOLE.format(copied=copied, in_place=in_place, mmu=int(case.mode == "mmu-on"))
    return relocation.record(case, events, relocation.kexpress_timing(console))


def linux_record(case, size=None, copies_uncached=None):
    if copies_uncached is None:
        copies_uncached = case.mode == "mmu-off"
    counts = {"device_loads": case.bytes // 16 if copies_uncached else 100,
              "dc_civac": case.bytes // 64, "dc_cvac": 1}
    return linux_kexec.record(case, size or case.bytes, LINUX_EVENTS, counts)


@pytest.fixture
def results(events, monkeypatch):
    monkeypatch.setattr(bench.linux_kexec, "relocate", linux_record)
    monkeypatch.setattr(bench, "relocate", lambda image, case: record(case, events)
                        if case.list in LISTS else None)
    monkeypatch.setattr(bench.copy_limit, "nanoseconds", lambda profile, size: size // 4)
    monkeypatch.setattr(elision, "relocate", lambda image, case: record(case, events))
    return bench.run(None, bench.plan())


def test_record_of_a_log(events):
    found = record(CASE, events)
    assert found["steps_ns"] == STEPS
    assert found["total_ns"] == sum(STEPS.values())
    assert found["relocation_ns"] == STEPS["move"] + STEPS["settle"]
    assert found["limit_ns"] == round(2 * CASE.bytes / relocation.bandwidth_gbs("thunderx2"))


def test_record_of_linux():
    found = linux_record(LINUX_CASE)
    assert found["steps_ns"] == {"prepare": 3000, "relocate": 5000, "purgatory": 500}
    assert (found["relocation_ns"], found["total_ns"]) == (5000, 8500)
    assert found["share"] == round(5000 / 8500, 4)
    assert found["bytes_cleaned"] == LINUX_CASE.bytes + 64


@pytest.mark.parametrize("wrong", ({"size": PAGE}, {"copies_uncached": False}))
def test_another_kexec_than_asked_for_is_refused(wrong):
    with pytest.raises(AssertionError):
        linux_record(LINUX_CASE, **wrong)


def test_linux_is_run_where_it_was_measured():
    planned = [case for case in bench.plan()["relocation"] if case.engine != "kexpress"]
    assert {(case.profile, case.bytes // 10**6) for case in planned} == {
        ("cortex-a72-stingray", 25), ("thunderx2", 84)}
    assert [case.engine for case in planned[:3]] == ["linux-5.10", "linux-6.1", "linux-6.12"]
    assert all(case.engine == "kexpress" for cases in bench.plan(quick=True).values()
               for case in cases)


def test_linux_moves_two_parts(tmp_path, monkeypatch):
    given = {}
    monkeypatch.setattr(linux_kexec.kexec, "initramfs",
                        lambda *parts: given.update(enumerate(parts)) or b"")
    linux_kexec.write_archive(tmp_path / "archive", 1000 * PAGE)
    image, ramdisk, loader = given.values()
    assert (len(image), Image(image).memory_size) == (500 * PAGE, 500 * PAGE)
    assert len(image) + len(ramdisk) + linux_kexec.REST == 1000 * PAGE
    assert loader is linux_kexec.KEXEC_UNCHECKED


def test_nothing_copied_has_no_limit(events):
    assert record(Case("thunderx2", "mmu-on", PAGE, "in-place"), events)["limit_ns"] == 0


@pytest.mark.parametrize("wrong", ({"mmu": 0}, {"bytes_copied": 0}))
def test_another_run_than_asked_for_is_refused(events, wrong):
    timing = {"mmu": 1, "bytes_copied": CASE.bytes, "bytes_in_place": 0, "cores": 1,
              "bytes_cleaned": 0, "runs": 1, "tables": 1, **wrong}
    with pytest.raises(AssertionError):
        relocation.record(CASE, events, timing)


def test_a_run_that_stalled_is_refused():
    relocation.check_repeatable(CASE, {"end": [{"stalls": "0"}]})
    with pytest.raises(AssertionError):
        relocation.check_repeatable(CASE, {"end": [{"stalls": "1"}]})


def test_schema(results, tmp_path):
    bench.write(results, tmp_path)
    text = (TOP / "docs/bench.md").read_text()
    for name in BENCHES:
        assert f"`{name}.json`" in text
        for one in json.loads((tmp_path / f"{name}.json").read_text()):
            assert one["bench"] == name
            assert one.keys() == SCHEMA.keys()
            assert all(isinstance(one[key], kind) for key, kind in SCHEMA.items())
    for key in (*SCHEMA, *STEPS, *linux_kexec.STEPS):
        assert f"`{key}`" in text, f"docs/bench.md does not tell what {key} is"


def test_every_profile_is_run():
    profiles = {path.stem for path in (TOP / "tests/lens/profiles").glob("*.profile")}
    assert {case.profile for case in bench.plan()["relocation"]} == profiles
    assert len({case.profile for case in bench.plan(quick=True)["relocation"]}) == 1


def test_qemu_has_the_cpus():
    known = subprocess.run(["qemu-system-aarch64", "-M", "virt", "-cpu", "help"], check=True,
                           capture_output=True, text=True).stdout.split()
    assert set(relocation.CPUS.values()) <= set(known)


def test_published_stand_beside_their_board(results):
    known = {(one["profile"], one["mode"], one["bytes"] // 10**6): one["published_ns"]
             for one in results["relocation"] if one["published_ns"]}
    assert known == {("cortex-a72-stingray", "mmu-off", 25): 440_500_000,
                     ("cortex-a72-stingray", "mmu-on", 25): 22_160_000,
                     ("thunderx2", "mmu-off", 84): 7_489_500_000,
                     ("thunderx2", "mmu-on", 84): 39_460_000}


def test_table_layouts():
    table = Table("A title", ("name", "ms"), [("first", "1.000"), ("b", "10.000")])
    assert table.text() == ("A title\n"
                            "  name       ms\n"
                            "  first   1.000\n"
                            "  b      10.000")
    assert table.markdown() == ("## A title\n\n"
                                "| name | ms |\n"
                                "| --- | ---: |\n"
                                "| first | 1.000 |\n"
                                "| b | 10.000 |")


def test_shares_stand_beside_their_board(results):
    known = {(one["engine"], one["mode"]): one["published_share"]
             for one in results["relocation"] if one["published_share"]}
    assert known == {("kexpress", "mmu-off"): 0.582, ("kexpress", "mmu-on"): 0.063,
                     ("linux-5.10", "mmu-off"): 0.582, ("linux-6.1", "mmu-on"): 0.063,
                     ("linux-6.12", "mmu-on"): 0.063}


def test_tables_have_every_record(results):
    found = tables(results)
    relocations, compared, steps, sizes, lists, *others = found
    assert len(compared.rows) == 6
    assert len(relocations.rows) * 2 == len(steps.rows) == len(results["relocation"]) - 6
    assert len(sizes.rows) * 2 == len(results["sizes"])
    assert len(lists.rows) == len(results["lists"])
    assert [len(table.rows) for table in others] == [len(results[name]) for name in BENCHES[3:]]
    for table in found:
        assert {len(row) for row in table.rows} == {len(table.header)}


def test_linux_stands_beside_kexpress(results):
    row = tables(results)[1].rows[0]
    assert row[:4] == ("linux-5.10", "cortex-a72-stingray", "25.0", "mmu-off")
    assert row[4:] == ("0.003", "0.005", "0.001", "0.007", f"{5000 / 7000:.2f}", "58.8 %", "58.2 %")


def test_no_linux_no_table(results):
    quick = {**results, "relocation": [one for one in results["relocation"]
                                       if one["engine"] == "kexpress"]}
    assert len(tables(quick)) == len(BENCHES) + 1


def row_of(table, *begin):
    rows = [row for row in table.rows if row[:len(begin)] == begin]
    assert len(rows) == 1
    return dict(zip(table.header, rows[0]))


def test_factors_are_against_one_core(results):
    for one in results["cores"]:
        if one["cpus"] == 8:
            one |= {"relocation_ns": one["relocation_ns"] // 4, "total_ns": one["total_ns"] // 2}
    row = row_of(tables(results)[5], "neoverse-n1", "100.7", "8")
    assert row["move and settle"] == milliseconds(7000 // 4)
    rows = [row for row in tables(results)[5].rows if row[2] == "8"]
    assert len(rows) == 3 and all((row[5], row[7]) == ("4.00", "2.00") for row in rows)


def test_limit_is_of_all_steps(results):
    half, tenth = results["limit"]
    assert half["kernel_bytes"] > 4 * tenth["kernel_bytes"]
    tenth["copy_ns"] = 5000
    row = row_of(tables(results)[6], "cortex-a72-stingray", "25.0", "2.5")
    assert row["all/copy"] == f"{sum(STEPS.values()) / 5000:.2f}"


def test_factor_of_maintenance(results):
    kernel, _ = results["maintenance"]
    kernel["relocation_ns"] = 2000
    assert [row[-1] for row in tables(results)[7].rows] == [f"{7000 / 2000:.2f}", "1.00"]


class Memory:
    def __init__(self):
        self.words = {}

    def write(self, address, data):
        self.words[address] = data


@pytest.mark.parametrize("kind", LISTS)
def test_handoff_moves_each_page_once(kind):
    memory = Memory()
    case = Case("thunderx2", "mmu-on", 1000 * PAGE, kind)
    relocation.write_handoff(memory, case)
    moved = [int.from_bytes(data[i:i + 8], "little") for address, data in memory.words.items()
             if address >= case.list_at for i in range(0, len(data), 8)]
    pages = [entry - SOURCE for entry in moved if entry & SOURCE]
    start = DESTINATION if kind == "in-place" else case.source
    assert sorted(pages) == list(range(start, start + case.bytes, PAGE))
    assert (pages == sorted(pages)) == (kind != "scattered")
    assert moved[-1] == DONE and sum(bool(entry & INDIRECTION) for entry in moved) == 1
    assert memory.words[pages[0]] == relocation.kernel_image(500 * PAGE)


@pytest.mark.parametrize("cleaning, flags", (("kernel", 0), ("all", EXEC | POC)))
def test_what_is_cleaned(cleaning, flags):
    memory = Memory()
    case = Case("thunderx2", "mmu-on", 1000 * PAGE, kernel_percent=3, cleaning=cleaning)
    block = memory.words[relocation.write_handoff(memory, case)]
    assert block.endswith(Segment(DESTINATION, 30 * PAGE, flags=KERNEL | EXEC | POC).pack() +
                          Segment(DESTINATION + 30 * PAGE, 970 * PAGE, flags=INITRD | flags).pack())


@pytest.mark.parametrize("size", (relocation.ROOM, relocation.LARGEST))
def test_places_are_apart(size):
    case = Case("thunderx2", "mmu-on", size)
    entries = size // PAGE * 8 * 513 // 512
    assert (relocation.BLOCK_AT < DESTINATION < DESTINATION + size <= case.source <
            case.source + size <= case.list_at < case.list_at + entries < RAM_BASE + case.ram)


def test_kernel_is_an_image():
    image = Image(relocation.kernel_image(PAGE))
    assert (image.text_offset, image.memory_size) == (0, PAGE)


def test_plots(results, tmp_path):
    pytest.importorskip("matplotlib")
    out = tmp_path / "out"
    out.mkdir()
    bench.draw(results, out)
    names = {path.name for path in out.iterdir()}
    assert names == {f"{plot}.{kind}" for kind in ("png", "svg") for plot in (
        "relocation", "share", "steps", "sizes", "lists", "cores")}


def test_no_matplotlib_is_said(results, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(bench.importlib.util, "find_spec", lambda name: None)
    bench.draw(results, tmp_path / "out")
    assert "python3-matplotlib" in capsys.readouterr().out
