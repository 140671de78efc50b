# SPDX-License-Identifier: MIT
"""README.md's table of options is that of src/payload/options.c."""

import re
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]


def documented():
    rows = re.findall(r"^\| `(kexpress\.[^`]*)` \|", (TOP / "README.md").read_text(), re.M)
    return {row.replace("\\|", "|") for row in rows}


def implemented():
    source = (TOP / "src/payload/options.c").read_text()
    rows = re.findall(r'^\t\[OPTION_\w+\] = \{"([^"]+)", (?:"([^"]+)"|NULL)\}', source, re.M)
    return {f"{name}={values}" if values else name for name, values in rows}


def test_option_table():
    assert implemented()
    assert documented() == implemented()
