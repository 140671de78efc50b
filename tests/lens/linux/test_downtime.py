# SPDX-License-Identifier: MIT
"""How long a machine is down in a reboot (tests/bench/downtime.py): what must hold whatever the
figures."""

import sys
from pathlib import Path

import pytest

import kexec

sys.path.append(str(Path(__file__).resolve().parents[2] / "bench"))

import downtime  # noqa: E402
from abi import MIB  # noqa: E402


@pytest.mark.slow
@pytest.mark.parametrize("version", kexec.KERNELS)
def test_downtime(version):
    """The payload is checked by kexpress and by kexec's purgatory, and not by kexec-unchecked."""
    if not kexec.DEBIAN.is_dir():
        pytest.skip("Debian's packages are not there")
    cases = [downtime.Case(version, engine, cpus=1) for engine in downtime.ENGINES]
    checked, unchecked, ours = downtime.run(cases)
    assert ours["total_ns"] < unchecked["total_ns"] < checked["total_ns"]
    assert ours["bytes_relocated"] < MIB < ours["bytes"] < unchecked["bytes_relocated"]
