# SPDX-License-Identifier: MIT
"""The hot path tests nothing: patched at boot, it is as if built for the CPU that it runs on."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import hot_path  # noqa: E402
from abi import PAGE, TOP  # noqa: E402
from relocation import Case  # noqa: E402

RUNS = 300


@pytest.fixture(scope="module")
def records():
    case = Case(hot_path.PROFILE, "mmu-on", RUNS * PAGE, "scattered")
    return {record["geometry"]: record for record in hot_path.run([case])}


def test_patched_is_built(records):
    for key in ("instructions", "hot_path_ns"):
        assert records["patched"][key] == records["built"][key]


def test_what_is_tested_is_seen(records):
    """Not for each run: which loop copies is known from its trial, and asked of nobody."""
    assert 0 < records["tested"]["instructions"] - records["patched"]["instructions"] < RUNS


def test_schema(records):
    text = (TOP / "docs/bench.md").read_text()
    for key in records["built"]:
        assert f"`{key}`" in text, f"docs/bench.md does not tell what {key} is"


def test_table(records):
    rows = hot_path.table(list(records.values())).rows
    assert [row[:2] for row in rows] == [("scattered", way) for way in hot_path.WAYS]
    assert rows[0][4] == rows[1][4] == "+0"
