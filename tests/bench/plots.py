# SPDX-License-Identifier: MIT
"""Records as plots, PNG and SVG; the same files from the same records."""

from pathlib import Path

import matplotlib

from relocation import MODES, STEPS
from tables import beside_linux, of_kexpress

matplotlib.use("agg")
matplotlib.rcParams["svg.hashsalt"] = "kexpress"

from matplotlib import pyplot  # noqa: E402

BAR = 0.38


def _save(figure, out, name):
    figure.tight_layout()
    figure.savefig(out / f"{name}.png", dpi=120)
    figure.savefig(out / f"{name}.svg", metadata={"Date": None})
    pyplot.close(figure)
    return [out / f"{name}.png", out / f"{name}.svg"]


def _seconds(records, key):
    return [record[key] / 1e9 for record in records]


def _linux_marks(axes, records, positions):
    """positions: by profile and mode."""
    places = [(positions[record["profile"], record["mode"]], record["relocation_ns"] / 1e9)
              for record, _ in beside_linux(records)]
    if places:
        axes.plot(*zip(*places), "r_", markersize=12, label="Linux, under lens")


def _bars(axes, records, size):
    """One size: a pair of bars a profile, Linux's time, what is published, and the limit."""
    of_size = [record for record in records if record["bytes"] == size]
    records, positions = of_kexpress(of_size), {}
    for shift, mode in zip((-BAR / 2, BAR / 2), MODES):
        of_mode = [record for record in records if record["mode"] == mode]
        positions |= {(record["profile"], mode): i + shift for i, record in enumerate(of_mode)}
        axes.bar([i + shift for i in range(len(of_mode))], _seconds(of_mode, "relocation_ns"), BAR,
                 label=mode)
        known = [(i + shift, record["published_ns"] / 1e9) for i, record in enumerate(of_mode)
                 if record["published_ns"]]
        if known:
            axes.plot(*zip(*known), "kx", label="published, of Linux" if shift < 0 else None)
    _linux_marks(axes, of_size, positions)
    axes.hlines(_seconds(of_mode, "limit_ns"), [i - BAR for i in range(len(of_mode))],
                [i + BAR for i in range(len(of_mode))], "k", "dotted", label="limit")
    axes.set_xticks(range(len(of_mode)), [record["profile"] for record in of_mode], rotation=30,
                    ha="right")
    axes.set(yscale="log", ylabel="s", title=f"{size / 1e6:.0f} MB, move and settle")
    axes.margins(y=0.2)
    axes.legend(loc="upper left", ncols=4, fontsize="small")


def relocation(records, out):
    sizes = sorted({record["bytes"] for record in records})
    figure, axes = pyplot.subplots(1, len(sizes), figsize=(6 * len(sizes), 5), sharey=True,
                                   squeeze=False)
    for one, size in zip(axes[0], sizes):
        _bars(one, records, size)
    return _save(figure, out, "relocation")


def sizes(records, out):
    figure, axes = pyplot.subplots(figsize=(7, 5))
    for mode in MODES:
        of_mode = [record for record in records if record["mode"] == mode]
        size = [record["bytes"] / 1e6 for record in of_mode]
        axes.plot(size, _seconds(of_mode, "relocation_ns"), "o-", label=mode)
    axes.plot(size, _seconds(of_mode, "limit_ns"), "k:", label="limit")
    axes.set(xscale="log", yscale="log", xlabel="MB", ylabel="s",
             title=f"{records[0]['profile']}, move and settle")
    axes.legend()
    return _save(figure, out, "sizes")


def cores(records, out):
    figure, axes = pyplot.subplots(figsize=(7, 5))
    for profile in dict.fromkeys(record["profile"] for record in records):
        own = [record for record in records if record["profile"] == profile]
        cpus = [record["cpus"] for record in own]
        line, = axes.plot(cpus, _seconds(own, "relocation_ns"), "o-",
                          label=f"{profile}, {own[0]['bytes'] / 1e6:.0f} MB")
        axes.plot(cpus, _seconds(own, "limit_ns"), ":", color=line.get_color())
    axes.set_xscale("log", base=2)
    axes.set(yscale="log", xlabel="CPUs", ylabel="s", title="Move and settle; dotted: limit")
    axes.legend()
    return _save(figure, out, "cores")


def _stacked(records, labels, title, out, name):
    """The steps of each record, one on the other."""
    figure, axes = pyplot.subplots(figsize=(10, 2 + 0.4 * len(records)))
    left = [0] * len(records)
    for step in STEPS:
        width = [record["steps_ns"][step] / 1e6 for record in records]
        axes.barh(labels, width, left=left, label=step.replace("_", " "))
        left = [a + b for a, b in zip(left, width)]
    axes.invert_yaxis()
    axes.set(xlabel="ms", title=title)
    axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
    return _save(figure, out, name)


def share(records, out):
    """Relocation in the whole of kexec -e, and what is published of a whole reboot."""
    shown = [record for record, _ in beside_linux(records)]
    labels = [f"{record['engine']}, {record['profile']}, {record['bytes'] / 1e6:.0f} MB"
              for record in shown]
    figure, axes = pyplot.subplots(figsize=(8, 1 + 0.4 * len(shown)))
    axes.barh(labels, [100 * record["share"] for record in shown], label="of kexec -e, under lens")
    known = [(100 * record["published_share"], label) for record, label in zip(shown, labels)
             if record["published_share"]]
    if known:
        axes.plot(*zip(*known), "kx", label="of a reboot, published")
    axes.invert_yaxis()
    axes.set(xlabel="%", title="Share of relocation")
    axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
    return _save(figure, out, "share")


def steps(records, out):
    cached = [record for record in of_kexpress(records) if record["mode"] == "mmu-on"]
    labels = [f"{record['profile']}, {record['bytes'] / 1e6:.0f} MB" for record in cached]
    return _stacked(cached, labels, "Steps, MMU on", out, "steps")


def lists(records, out):
    cached = [record for record in records if record["mode"] == "mmu-on"]
    title = f"{cached[0]['profile']}, {cached[0]['bytes'] / 1e6:.0f} MB, MMU on"
    return _stacked(cached, [record["list"] for record in cached], title, out, "lists")


def downtime(records, out):
    """Left how long, right of what it consists."""
    figure, (total, share) = pyplot.subplots(1, 2, figsize=(14, 2 + 0.4 * len(records)),
                                             sharey=True)
    labels = [f"{record['kernel']}, {record['cpus']} CPU, {record['engine']}"
              for record in records]
    bars = total.barh(labels, _seconds(records, "total_ns"), color="gray")
    total.bar_label(bars, [f"{record['total_ns'] / 1e6:.1f} ms" for record in records],
                    fontsize="small", padding=3)
    total.set(xscale="log", xlabel="s", title=f"{records[0]['profile']}, downtime")
    total.margins(x=0.3)
    left = [0] * len(records)
    steps = dict.fromkeys(step for record in records for step in record["steps_ns"])
    for color, step in zip(pyplot.cm.tab20.colors, steps):
        width = [100 * record["steps_ns"].get(step, 0) / record["total_ns"] for record in records]
        share.barh(labels, width, left=left, label=step, color=color)
        left = [a + b for a, b in zip(left, width)]
    share.invert_yaxis()
    share.set(xlabel="%", title="of it")
    share.legend(fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
    return _save(figure, out, "downtime")


def plots(results, out: Path):
    """Files written."""
    relocations = results["relocation"]
    return [*relocation(relocations, out), *steps(relocations, out),
            *(share(relocations, out) if beside_linux(relocations) else ()),
            *sizes(results["sizes"], out), *lists(results["lists"], out),
            *cores(results["cores"], out)]
