# SPDX-License-Identifier: MIT
"""Linux's own relocation, under lens. What is expected of each kernel is known from its source:
until 5.16 it copies with the MMU off, since then with it on."""

import re

import pytest

import kexec
from loaders import KEXEC, KEXPRESS

# Published for a Stingray, with the MMU off and on; the profile is fitted to code of the same kind.
PUBLISHED_MBS = {"5.10": 57, "6.1": 1128, "6.12": 1128}
PAGE, LINE, PAIR = 4096, 64, 16
# Of the kernels themselves: docs/lens.md.
FOUND = {"5.10": ["fetch-stale"], "6.1": [], "6.12": ["live-entry-changed", "table-not-visible"]}


def make_archive(directory, loader):
    if not kexec.DEBIAN.is_dir():
        pytest.skip("Debian's packages are not there")
    path = directory / "initramfs"
    path.write_bytes(kexec.initramfs(loader=loader))
    return path


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    return make_archive(tmp_path_factory.mktemp("kexec"), KEXEC)


@pytest.mark.slow
@pytest.mark.parametrize("version", kexec.KERNELS)
def test_relocation(archive, version):
    places, steps, record, _ = kexec.measure(kexec.Reboot(version, archive), verify="on")
    counts = {key: int(value) for key, value in record["counts"][0].items()}
    assert record["end"][0]["unexplained"] == "0"

    pairs = places.bytes // PAIR
    copying, idle = (("device", "writeback") if version == "5.10" else ("writeback", "device"))
    for way in ("loads", "stores"):
        assert pairs <= counts[f"{copying}_{way}"] < 1.01 * pairs
        assert counts[f"{idle}_{way}"] < 0.02 * pairs

    lines = places.bytes // LINE
    maintained = "dc_ivac" if version == "5.10" else "dc_civac"
    assert counts[maintained] == lines
    assert counts["dsb"] >= places.bytes // PAGE

    rate = places.bytes / kexec.relocation_ps(steps) * kexec.PS / 1e6
    assert abs(rate / PUBLISHED_MBS[version] - 1) < 0.05


def judge(version, archive, loader):
    """From reset, by the old kernel's relocation and what it jumps to, to the next kernel's
    shell."""
    _, _, _, log = kexec.measure(kexec.Reboot(version, archive, loader), stop="next_kernel",
                                 coherency="on", verify="on")
    assert re.findall(r"^lens: (\S+) cpu", log, re.M) == FOUND[version]
    assert re.findall(r"^contract: (\w+)", log, re.M) == ["held"]


@pytest.mark.slow
@pytest.mark.parametrize("version", ("5.10", "6.1"))
def test_coherency(archive, version):
    """6.12's kexec_load() of all that is too slow when it is judged."""
    judge(version, archive, KEXEC)


@pytest.mark.slow
@pytest.mark.parametrize("version", FOUND)
def test_coherency_of_kexpress(tmp_path, version):
    judge(version, make_archive(tmp_path, KEXPRESS), KEXPRESS)
