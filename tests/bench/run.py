# SPDX-License-Identifier: MIT
"""
`make run`: moves Debian's kernel and installer initramfs with the MMU off and on, boots both to a
shell, and prints the two timings side by side; with --flash boots from flash, from a reset. The
same as JSON in run.json. The times are those of
lens's model of a machine (docs/lens.md), from kexpress's first instruction to its jump.
"""

import argparse
import json
import re
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "qemu"), str(TESTS / "lens"), str(TESTS.parent / "boards")]

import debian  # noqa: E402
from abi import GIB  # noqa: E402
from fit import simple  # noqa: E402
from boards import KERNEL_OFFSET, find_board  # noqa: E402
from flash import board_data  # noqa: E402
from machine import Board, flash_drives  # noqa: E402
from machine_lens import LensMachine, symbols  # noqa: E402

STEPS = ("enter", "discover", "open", "plan", "map", "move", "settle")
BYTES = ("bytes_copied", "bytes_in_place", "bytes_zeroed", "bytes_hashed", "bytes_cleaned")
BUDGET = 600  # seconds for a boot to a shell; about thirty are usual
# The same kaslr-seed each time: how long it takes to look at is in the figures.
SAME_SEED = ["-seed", "0"]


def boots_to_a_shell(machine):
    """The shell answers what only a shell can work out."""
    machine.expect(r"[~/] # ", BUDGET)
    asked = len(machine.console)
    machine.send("echo shell says $((6 * 7))\n")
    machine.expect(r"shell says 42", BUDGET, since=asked)
    return True


def boot(name, board, profile, stop, has_shell=True):
    with LensMachine(board, profile, gdb=board.needs_gdb, stop=hex(stop)) as machine:
        board.set_up(machine)
        machine.start()
        line = machine.expect(r"kexpress: timing (.*)\r?\n", BUDGET).group(1)
        timing = {key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", line)}
        booted = has_shell and boots_to_a_shell(machine)
    nanoseconds = {step: timing[step] * 10**9 // timing["frequency"] for step in STEPS}
    return {"mode": name, "el": board.el, "profile": profile, "booted": booted,
            "steps_ns": nanoseconds, **{key: timing[key] for key in BYTES},
            "runs": timing["runs"]}


def pack_debian(arguments):
    fit = arguments.out / "debian.itb"
    print("run: pack Debian's kernel and initramfs as a FIT", flush=True)
    simple(*debian.installer(), arguments=debian.ALIGNED).make(fit)
    return fit


def choose_board(arguments):
    """The board, and what Debian's kernel is told there. "virt" has one CPU and much memory."""
    board = find_board(arguments.board)
    append = f"rdinit=/bin/sh {board.debian['append']}"
    if arguments.board == "virt":
        board = Board(el=arguments.el, ram=2 * GIB, extra=SAME_SEED)
    return board, append


def as_kernel(arguments):
    """As QEMU starts a kernel: once with each mode."""
    fit = pack_debian(arguments)
    has_shell = find_board(arguments.board).debian["reaches"] == "shell"
    for mode in ("off", "on"):
        print(f"run: move with the MMU {mode}, and boot", flush=True)
        board, append = choose_board(arguments)
        board.kernel, board.initrd = arguments.image, fit
        board.append = f"kexpress.mmu={mode} kexpress.onerror=poweroff {append}"
        at = board.ram_base + KERNEL_OFFSET
        jump = symbols(arguments.image.with_suffix(".elf"), at)["jump"]
        yield boot(f"mmu-{mode}", board, arguments.profile, jump, has_shell)


def from_flash(arguments):
    """From a reset, with nothing but two banks of flash."""
    print("run: boot from flash", flush=True)
    board = Board(el=arguments.el, ram=2 * GIB,
                  extra=[*SAME_SEED, *flash_drives(arguments.flash)])
    jump = symbols(arguments.image.with_suffix(".elf"), board_data("virt")["LOAD"])["jump"]
    yield boot("flash", board, arguments.profile, jump)


def milliseconds(nanoseconds):
    return f"{nanoseconds / 1e6:.2f} ms"


def table(results):
    rows = [("", *(r["mode"] for r in results)),
            ("exception level", *(f"EL{r['el']}" for r in results))]
    rows += [(step, *(milliseconds(r["steps_ns"][step]) for r in results)) for step in STEPS]
    rows += [("all steps", *(milliseconds(sum(r["steps_ns"].values())) for r in results))]
    rows += [(name.replace("_", " "), *(f"{r[name]:,}" for r in results)) for name in BYTES]
    rows += [("boots to a shell", *("yes" if r["booted"] else "no (board.toml)" for r in results))]
    return "\n".join(f"  {row[0]:20}" + "".join(f"{cell:>18}" for cell in row[1:]) for row in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--image", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--el", type=int, default=2, choices=(1, 2))
    parser.add_argument("--flash", type=Path, help="boot from the images in this folder")
    parser.add_argument("--board", default="virt")
    parser.add_argument("--profile", help="of lens; else the board's")
    arguments = parser.parse_args()
    arguments.profile = arguments.profile or find_board(arguments.board).qemu["profile"]

    arguments.out.mkdir(parents=True, exist_ok=True)
    results = list(from_flash(arguments) if arguments.flash else as_kernel(arguments))
    (arguments.out / "run.json").write_text(json.dumps(results, indent=1) + "\n")
    print("\n" + table(results))
    print(f"\nTimes are modelled by lens for its profile {arguments.profile}; bytes are exact.")


if __name__ == "__main__":
    main()
