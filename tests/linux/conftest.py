# SPDX-License-Identifier: MIT
import re

import pytest

import bed

CELL = re.compile(r"test_reboot\[([\d.]+)-([\d.]+)-(\w+)-(\d)cpu-gic(\w+)\]$")
TABLE = bed.TOP / "build/tests/linux.md"


@pytest.fixture(scope="session", autouse=True)
def built():
    for path in (bed.LOADER, bed.SABOTEUR):
        assert path.exists(), f"{path} is missing: make loader"


def cells(reports):
    """{(old, next): {(level, cpus, gic): passed}}"""
    table = {}
    for report in reports:
        if match := CELL.search(report.nodeid):
            old, following, level, cpus, gic = match.groups()
            table.setdefault((old, following), {})[level, int(cpus), gic] = report.passed
    return table


def markdown(table):
    columns = sorted({column for row in table.values() for column in row})
    names = [f"{level}, {cpus} CPU{'s' * (cpus > 1)}, GICv3 and ITS" if gic == "its" else
             f"{level}, {cpus} CPU{'s' * (cpus > 1)}, GICv{gic}" for level, cpus, gic in columns]
    pairs = sorted(table, key=lambda pair: [int(n) for v in pair for n in v.split(".")])
    text = {True: "pass", False: "FAIL", None: ""}
    lines = ["| machine | " + " | ".join(f"{old} to {following}" for old, following in pairs) + " |",
             "| --- |" + " --- |" * len(pairs)]
    lines += [f"| {name} | " + " | ".join(text[table[pair].get(column)] for pair in pairs) + " |"
              for name, column in zip(names, columns)]
    return "\n".join(lines)


def pytest_terminal_summary(terminalreporter):
    reports = [report for outcome in ("passed", "failed")
               for report in terminalreporter.stats.get(outcome, ()) if report.when == "call"]
    if table := cells(reports):
        TABLE.parent.mkdir(parents=True, exist_ok=True)
        TABLE.write_text(markdown(table) + "\n")
        terminalreporter.section("what reboots")
        terminalreporter.write_line(markdown(table))
