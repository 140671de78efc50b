# SPDX-License-Identifier: MIT
"""
`make bench-baseline`: measures a few small moves and writes baseline.json, which test_baseline.py
holds later ones against.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import relocation  # noqa: E402
from abi import MIB, STAGE  # noqa: E402
from relocation import Case  # noqa: E402

FILE = Path(__file__).resolve().with_name("baseline.json")
SIZE = relocation.whole_pages(25_000_000)
CASES = (Case("cortex-a72-stingray", "mmu-on", SIZE),
         Case("cortex-a72-stingray", "mmu-on", SIZE, "scattered"),
         Case("neoverse-n1", "mmu-on", 16 * MIB, cpus=4))
FIGURES = ("total_ns", "relocation_ns")
TOLERANCE = 0.03


def measure(case):
    record = relocation.relocate(STAGE, case)
    return {figure: record[figure] for figure in FIGURES}


def worse(before, now):
    """The figures that are, each with both values."""
    return {figure: (before[figure], now[figure]) for figure in FIGURES
            if now[figure] > before[figure] * (1 + TOLERANCE)}


def main():
    figures = {str(case): measure(case) for case in CASES}
    FILE.write_text(json.dumps(figures, indent=1) + "\n")
    print(f"bench: written to {FILE}: {figures}")


if __name__ == "__main__":
    main()
