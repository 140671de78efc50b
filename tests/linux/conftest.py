# SPDX-License-Identifier: MIT
import pytest

import bed


@pytest.fixture(scope="session", autouse=True)
def built():
    for path in (bed.LOADER, bed.SABOTEUR):
        assert path.exists(), f"{path} is missing: make loader"
