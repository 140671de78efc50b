# SPDX-License-Identifier: MIT
"""
What boots, by board, boot path and exception level of entry: a table of what the tests have shown.

A test says by @pytest.mark.path("...") which way it takes; board and exception level are those of
its parameters. Where several tests are of one cell all have to pass.
"""

import json

from boards import all_boards

LEVELS = ("EL1", "EL2", "EL2, E2H", "EL3")
COLUMNS = ("board", "boot path", *LEVELS)
PROPERTY = "cell"
DEBIAN = "boot protocol: Debian"


def level(entered):
    """Of a Start, a Reset or a board."""
    if getattr(entered, "secure", False):
        return "EL3"
    return "EL2, E2H" if getattr(entered, "e2h", False) else f"EL{entered.el}"


def cell_of(item):
    """(board, path, level), or None."""
    marker = item.get_closest_marker("path")
    if not marker:
        return None
    parameters = getattr(item, "callspec", None) and item.callspec.params or {}
    entered = next((parameters[name] for name in ("board", "reset", "start") if name in parameters),
                   None)
    board = parameters["board"].name if "board" in parameters else "virt"
    return board, marker.args[0], level(entered) if entered else marker.kwargs["level"]


def results(reports):
    """{(board, path): {level: whether all passed}}, in the order of the tests."""
    table = {}
    for report in reports:
        for name, cell in report.user_properties:
            if name == PROPERTY:
                board, path, at = cell
                row = table.setdefault((board, path), {})
                row[at] = row.get(at, True) and report.passed
    return table


def limit_debian(table):
    """Where QEMU's model of a board lets Debian's kernel come only so far."""
    for board in all_boards():
        row = table.get((board.name, DEBIAN), {})
        if row.get(level(board)) and board.debian["reaches"] != "shell":
            row[level(board)] = f"pass, to its {board.debian['reaches']}"


def text(outcome):
    return {True: "pass", False: "FAIL", None: ""}.get(outcome, outcome)


def markdown(table):
    """boards in the order of their names, virt first."""
    lines = ["| " + " | ".join(COLUMNS) + " |", "| " + " | ".join(["---"] * len(COLUMNS)) + " |"]
    for (board, path), row in sorted(table.items(), key=lambda item: (item[0][0] != "virt", item[0])):
        cells = [text(row.get(at)) for at in LEVELS]
        lines.append("| " + " | ".join((board, path, *cells)) + " |")
    return "\n".join(lines)


def write(table, directory):
    limit_debian(table)
    directory.mkdir(parents=True, exist_ok=True)
    rows = [{"board": board, "path": path, "levels": row} for (board, path), row in table.items()]
    (directory / "cells.json").write_text(json.dumps(rows, indent=1) + "\n")
    (directory / "cells.md").write_text(markdown(table) + "\n")
