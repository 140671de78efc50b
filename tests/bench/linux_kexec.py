# SPDX-License-Identifier: MIT
"""
Linux's own relocation of as many bytes as kexpress is given (relocation.py): Debian's kernels kexec
a payload of the same two parts, the initramfs padded so that all segments come to that size. The
check of purgatory, which kexpress's hand-off has none of either, is off.
"""

import sys
import tempfile
from pathlib import Path

from relocation import HVC, PAGE, Case, common, kernel_image, whole_pages

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "lens/linux"))

import kexec  # noqa: E402
from loaders import KEXEC_UNCHECKED  # noqa: E402

# What each does, as kexec's tests show: copy with the MMU off, or on.
MODES = {"5.10": "mmu-off", "6.1": "mmu-on", "6.12": "mmu-on"}
REST = 6 * PAGE  # the segments of the device tree and of purgatory
LINE = 64
STEPS = ("prepare", "relocate", "purgatory")


def cases(profile, size):
    return [Case(profile, mode, size, "linux", f"linux-{version}")
            for version, mode in MODES.items()]


def write_archive(path, size):
    kernel_size = whole_pages(size // 2)
    image = kernel_image(kernel_size, HVC).ljust(kernel_size, b"\0")
    path.write_bytes(kexec.initramfs(image, bytes(size - kernel_size - REST),
                                     KEXEC_UNCHECKED))


def steps_ns(events):
    """From machine_kexec() to the next kernel's first instruction, where the clock stops; events
    in ps."""
    at = [events["start"], kexec.called_ps(events), events["entry"], events["stop"]]
    return {step: round((after - before) / 1000) for step, before, after in zip(STEPS, at, at[1:])}


def record(case, segments_bytes, events, counts):
    """docs/bench.md"""
    assert segments_bytes == case.bytes, f"{case}: kexec moved {segments_bytes} bytes"
    uncached = counts["device_loads"] > case.bytes // PAGE
    assert uncached == (case.mode == "mmu-off"), f"{case}: moved in the other mode"
    steps = steps_ns(events)
    return {"list": case.list, **common(case, steps, steps["relocate"], case.bytes),
            "cores": 1, "bytes_cleaned": LINE * (counts["dc_cvac"] + counts["dc_civac"]),
            "runs": case.bytes // PAGE, "tables": None}


def relocate(case):
    """Runs the case; returns its record."""
    version = case.engine.removeprefix("linux-")
    with tempfile.TemporaryDirectory() as directory:
        archive = Path(directory) / "initramfs"
        write_archive(archive, case.bytes)
        places, events, lines, _ = kexec.measure(
            kexec.Reboot(version, archive, KEXEC_UNCHECKED), case.profile, stop="next_kernel",
            until=kexec.GONE)
    counts = {key: int(value) for key, value in lines["counts"][0].items()}
    return record(case, places.bytes, events, counts)
