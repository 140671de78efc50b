# SPDX-License-Identifier: MIT
"""boards/*/lava.yaml are jobs that LAVA takes, and boot the files that docs/lab.md tells of."""

import re
from pathlib import Path

import pytest

schemas = pytest.importorskip("lava_common.schemas", reason="make deps-lab")
yaml = pytest.importorskip("yaml")

TOP = Path(__file__).resolve().parents[2]
JOBS = sorted(TOP.glob("boards/*/lava.yaml"))
FILE = re.compile(r"file:///srv/kexpress/([\w-]+)/(kexpress\.bin|payload\.itb|payload\.img|board\.dtb)")


@pytest.mark.parametrize("path", JOBS, ids=lambda path: path.parent.name)
def test_job(path):
    schemas.validate(yaml.safe_load(path.read_text()), strict=True)
    urls = re.findall(r"url: (.*)", path.read_text())
    assert len(urls) > 1
    assert {FILE.fullmatch(url)[1] for url in urls} == {path.parent.name}
