# SPDX-License-Identifier: MIT
import pytest

import abi
import cells
import installer
from boards import board_scene
from scene import EL1, probe_kernel, random_bytes, scene

RAMDISK_SIZE = 2 * abi.MIB + 4321  # odd, and no whole page


@pytest.fixture(scope="session", autouse=True)
def built():
    for path in (abi.STAGE, abi.STAGE_ELF, abi.PROBE, abi.CALLER):
        assert path.exists(), f"{path} is missing: run make"


def pytest_collection_modifyitems(config, items):
    """In a lab: what a board can run, and this one is."""
    if not lab_file(config):
        return
    from labgrid.config import Config
    name = Config(lab_file(config)).get_option("board")
    runs = [item.get_closest_marker("board") and is_about(item, name) for item in items]
    config.hook.pytest_deselected(items=[item for item, run in zip(items, runs) if not run])
    items[:] = [item for item, run in zip(items, runs) if run]


def is_about(item, name):
    """Or about any board."""
    return not hasattr(item, "callspec") or str(item.callspec.params.get("board", name)) == name


def lab_file(config):
    """labgrid's option, where labgrid is there."""
    return config.getoption("lg_env", None)


@pytest.fixture(scope="session")
def lab(request):
    """None: QEMU."""
    if not lab_file(request.config):
        return None
    from lab import Lab
    return Lab(request.getfixturevalue("env"))


@pytest.fixture
def boot(lab):
    """What starts kexpress as a kernel is: on QEMU, whose "virt" it is unless board says otherwise,
    or on the lab's board. Tests that use it need only the console."""
    def on_qemu(payload, board=None, **how):
        return board_scene(board, payload, **how) if board else scene(EL1, payload, **how)

    def in_lab(payload, _board=None, append="", **_):
        return lab.scene(payload, append)
    return in_lab if lab else on_qemu


@pytest.fixture(scope="session")
def kernel(lab):
    return probe_kernel(out=lab.board.out if lab else abi.OUT)


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
