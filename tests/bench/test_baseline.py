# SPDX-License-Identifier: MIT
"""No move takes longer, in lens's time, than the baseline says."""

import json

import pytest

import baseline


@pytest.mark.parametrize("case", baseline.CASES, ids=str)
def test_not_slower(case):
    before = json.loads(baseline.FILE.read_text())[str(case)]
    found = baseline.worse(before, baseline.measure(case))
    assert not found, f"{found}; if it has to be: make bench-baseline"


def test_three_percent_are_let_pass():
    before = {"total_ns": 1000, "relocation_ns": 500}
    assert not baseline.worse(before, {"total_ns": 1030, "relocation_ns": 400})
    assert baseline.worse(before, {"total_ns": 1000, "relocation_ns": 516}) == {
        "relocation_ns": (500, 516)}
