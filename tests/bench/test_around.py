# SPDX-License-Identifier: MIT
"""All steps but move and settle together stay small beside them, in lens's time."""

import pytest

import relocation
from abi import STAGE
from bench import ONE_PROFILE, PUBLISHED_SIZES
from relocation import Case

# Of move and settle. Single pages cost some for each.
LIMITS = {"contiguous": 0.065, "scattered": 0.095}


@pytest.mark.parametrize("kind", LIMITS)
def test_around_the_copy(kind):
    record = relocation.relocate(STAGE, Case(ONE_PROFILE, "mmu-on", PUBLISHED_SIZES[0], kind))
    around = record["total_ns"] - record["relocation_ns"]
    assert around < LIMITS[kind] * record["relocation_ns"], record["steps_ns"]
