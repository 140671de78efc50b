# SPDX-License-Identifier: MIT
"""
Every error that there is (include/kexpress/error.h): something provokes it, the message names it
with addresses, a caller that wants to gets it back, and memory is as it was.
"""

import re

import pytest

import abi
import fit
import tree
import trouble_file
import trouble_handoff
import trouble_tree
from abi import ERRORS, PAGE
from check import SCTLR_C, SCTLR_M
from scene import EL1, STARTS, TREE_AT, Payload, scene
from trouble import all_in

CASES = all_in(trouble_handoff, trouble_tree, trouble_file)

# Where else an error is provoked, or why nothing can provoke it.
ELSEWHERE = {"FAULT": "test_fault.py", "EFI": "test_efi.py", "SLOT": "test_flash.py"}


def overlaps(a, b):
    return a[0] < b[1] and b[0] < a[1]


def check_memory(s, before, control):
    own = [(start // PAGE * PAGE, -(-end // PAGE) * PAGE) for start, end in s.own_memory()]
    for page in s.ram.changes(before):
        touched = (page, page + PAGE)
        if any(overlaps(touched, r) for r in own):
            continue
        assert control, f"{page:#x} changed"
        assert not any(overlaps(touched, r) for r in s.handed_over()), f"{page:#x} changed"


def check_returned(s, error):
    returned = s.report.returned
    assert returned["error"] == ERRORS[error]
    assert returned["el"] == s.start.el
    assert returned["preserved"] == 1
    assert returned["sctlr"] & (SCTLR_M | SCTLR_C) == 0


def cases():
    for i, make in enumerate(CASES):
        for j, start in enumerate(STARTS):
            marks = () if (i - j) % 3 == 0 else pytest.mark.slow
            yield pytest.param(make, start, marks=marks,
                               id=f"{make.provokes}-{make.__name__}-{start}")


@pytest.mark.parametrize("make, start", cases())
def test_error(make, start, tmp_path):
    trouble, error = make(), make.provokes
    payload = trouble.payload
    if callable(payload.initrd):
        write, payload.initrd = payload.initrd, tmp_path / "payload"
        write(payload.initrd)
    start = trouble.how.pop("start", start)
    if trouble.changes is not None:
        payload.writes.append((TREE_AT, tree.edited(*trouble.changes, el=start.boot_el)))
    if payload.handoff:
        start = start.with_flags("RETURN", "MMU")
    with scene(start, payload, **trouble.how) as s:
        before = s.ram.snapshot()
        s.run(last_line="kexpress: halted\r\n")
        assert s.report.errors == [error]
        assert re.search(rf"kexpress: error E_{error}: [^\n]+, 0x[0-9a-f]+-0x[0-9a-f]+\r\n",
                         s.machine.console)
        assert "probe:" not in s.machine.console
        check_memory(s, before, trouble.control)
        if payload.handoff:
            check_returned(s, error)


def test_every_error_is_provoked():
    provoked = {make.provokes for make in CASES}
    assert provoked | set(ELSEWHERE) == set(ERRORS)
    assert not provoked & set(ELSEWHERE)


@pytest.mark.board
def test_next_configuration(boot, tmp_path, kernel, ramdisk):
    """A configuration that is refused is followed by the next, with a word about it."""
    parts = {"bad": fit.Part(kernel, "kernel", compression="gzip"),
             "good": fit.Part(kernel, "kernel"), "ramdisk": fit.Part(ramdisk, "ramdisk")}
    configurations = {"first": {"kernel": "bad", "ramdisk": "ramdisk"},
                      "second": {"kernel": "good", "ramdisk": "ramdisk"}}
    made = fit.Fit(parts, configurations).make(tmp_path / "payload")
    with boot(Payload(kernel, ramdisk, initrd=made)) as s:
        s.run()
        assert s.report.errors == ["COMPRESSION"]
        assert "kexpress: trying configuration 2 of 2" in s.report.lines
        assert "probe: done" in s.report.lines
