# SPDX-License-Identifier: MIT
"""
`make bench-downtime`: how long a machine is down from the old kernel's last line to the next
kernel's first instruction, in lens's time. Debian's kernels start the installer's kernel and
initramfs, by kexec-tools with and without the check of purgatory, and by kexpress. Writes
downtime.md, .json (docs/bench.md) and, where matplotlib is installed, a plot.
"""

import argparse
import importlib.util
import json
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "qemu"), str(TESTS / "lens"), str(TESTS / "lens/linux")]

import debian  # noqa: E402
import kexec  # noqa: E402
import relocation  # noqa: E402
from abi import TOP  # noqa: E402
from loaders import KEXEC, KEXEC_UNCHECKED, KEXPRESS, Loader  # noqa: E402
from machine_lens import symbols  # noqa: E402
from tables import MISSING, Table, megabytes, milliseconds  # noqa: E402

PROFILE = "cortex-a72-stingray"
# Steps of all, by the event that each begins with; what the old kernel jumps to has its own.
OLD_STEPS = {"teardown": "machine_shutdown", "prepare": "machine_kexec", "relocate": "called"}
END = "next_kernel"
STAGE = TOP / "build/any/kexpress.bin"  # what the loader has inside
NOTE = f"""Modelled time from lens, for its profile {PROFILE}: no board was measured. From the old
kernel's line "Starting new kernel" to the next kernel's first instruction. teardown:
machine_shutdown(), which takes the other CPUs down; prepare: machine_kexec(), until it jumps, with
its last word on the console; relocate: the old kernel's code that copies; after: what it jumps to,
purgatory or kexpress.
"""


def stage_marks(places):
    """The stage is the last thing that the old kernel copies."""
    at = places.segments[0][0] + places.bytes - relocation.whole_pages(STAGE.stat().st_size)
    at = symbols(STAGE.with_suffix(".elf"), at)
    return {step: at[symbol] for step, symbol in relocation.STEPS.items()}


@dataclass(frozen=True)
class Engine:
    loader: Loader
    steps: dict  # after the old kernel's
    marks: Callable = kexec.no_marks  # where they begin, by what is known of the places

    def all_steps(self):
        return OLD_STEPS | self.steps


PURGATORY = {"purgatory": "entry"}
# Its first instructions are those that get it what the old kernel does not.
STAGE_STEPS = {step: "entry" if step == "enter" else step for step in relocation.STEPS}
ENGINES = {"kexec": Engine(KEXEC, PURGATORY), "kexec-unchecked": Engine(KEXEC_UNCHECKED, PURGATORY),
           "kexpress": Engine(KEXPRESS, STAGE_STEPS, stage_marks)}


@dataclass(frozen=True)
class Case:
    kernel: str  # the old one
    engine: str
    cpus: int

    def __str__(self):
        return f"{self.kernel} {self.engine} cpus={self.cpus}"


def plan():
    """With several CPUs the old kernel has some to take down, but purgatory uses one."""
    engines = {1: list(ENGINES), 4: [name for name in ENGINES if name != "kexec"]}
    return [Case(kernel, engine, cpus) for cpus, names in engines.items()
            for kernel in kexec.KERNELS for engine in names]


def payload():
    """Kernel and initramfs of Debian's installer; its init is replaced by one that says which
    kernel it runs on."""
    image, initrd = (path.read_bytes() for path in debian.installer())
    return image, initrd + bytes(-len(initrd) % 4) + kexec.next_initramfs()


def steps_ns(engine, events):
    """events in ps."""
    events = {**events, "called": kexec.called_ps(events)}
    steps = engine.all_steps()
    at = [events[begin] for begin in (*steps.values(), END)]
    return {step: round((after - before) / 1000) for step, before, after in zip(steps, at, at[1:])}


def measure(case):
    """docs/bench.md"""
    image, initrd = payload()
    engine = ENGINES[case.engine]
    with tempfile.TemporaryDirectory() as directory:
        archive = Path(directory) / "initramfs"
        archive.write_bytes(kexec.initramfs(image, initrd, engine.loader))
        places, events, _, _ = kexec.measure(
            kexec.Reboot(case.kernel, archive, engine.loader, case.cpus), PROFILE,
            start="machine_shutdown", stop=END, more_marks=engine.marks)
    steps = steps_ns(engine, events)
    return {"bench": "downtime", "kernel": case.kernel, "engine": case.engine,
            "profile": PROFILE, "cpus": case.cpus, "bytes": len(image) + len(initrd),
            "bytes_relocated": places.bytes, "total_ns": sum(steps.values()), "steps_ns": steps}


def add_factors(records):
    """How many times as fast as each engine on the same machine."""
    for record in records:
        totals = {other["engine"]: other["total_ns"] for other in records
                  if (other["kernel"], other["cpus"]) == (record["kernel"], record["cpus"])}
        record["factors"] = {engine: round(total / record["total_ns"], 2)
                             for engine, total in totals.items()}


def run(cases):
    records = []
    for number, case in enumerate(cases, 1):
        print(f"downtime: {number} of {len(cases)}: {case}", flush=True)
        records.append(measure(case))
    add_factors(records)
    return records


def after_ns(record):
    return sum(time for step, time in record["steps_ns"].items() if step not in OLD_STEPS)


def factor(record, engine):
    return f"{record['factors'][engine]:.2f}" if engine in record["factors"] else MISSING


def table(records):
    compared = [name for name, engine in ENGINES.items() if engine.steps is PURGATORY]
    rows = [(record["kernel"], f"{record['cpus']}", record["engine"],
             megabytes(record["bytes_relocated"]),
             *(milliseconds(record["steps_ns"][step]) for step in OLD_STEPS),
             milliseconds(after_ns(record)), milliseconds(record["total_ns"]),
             *(factor(record, name) for name in compared))
            for record in records]
    title = (f"Downtime of a reboot into {megabytes(records[0]['bytes'])} MB, ms; then: how many "
             "times as fast as")
    header = ("old kernel", "CPUs", "engine", "MB relocated", *OLD_STEPS, "after", "total",
              *compared)
    return Table(title, header, rows)


def steps_table(records):
    ours = [record for record in records if record["engine"] == "kexpress"]
    rows = [(record["kernel"], f"{record['cpus']}",
             *(milliseconds(record["steps_ns"][step]) for step in STAGE_STEPS),
             milliseconds(after_ns(record))) for record in ours]
    header = ("old kernel", "CPUs", *(step.replace("_", " ") for step in STAGE_STEPS), "all")
    return Table("Steps of kexpress in it, ms; every byte is checked in plan", header, rows)


def tables(records):
    return [table(records), steps_table(records)]


def write(records, out):
    (out / "downtime.json").write_text(json.dumps(records, indent=1) + "\n")
    text = "\n\n".join(one.markdown() for one in tables(records))
    (out / "downtime.md").write_text(f"# Downtime\n\n{NOTE}\n{text}\n")
    if importlib.util.find_spec("matplotlib"):
        import plots
        plots.downtime(records, out)
    else:
        print("downtime: no plot, because matplotlib is not installed")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()

    arguments.out.mkdir(parents=True, exist_ok=True)
    records = run(plan())
    write(records, arguments.out)
    text = "\n\n".join(one.text() for one in tables(records))
    print(f"\n{text}\n\n{NOTE}\ndowntime: written to {arguments.out}")


if __name__ == "__main__":
    main()
