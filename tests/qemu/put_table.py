#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
put_table.py DOCUMENT NAME TABLE: puts a table that a run of tests has written into a document,
between <!-- NAME --> and <!-- end -->.
"""

import re
import sys
from pathlib import Path


def main():
    document, name, table = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
    if not table.is_file():
        sys.exit(f"no {table}: no such tests have run yet")
    begin, end = f"<!-- {name} -->\n", "<!-- end -->\n"
    text, count = re.subn(f"{begin}.*?{end}", lambda _: begin + table.read_text() + end,
                          document.read_text(), flags=re.S)
    if count != 1:
        sys.exit(f"{document} has no place for the table")
    document.write_text(text)


if __name__ == "__main__":
    main()
