# SPDX-License-Identifier: MIT
"""
`make bench-hot-path`: what it costs the hot path to know the CPU that it runs on, by how it knows:
built for one, patched at boot, or tested each time. Instructions and lens's time of move and
settle; writes hot_path.json (docs/bench.md).
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "lens"))

import machine_lens  # noqa: E402
from abi import CALLER, GIB, PAGE, TOP  # noqa: E402
from machine import Board  # noqa: E402
from relocation import BUDGET, CPUS, STAGE_AT, Case, prepare, whole_pages  # noqa: E402
from tables import Table, milliseconds  # noqa: E402

PROFILE = "cortex-a72-stingray"
WAYS = ("built", "patched", "tested")
CASES = (Case(PROFILE, "mmu-on", 6400 * PAGE, "scattered"),
         Case(PROFILE, "mmu-on", whole_pages(25_000_000), "contiguous"))
FIRST, END = "move", "hand_over"


def build(way):
    """The image, whose hot path knows the CPU in this way."""
    image = f"build/virt{'' if way == 'patched' else '-' + way}/kexpress.bin"
    subprocess.run(["make", "-s", f"GEOMETRY={way}", image], cwd=TOP, check=True)
    return TOP / image


def measure(way, image, case):
    """docs/bench.md"""
    at = machine_lens.symbols(image.with_suffix(".elf"), STAGE_AT)
    board = Board(el=2, cpu=CPUS[case.profile], ram=GIB, kernel=CALLER,
                  append="kexpress.onerror=poweroff", extra=["-seed", "0"])
    with machine_lens.LensMachine(board, case.profile, {name: at[name] for name in (FIRST, END)},
                                  start=hex(at[FIRST]), stop=hex(at[END])) as machine:
        prepare(machine.ram, image, case)
        machine.run(budget=BUDGET)
        record, steps = machine.record(), machine.steps()
    return {"bench": "hot_path", "geometry": way, "profile": case.profile, "list": case.list,
            "bytes": case.bytes, "instructions": int(record["counts"][0]["instructions"]),
            "hot_path_ns": round((steps[END] - steps[FIRST]) / 1000)}


def run(cases=CASES):
    images = {way: build(way) for way in WAYS}
    return [measure(way, images[way], case) for case in cases for way in WAYS]


def table(records):
    built = {record["list"]: record for record in records if record["geometry"] == "built"}
    rows = []
    for record in records:
        base = built[record["list"]]
        more = record["instructions"] - base["instructions"]
        slower = record["hot_path_ns"] / base["hot_path_ns"] - 1
        rows.append((record["list"], record["geometry"], f"{record['bytes'] / 1e6:.1f}",
                     f"{record['instructions']}", f"{more:+d}",
                     milliseconds(record["hot_path_ns"]), f"{100 * slower:+.2f}%"))
    return Table(f"Hot path: move and settle, {PROFILE}, by how it knows the CPU",
                 ("list", "geometry", "MB", "instructions", "more", "ms", "slower"), rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()

    arguments.out.mkdir(parents=True, exist_ok=True)
    records = run()
    (arguments.out / "hot_path.json").write_text(json.dumps(records, indent=1) + "\n")
    print(table(records).text())


if __name__ == "__main__":
    main()
