# SPDX-License-Identifier: MIT
"""
`make calibrate`: runs tests/lens/guests/calibrate.S under each profile and prints what lens says
beside what was measured on the real machine, with the error of each. Fails where one is out by more
than TOLERANCE and not excused.

Published values are ranges where sources differ; inside the range there is no error, outside it is
the distance to its nearer end.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

TOLERANCE = 0.10
BUDGET = 120  # seconds; a profile takes about ten
RAM = 1 << 30
MIB = 1 << 20
PAGE = 4096


@dataclass
class Case:
    name: str
    unit: str
    amount: float  # bytes, or steps
    gain: bool = False  # shown as the change against the case before it

    def value(self, seconds):
        if self.unit == "GB/s":
            return self.amount / seconds / 1e9
        if self.unit == "MB/s":
            return self.amount / seconds / 1e6
        if self.unit == "s":
            return seconds
        return seconds * 1e9 / self.amount


# By number, as in calibrate.S.
CASES = (
    Case("chase 16 KiB", "ns", 65536),
    Case("chase 256 KiB", "ns", 65536),
    Case("chase 128 MiB", "ns", 65536),
    Case("copy", "GB/s", 128 * MIB),
    Case("copy, prefetch", "GB/s", 128 * MIB, gain=True),
    Case("fill", "GB/s", 128 * MIB),
    Case("fill, DC ZVA", "GB/s", 128 * MIB),
    Case("copy, Device", "MB/s", MIB),
    Case("copy, non-cacheable", "MB/s", MIB),
    Case("DC CIVAC, absent", "ns", MIB // 64),
    Case("DC CVAC, dirty", "ns", (16 << 10) // 64),
    Case("relocate 25 MB, MMU on", "s", 1),
    Case("relocate 84 MB, MMU on", "s", 1),
    Case("relocate 25 MB, MMU off", "s", 1),
    Case("relocate 84 MB, MMU off", "s", 1),
)

# Measured, lowest and highest; of gains, the change in percent.
PUBLISHED = {
    "cortex-a53": {"chase 128 MiB": (130, 130), "copy": (2.2, 2.8), "copy, prefetch": (14, 20),
                   "fill": (5, 7)},
    "cortex-a72-pi4": {"chase 128 MiB": (127, 127), "copy": (2.6, 2.6),
                       "copy, prefetch": (-6, 2), "fill": (3.1, 3.1)},
    "cortex-a72-stingray": {"relocate 25 MB, MMU on": (0.02216, 0.02216),
                            "relocate 25 MB, MMU off": (0.4405, 0.4405)},
    "thunderx2": {"relocate 84 MB, MMU on": (0.03946, 0.03946),
                  "relocate 84 MB, MMU off": (7.4895, 7.4895)},
    "cortex-a76-pi5": {"chase 128 MiB": (107, 107), "copy": (6.0, 6.0),
                       "copy, prefetch": (0, 2), "fill": (10.0, 10.0)},
    "neoverse-n1": {"chase 128 MiB": (90, 105), "copy": (11, 13), "copy, prefetch": (12, 43),
                    "fill": (41, 48)},
    "neoverse-v2": {"chase 128 MiB": (114, 114), "copy": (24, 24)},
}


def run(lens, guest, profile):
    """Seconds of each case, and the log."""
    shm = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shm if os.access(shm, os.W_OK) else None) as directory:
        ram, log = Path(directory) / "ram", Path(directory) / "log"
        subprocess.run(
            ["qemu-system-aarch64", "-M", "virt,memory-backend=ram", "-cpu", "cortex-a72",
             "-m", str(RAM // MIB), "-object",
             f"memory-backend-file,id=ram,size={RAM},mem-path={ram},share=on",
             "-nodefaults", "-display", "none", "-no-reboot", "-kernel", str(guest),
             "-plugin", f"{lens},profile={profile},ram={ram},log={log}"],
            env={**os.environ, "LD_PRELOAD": str(lens)}, stdin=subprocess.DEVNULL, check=True,
            timeout=BUDGET)
        text = log.read_text()
    at = {int(n): int(ps) for n, ps in re.findall(r"name=hint(\d+) cpu=0 ps=(\d+)", text)}
    return [(at[2 * n + 1] - at[2 * n]) / 1e12 for n in range(len(CASES))], text


def error(value, low, high):
    """Relative; of what lies in the range, none."""
    nearest = min(max(value, low), high)
    return (value - nearest) / nearest


def gain_error(value, low, high):
    """Of a change in percent: what it is out by, of the whole."""
    return (value - min(max(value, low), high)) / 100


def show(values):
    low, high = values
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def rows(profile, seconds):
    """(case, modelled, published, error or None) of one profile."""
    published = PUBLISHED.get(profile, {})
    values = [case.value(s) for case, s in zip(CASES, seconds)]
    for number, case in enumerate(CASES):
        text = f"{values[number]:.4g} {case.unit}"
        known = published.get(case.name)
        out = None
        if case.gain:
            gain = 100 * (values[number] / values[number - 1] - 1)
            text += f" ({gain:+.0f}%)"
            out = gain_error(gain, *known) if known else None
        elif known:
            out = error(values[number], *known)
        yield case.name, text, known and show(known) + (" %" if case.gain else ""), out


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lens", type=Path, required=True)
    parser.add_argument("--guest", type=Path, required=True)
    parser.add_argument("profiles", type=Path, nargs="+")
    arguments = parser.parse_args()

    bad = 0
    print(f"{'profile':20} {'case':25} {'lens':>22} {'published':>16} {'error':>7}")
    for profile in arguments.profiles:
        seconds, _ = run(arguments.lens.resolve(), arguments.guest, profile)
        for name, text, known, out in rows(profile.stem, seconds):
            mark = "" if out is None else f"{100 * out:+.1f}%"
            print(f"{profile.stem:20} {name:25} {text:>22} {known or '-':>16} {mark:>7}")
            bad += out is not None and abs(out) > TOLERANCE
    print(f"calibrate: {bad} out by more than {100 * TOLERANCE:.0f}%")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
