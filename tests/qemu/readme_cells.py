#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Puts the table of what boots, as the last run of all tests has shown it, into README.md."""

import re
import sys

from abi import TOP

BEGIN, END = "<!-- what boots -->\n", "<!-- end -->\n"


def main():
    table, readme = TOP / "build/tests/cells.md", TOP / "README.md"
    if not table.is_file():
        sys.exit("no results yet: make test-full")
    text, count = re.subn(f"{BEGIN}.*?{END}", lambda _: BEGIN + table.read_text() + END,
                          readme.read_text(), flags=re.S)
    if count != 1:
        sys.exit("README.md has no place for the table")
    readme.write_text(text)


if __name__ == "__main__":
    main()
