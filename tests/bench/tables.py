# SPDX-License-Identifier: MIT
"""Records as tables, for the terminal and in Markdown."""

from dataclasses import dataclass

import linux_kexec
from relocation import KEXPRESS, MODES, STEPS

MISSING = "-"


@dataclass
class Table:
    title: str
    header: tuple
    rows: list

    def _cells(self):
        return [self.header, *self.rows]

    def text(self):
        widths = [max(map(len, column)) for column in zip(*self._cells())]
        lines = ["  ".join([row[0].ljust(widths[0]),
                            *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))])
                 for row in self._cells()]
        return "\n".join([self.title, *("  " + line for line in lines)])

    def markdown(self):
        rule = ("---", *("---:" for _ in self.header[1:]))
        lines = ("| " + " | ".join(row) + " |" for row in (self.header, rule, *self.rows))
        return "\n".join([f"## {self.title}", "", *lines])


def milliseconds(nanoseconds):
    return MISSING if nanoseconds is None else f"{nanoseconds / 1e6:.3f}"


def megabytes(size):
    return f"{size / 1e6:.1f}"


def percent(share):
    return MISSING if share is None else f"{100 * share:.1f} %"


def of_kexpress(records):
    return [record for record in records if record["engine"] == KEXPRESS]


def beside_linux(records):
    """(Linux's, kexpress's of the same work), in the order they came."""
    ours = {(record["profile"], record["mode"], record["bytes"]): record
            for record in of_kexpress(records)}
    return [(record, ours[record["profile"], record["mode"], record["bytes"]])
            for record in records if record["engine"] != KEXPRESS]


def _pairs(records):
    """(mmu-off, mmu-on) of what is otherwise the same, in the order they came."""
    pairs = {}
    for record in records:
        key = record["profile"], record["bytes"], record["list"]
        pairs.setdefault(key, {})[record["mode"]] = record
    return [tuple(pair[mode] for mode in MODES) for pair in pairs.values()]


AGAINST_COPY = ("all steps", "copy", "all/copy")


def _against_copy(record):
    return (milliseconds(record["total_ns"]), milliseconds(record["copy_ns"]),
            over(record["total_ns"], record["copy_ns"]))


def _compared(off, on):
    ratio = off["relocation_ns"] / on["relocation_ns"]
    return (megabytes(on["bytes"]), milliseconds(off["relocation_ns"]),
            milliseconds(on["relocation_ns"]), f"{ratio:.1f}")


def over(part, whole):
    return f"{part / whole:.2f}" if whole else MISSING


def relocation(records):
    rows = [(on["profile"], *_compared(off, on), milliseconds(off["published_ns"]),
             milliseconds(on["published_ns"]), milliseconds(on["limit_ns"]),
             *_against_copy(on)) for off, on in _pairs(records)]
    header = ("profile", "MB", "MMU off", "MMU on", "ratio", "published, off", "published, on",
              "limit", *AGAINST_COPY)
    title = ("Relocation: move and settle, ms; published: measured, of Linux; with the MMU on, all "
             "steps against what one core takes to copy as much")
    return Table(title, header, rows)


def compared(records):
    rows = [(theirs["engine"], theirs["profile"], megabytes(theirs["bytes"]), theirs["mode"],
             *(milliseconds(theirs["steps_ns"][step]) for step in linux_kexec.STEPS),
             milliseconds(ours["relocation_ns"]),
             f"{theirs['relocation_ns'] / ours['relocation_ns']:.2f}", percent(theirs["share"]),
             percent(theirs["published_share"])) for theirs, ours in beside_linux(records)]
    header = ("engine", "profile", "MB", "mode", *linux_kexec.STEPS, "kexpress", "factor", "share",
              "published")
    title = ("Linux beside kexpress, both under lens: ms; factor: relocate to kexpress's move and "
             "settle; share: of relocate in kexec -e; published: in a reboot")
    return Table(title, header, rows)


def sizes(records):
    rows = [(on["profile"], *_compared(off, on), milliseconds(on["limit_ns"]),
             milliseconds(on["total_ns"])) for off, on in _pairs(records)]
    header = ("profile", "MB", "MMU off", "MMU on", "ratio", "limit", "all steps, on")
    return Table("Sizes: move and settle, ms", header, rows)


def cores(records):
    alone = {record["profile"]: record for record in records if record["cpus"] == 1}
    rows = []
    for record in records:
        one = alone[record["profile"]]
        times = [(record[key], one[key] / record[key]) for key in ("relocation_ns", "total_ns")]
        rows.append((record["profile"], megabytes(record["bytes"]), f"{record['cpus']}",
                     f"{record['cores']}", *(cell for time, factor in times
                                             for cell in (milliseconds(time), f"{factor:.2f}")),
                     milliseconds(record["limit_ns"])))
    header = ("profile", "MB", "CPUs", "moved", "move and settle", "factor", "all steps", "factor",
              "limit")
    return Table("Cores: ms; factor: against one", header, rows)


def limit(records):
    rows = [(record["profile"], megabytes(record["bytes"]), megabytes(record["kernel_bytes"]),
             milliseconds(record["relocation_ns"]), *_against_copy(record)) for record in records]
    header = ("profile", "MB", "of kernel", "move and settle", *AGAINST_COPY)
    return Table("Limit: all steps against what one core takes to copy as much, ms", header, rows)


def maintenance(records):
    most = max(record["relocation_ns"] for record in records)
    rows = [(record["cleaning"], record["profile"], megabytes(record["bytes"]),
             megabytes(record["kernel_bytes"]), megabytes(record["bytes_cleaned"]),
             milliseconds(record["relocation_ns"]), over(most, record["relocation_ns"]))
            for record in records]
    header = ("cleaned", "profile", "MB", "of kernel", "MB cleaned", "move and settle", "factor")
    return Table("Maintenance: of what is executed or of all, ms", header, rows)


def elision(records):
    rows = [(record["list"], record["profile"], megabytes(record["bytes"]),
             megabytes(record["bytes_copied"]), *_with_steps(record)[1:]) for record in records]
    return Table("What lies well stays: steps of a FIT, ms",
                 ("list", "profile", "MB", "moved", *STEPS_HEADER[1:]), rows)


def _with_steps(record):
    return (record["mode"], *(milliseconds(record["steps_ns"][step]) for step in STEPS),
            milliseconds(record["total_ns"]))


STEPS_HEADER = ("mode", *(step.replace("_", " ") for step in STEPS), "total")


def lists(records):
    rows = [(record["list"], record["profile"], megabytes(record["bytes"]), f"{record['runs']}",
             *_with_steps(record)) for record in records]
    return Table("Lists: steps, ms", ("list", "profile", "MB", "runs", *STEPS_HEADER), rows)


def steps(records):
    rows = [(record["profile"], megabytes(record["bytes"]), *_with_steps(record))
            for record in records]
    return Table("Steps of each relocation, ms", ("profile", "MB", *STEPS_HEADER), rows)


def tables(results):
    """results: records by bench."""
    ours = of_kexpress(results["relocation"])
    found = [relocation(ours), steps(ours), sizes(results["sizes"]), lists(results["lists"]),
             cores(results["cores"]), limit(results["limit"]), maintenance(results["maintenance"]),
             elision(results["elision"])]
    if len(ours) < len(results["relocation"]):
        found.insert(1, compared(results["relocation"]))
    return found
