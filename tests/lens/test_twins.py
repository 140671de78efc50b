# SPDX-License-Identifier: MIT
"""
lens is right about small programs: each of twins/ provokes just the finding that it is named
after, and its correct twin none.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest

LENS = Path(__file__).parent
TOP = LENS.parents[1]
BUILD = TOP / "build/lens"
PLUGIN = BUILD / "lens.so"
PROFILE = LENS / "profiles/cortex-a72-pi4.profile"
KERNEL = 0x41000000  # twins/contract.inc
RAM_MIB = 64
BUDGET = 20  # seconds

FINDINGS = sorted(p.stem for p in (LENS / "twins").glob("*.S")
                  if not p.stem.startswith("contract-"))
CONTRACT = {
    "contract-clean": "image clean to PoC",
    "contract-ic": "no stale instruction lines of the image",
    "contract-x1": "x1 is 0",
}


@pytest.fixture(scope="session", autouse=True)
def build():
    for makefile in "lens.mk", "twins/twins.mk":
        subprocess.run(["make", "-s", "-f", LENS / makefile], cwd=TOP, check=True)


def run(program, directory, cpu="cortex-a72", **options):
    """lens's log of a program's run to power-off."""
    ram, log = directory / "ram", directory / "log"
    options = {"profile": PROFILE, "ram": ram, "log": log, "coherency": "on",
               "elf": BUILD / f"twins/{program}.elf", **options}
    command = [
        "qemu-system-aarch64", "-nodefaults", "-display", "none", "-no-reboot",
        "-object", f"memory-backend-file,id=ram,size={RAM_MIB}M,mem-path={ram},share=on",
        "-M", "virt,memory-backend=ram", "-cpu", cpu, "-m", str(RAM_MIB),
        "-kernel", BUILD / f"twins/{program}.bin",
        "-plugin", ",".join([str(PLUGIN)] + [f"{k}={v}" for k, v in options.items()])]
    subprocess.run(command, env={**os.environ, "LD_PRELOAD": str(PLUGIN)}, check=True,
                   stdin=subprocess.DEVNULL, timeout=BUDGET)
    return log.read_text()


def findings(log):
    """(name, symbol of the PC) of each."""
    return re.findall(r"^lens: (\S+) cpu=\d+ pc=\S+(?: \((\w+))?", log, re.M)


def finished(log):
    """Every access was explained, and the end reached."""
    return re.search(r"^end .*unexplained=0$", log, re.M)


@pytest.mark.parametrize("name", FINDINGS)
def test_fault(name, tmp_path):
    log = run(name, tmp_path)
    assert finished(log), log
    assert [found for found, _ in findings(log)] == [name], log


@pytest.mark.parametrize("name", FINDINGS)
def test_twin(name, tmp_path):
    log = run(f"{name}.twin", tmp_path)
    assert finished(log), log
    assert not findings(log), log


@pytest.mark.parametrize("name", CONTRACT)
def test_contract_violated(name, tmp_path):
    log = run(name, tmp_path, kernel=hex(KERNEL))
    assert re.findall(r"^contract: violated: (.*) \(", log, re.M) == [CONTRACT[name]], log


@pytest.mark.parametrize("name", CONTRACT)
def test_contract_held(name, tmp_path):
    log = run(f"{name}.twin", tmp_path, kernel=hex(KERNEL))
    assert f"contract: held kernel={KERNEL:#x}\n" in log, log
    assert not findings(log), log


def test_symbols(tmp_path):
    """A finding names the function."""
    assert findings(run("ivac-loses-data", tmp_path)) == [("ivac-loses-data", "program")]


def test_dic_and_idc(tmp_path):
    """A core that needs neither the clean nor the invalidation."""
    assert not findings(run("fetch-stale", tmp_path, cpu="max"))
