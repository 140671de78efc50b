# SPDX-License-Identifier: MIT
"""All steps but move and settle together stay small, in lens's time."""

import pytest

import relocation
from abi import STAGE
from bench import ONE_PROFILE, PUBLISHED_SIZES
from relocation import Case

# ns, whatever the bytes, and for each run.
FIXED, EACH_RUN = 630_000, 80


@pytest.mark.parametrize("kind", ("contiguous", "scattered"))
def test_around_the_copy(kind):
    record = relocation.relocate(STAGE, Case(ONE_PROFILE, "mmu-on", PUBLISHED_SIZES[0], kind))
    around = record["total_ns"] - record["relocation_ns"]
    assert around < FIXED + EACH_RUN * record["runs"], record["steps_ns"]
