# SPDX-License-Identifier: MIT
"""
`make bench`: relocation by kexpress in lens's time, on each profile, with the MMU off and on, and
by Linux beside it; by size; by kind of list; by cores; by what is cleaned. Writes bench.md, JSON (docs/bench.md) and, where
matplotlib is installed, plots.
"""

import argparse
import importlib.util
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "lens"))

import copy_limit  # noqa: E402
import elision  # noqa: E402
import linux_kexec  # noqa: E402
import machine_lens  # noqa: E402
from abi import GIB, MIB  # noqa: E402
from calibrate import PUBLISHED  # noqa: E402
from relocation import (CLEANING, CPUS, KEXPRESS, LARGEST, LISTS, MODES, Case,  # noqa: E402
                        relocate, whole_pages)
from tables import tables  # noqa: E402

ONE_PROFILE = "cortex-a72-stingray"
PUBLISHED_SIZES = [whole_pages(size) for size in (25_000_000, 84_000_000)]
SIZES = [MIB << i for i in range(LARGEST.bit_length() - MIB.bit_length() + 1)]
# Servers, whose memory has more bandwidth than one core can use.
SERVERS = (("neoverse-n1", 96 * MIB), ("neoverse-v2", 96 * MIB), ("thunderx2", PUBLISHED_SIZES[1]))
# What the kernel's share of the bytes adds to a copy of them.
KERNEL_PERCENT = (50, 10)
# A payload of which little is executed.
LARGE, LARGE_KERNEL_PERCENT = GIB, 3
# Of a whole reboot, measured with 25 MB.
PUBLISHED_SHARES = {("cortex-a72-stingray", "mmu-off"): 0.582,
                    ("cortex-a72-stingray", "mmu-on"): 0.063}
NOTE = """Modelled time from lens, for the profile named: no board was measured. What is called
published was measured on boards, by others, of Linux; the profiles of those boards are fit to it.
"""


def plan(quick=False):
    """Cases by bench."""
    profiles = [ONE_PROFILE] if quick else sorted(CPUS)
    sizes = SIZES[:6:2] if quick else SIZES
    servers, cpus = (SERVERS[:1], (1, 8)) if quick else (SERVERS, (1, 2, 4, 8, 16))
    large = 64 * MIB if quick else LARGE
    relocations = [Case(profile, mode, size) for size in PUBLISHED_SIZES for profile in profiles
                   for mode in MODES]
    return {"relocation": relocations + ([] if quick else linux_cases()),
            "sizes": [Case(ONE_PROFILE, mode, size) for size in sizes for mode in MODES],
            "lists": [Case(ONE_PROFILE, mode, PUBLISHED_SIZES[0], kind) for kind in LISTS
                      for mode in MODES],
            "cores": [Case(profile, "mmu-on", size, cpus=count) for profile, size in servers
                      for count in cpus],
            "limit": [Case(ONE_PROFILE, "mmu-on", PUBLISHED_SIZES[0], kernel_percent=percent)
                      for percent in KERNEL_PERCENT],
            "maintenance": [Case(ONE_PROFILE, "mmu-on", large, cleaning=cleaning,
                                 kernel_percent=LARGE_KERNEL_PERCENT) for cleaning in CLEANING],
            "elision": [Case(ONE_PROFILE, "mmu-on", PUBLISHED_SIZES[0], kind)
                        for kind in elision.ALIGNMENTS]}


def linux_cases():
    """Where Linux's own time was measured. They take as long as all others together."""
    return [case for size in PUBLISHED_SIZES for profile in sorted(CPUS)
            for case in linux_kexec.cases(profile, size) if published_ns(case)]


def published_ns(case):
    """What Linux took for these bytes on the profile's board, or None."""
    name = f"relocate {case.bytes // 10**6} MB, MMU {case.mode.removeprefix('mmu-')}"
    low, high = PUBLISHED.get(case.profile, {}).get(name, (None, None))
    assert low == high
    return low and round(low * 1e9)


def published_share(case):
    """Of relocation in the reboot whose time was published, or None."""
    return published_ns(case) and PUBLISHED_SHARES.get((case.profile, case.mode))


def measure(image, case):
    if case.engine != KEXPRESS:
        moved = linux_kexec.relocate(case)
    elif case.list in elision.ALIGNMENTS:
        moved = elision.relocate(image, case)
    else:
        moved = relocate(image, case)
    return moved | {"copy_ns": copy_limit.nanoseconds(case.profile, moved["bytes_copied"]),
                    "published_ns": published_ns(case), "published_share": published_share(case)}


def run(image, benches):
    """Records by bench; a case of several is run once, as it comes out the same each time."""
    cases = list(dict.fromkeys(case for cases in benches.values() for case in cases))
    records = {}
    for number, case in enumerate(cases, 1):
        print(f"bench: {number} of {len(cases)}: {case}", flush=True)
        records[case] = measure(image, case)
    return {bench: [{"bench": bench, **records[case]} for case in cases]
            for bench, cases in benches.items()}


def write(results, out):
    for bench, records in results.items():
        (out / f"{bench}.json").write_text(json.dumps(records, indent=1) + "\n")
    text = "\n\n".join(table.markdown() for table in tables(results))
    (out / "bench.md").write_text(f"# kexpress bench\n\n{NOTE}\n{text}\n")


def draw(results, out):
    if not importlib.util.find_spec("matplotlib"):
        print("bench: no plots, because matplotlib is not installed (Debian: python3-matplotlib)")
        return
    import plots
    plots.plots(results, out)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--image", type=Path, required=True)
    parser.add_argument("--lens", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--quick", action="store_true", help="one profile, fewer sizes")
    arguments = parser.parse_args()

    machine_lens.LENS = arguments.lens.resolve()
    arguments.out.mkdir(parents=True, exist_ok=True)
    results = run(arguments.image, plan(arguments.quick))
    write(results, arguments.out)
    print("\n" + "\n\n".join(table.text() for table in tables(results)) + "\n\n" + NOTE)
    draw(results, arguments.out)
    print(f"bench: written to {arguments.out}")


if __name__ == "__main__":
    main()
