# SPDX-License-Identifier: MIT
"""
`make run`: moves Debian's kernel and installer initramfs with the MMU off and on, boots both to a
shell, and prints the two timings side by side; the same as JSON in run.json. The times are those of
lens's model of a machine (docs/lens.md), from kexpress's first instruction to its jump.
"""

import argparse
import json
import re
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "qemu"), str(TESTS / "lens")]

from abi import GIB, TOP  # noqa: E402
from fit import simple  # noqa: E402
from machine import Board  # noqa: E402
from machine_lens import LensMachine, symbols  # noqa: E402

STEPS = ("enter", "discover", "open", "plan", "map", "move", "settle")
BYTES = ("bytes_copied", "bytes_in_place", "bytes_zeroed", "bytes_hashed", "bytes_cleaned")
BUDGET = 600  # seconds for a boot to a shell; about thirty are usual
# Parts of a FIT are 4-byte aligned by themselves; with the MMU off that doubles the accesses.
ALIGNED = ("-E", "-B", "0x1000")


def debian_installer():
    """Kernel and initramfs of Debian's network installer, as `make deps` unpacks them."""
    images = next((TOP / "build/deps/arm64").glob(
        "debian-installer-*-netboot-arm64/usr/lib/debian-installer/images/*/arm64/text/"
        "debian-installer/arm64"))
    return images / "linux", images / "initrd.gz"


def boots_to_a_shell(machine):
    """The shell answers what only a shell can work out."""
    machine.expect(r"~ # ", BUDGET)
    asked = len(machine.console)
    machine.send("echo shell says $((6 * 7))\n")
    machine.expect(r"shell says 42", BUDGET, since=asked)
    return True


def boot(image, fit, mode, el, profile):
    append = f"kexpress.mmu={mode} kexpress.onerror=poweroff console=ttyAMA0 rdinit=/bin/sh"
    # The same kaslr-seed each time: how long it takes to look at is in the figures.
    board = Board(el=el, ram=2 * GIB, kernel=image, initrd=fit, append=append,
                  extra=["-seed", "0"])
    jump = symbols(image.with_suffix(".elf"))["jump"]
    with LensMachine(board, profile, stop=hex(jump)) as machine:
        machine.start()
        line = machine.expect(r"kexpress: timing (.*)\r?\n", BUDGET).group(1)
        timing = {key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", line)}
        booted = boots_to_a_shell(machine)
    nanoseconds = {step: timing[step] * 10**9 // timing["frequency"] for step in STEPS}
    return {"mode": f"mmu-{mode}", "el": el, "profile": profile, "booted": booted, "steps_ns": nanoseconds,
            **{key: timing[key] for key in BYTES}, "runs": timing["runs"]}


def milliseconds(nanoseconds):
    return f"{nanoseconds / 1e6:.2f} ms"


def table(results):
    rows = [("", *(r["mode"] for r in results)),
            ("exception level", *(f"EL{r['el']}" for r in results))]
    rows += [(step, *(milliseconds(r["steps_ns"][step]) for r in results)) for step in STEPS]
    rows += [("all steps", *(milliseconds(sum(r["steps_ns"].values())) for r in results))]
    rows += [(name.replace("_", " "), *(f"{r[name]:,}" for r in results)) for name in BYTES]
    rows += [("boots to a shell", *("yes" if r["booted"] else "NO" for r in results))]
    return "\n".join(f"  {row[0]:20}" + "".join(f"{cell:>18}" for cell in row[1:]) for row in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--image", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--el", type=int, default=2, choices=(1, 2))
    parser.add_argument("--profile", default="cortex-a72-stingray")
    arguments = parser.parse_args()

    arguments.out.mkdir(parents=True, exist_ok=True)
    fit = arguments.out / "debian.itb"
    print("run: pack Debian's kernel and initramfs as a FIT", flush=True)
    simple(*debian_installer(), arguments=ALIGNED).make(fit)
    results = []
    for mode in ("off", "on"):
        print(f"run: move with the MMU {mode}, and boot", flush=True)
        results.append(boot(arguments.image, fit, mode, arguments.el, arguments.profile))
    (arguments.out / "run.json").write_text(json.dumps(results, indent=1) + "\n")
    print("\n" + table(results))
    print(f"\nTimes are modelled by lens for its profile {arguments.profile}; bytes are exact.")


if __name__ == "__main__":
    main()
