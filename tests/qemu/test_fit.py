# SPDX-License-Identifier: MIT
"""FITs of every make that mkimage knows."""

import pytest

import abi
import check
import fit
import tree
from scene import EL1, EL2, QEMU_KERNEL_AT, Payload, fit_payload, random_bytes, scene

LAYOUTS = {
    "inside": (),
    "external": ("-E",),
    "external-aligned": ("-E", "-B", "0x1000"),
    "external-position": ("-E", "-p", "0x100000"),
}
HASHES = {"none": (), "crc32": ("crc32",), "sha1": ("sha1",), "sha256": ("sha256",),
          "sha384": ("sha384",), "sha512": ("sha512",), "three": ("crc32", "sha1", "sha256")}


@pytest.mark.parametrize("arguments", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("start", (EL1, EL2), ids=str)
def test_layout(start, arguments, tmp_path, kernel, ramdisk):
    payload = fit_payload(tmp_path / "payload", kernel, ramdisk, arguments=arguments)
    with scene(start, payload) as s:
        s.run()
        check.everything(s)


@pytest.mark.board
@pytest.mark.parametrize("hashes", HASHES.values(), ids=HASHES)
def test_hashes(boot, hashes, tmp_path, kernel, ramdisk):
    payload = fit_payload(tmp_path / "payload", kernel, ramdisk, hashes=hashes)
    with boot(payload) as s:
        s.run()
        check.everything(s)
        hashed = (len(kernel) + len(ramdisk)) * len(hashes)
        assert s.report.timing["bytes_hashed"] == hashed


def take_away_instructions(gdb):
    """None of QEMU's CPUs is without SHA-256 instructions: what open registers is made NULL."""
    at = QEMU_KERNEL_AT + abi.Symbols(abi.STAGE_ELF)["hash_use_sha256_blocks"]
    gdb.break_at(at)
    gdb.until_break()
    gdb.write(0, 0)
    gdb.clear(at)


@pytest.mark.parametrize("instructions", (True, False), ids=("instructions", "portable"))
@pytest.mark.parametrize("size", (55, 64, 120, 99999))
def test_sha256(size, instructions, tmp_path, kernel):
    """Both ways agree with mkimage, also where the padding takes a block of its own."""
    payload = fit_payload(tmp_path / "payload", kernel, random_bytes(size))
    with scene(EL1, payload, gdb=True) as s:
        if not instructions:
            take_away_instructions(s.machine.gdb)
        s.machine.gdb.go_on()
        s.reason = s.machine.finish()
        check.everything(s)


@pytest.mark.board
def test_without_ramdisk(boot, tmp_path, kernel):
    """And no initrd of the boot before is left in the tree: that was the FIT."""
    with boot(fit_payload(tmp_path / "payload", kernel, None)) as s:
        s.run()
        check.everything(s)
        assert s.report.probe["initrd_start"] == s.report.probe["initrd_end"] == 0


@pytest.mark.board
def test_bootargs(boot, tmp_path, kernel, ramdisk):
    """The FIT's own come first, so that the command line has the last word."""
    payload = fit_payload(tmp_path / "payload", kernel, ramdisk, bootargs="from=fit x")
    with boot(payload, append="from=firmware") as s:
        assert s.run().bootargs == "from=fit x from=firmware"


@pytest.mark.parametrize("arguments", (LAYOUTS["inside"], LAYOUTS["external"]),
                         ids=("inside", "external"))
def test_device_tree(arguments, tmp_path, kernel, ramdisk):
    """The FIT's tree becomes the kernel's, with the machine's memory where it names none."""
    def mark(fdt):
        fdt.setprop_str(fdt.path_offset("/"), "model", "from the FIT")
    own = tree.edited(mark, tree.node_deleted(tree.MEMORY), bootargs="stale")
    payload = fit_payload(tmp_path / "payload", kernel, ramdisk, fdt=own, arguments=arguments)
    with scene(EL1, payload, append="fresh") as s:
        s.run()
        check.everything(s)
        found = check.tree(s)
        assert found.getprop(0, "model").as_str() == "from the FIT"
        assert found.getprop(found.path_offset(tree.MEMORY), "reg") == \
            tree.pairs([(0x40000000, s.ram.size)])
        assert s.report.bootargs == "fresh"


@pytest.mark.board
def test_several_configurations(boot, tmp_path, kernel, ramdisk):
    parts = {"kernel": fit.Part(kernel, "kernel"), "good": fit.Part(ramdisk, "ramdisk"),
             "other": fit.Part(b"other", "ramdisk")}
    configurations = {"second": {"kernel": "kernel", "ramdisk": "good"},
                      "first": {"kernel": "kernel", "ramdisk": "other"}}
    made = fit.Fit(parts, configurations).make(tmp_path / "payload")
    in_place = abi.pages(len(ramdisk)) * abi.PAGE
    with boot(Payload(kernel, ramdisk, initrd=made, in_place=in_place)) as s:
        s.run()
        check.everything(s)
