# SPDX-License-Identifier: MIT
import pytest

import abi
import cells
import installer
from scene import probe_kernel, random_bytes

RAMDISK_SIZE = 2 * abi.MIB + 4321  # odd, and no whole page


@pytest.fixture(scope="session", autouse=True)
def built():
    for path in (abi.STAGE, abi.STAGE_ELF, abi.PROBE, abi.CALLER):
        assert path.exists(), f"{path} is missing: run make"


@pytest.fixture(scope="session")
def kernel():
    return probe_kernel()


@pytest.fixture(scope="session")
def ramdisk():
    return random_bytes(RAMDISK_SIZE)


@pytest.fixture
def patch(tmp_path, monkeypatch):
    """Replaces functions and data of the stage."""
    def replace(**functions):
        path = tmp_path / "patched.bin"
        path.write_bytes(abi.patched(abi.STAGE, abi.STAGE_ELF, functions))
        monkeypatch.setattr(abi, "STAGE", path)
    return replace


@pytest.fixture(scope="module")
def debian(tmp_path_factory):
    path = tmp_path_factory.mktemp("debian") / "debian.itb"
    yield installer.make_payload(path)
    path.unlink()


@pytest.fixture(autouse=True)
def cell(request, record_property):
    """Goes with the test's report, to pytest_terminal_summary()."""
    if found := cells.cell_of(request.node):
        record_property(cells.PROPERTY, found)


def pytest_terminal_summary(terminalreporter):
    reports = [report for outcome in ("passed", "failed")
               for report in terminalreporter.stats.get(outcome, ()) if report.when == "call"]
    if table := cells.results(reports):
        cells.write(table, abi.TOP / "build/tests")
        terminalreporter.section("what boots")
        terminalreporter.write_line(cells.markdown(table))
