# SPDX-License-Identifier: MIT
"""Every way to start kexpress, with every kind of payload, on small and large machines."""

from itertools import product

import pytest

import check
from abi import GIB, MIB
from scene import STARTS, HandoffBuilder, fit_payload, image_payload, scene

KERNEL_AT = 0x41000000
RAMDISK_AT = 0x41800000


def make_handoff(path, kernel, ramdisk):
    builder = HandoffBuilder()
    builder.kernel(kernel, KERNEL_AT).ramdisk(ramdisk, RAMDISK_AT)
    return builder.shuffle().build()


PAYLOADS = {"fit": fit_payload, "image": image_payload, "handoff": make_handoff}
SIZES = (256 * MIB, 2 * GIB, 8 * GIB)



def is_thinned(*indices):
    """A third of all, in which every two values of two columns still meet."""
    return sum(indices) % 3 == 0


def cases():
    for (i, start), (j, payload), (k, ram), mmu in product(
            enumerate(STARTS), enumerate(PAYLOADS), enumerate(SIZES), (True, False)):
        marks = () if is_thinned(i, j, k) else pytest.mark.slow
        name = f"{start}-{payload}-{'on' if mmu else 'off'}-{ram // MIB}M"
        yield pytest.param(start, payload, mmu, ram, marks=marks, id=name)


@pytest.mark.path("boot protocol, or hand-off")
@pytest.mark.parametrize("start, payload, mmu, ram", cases())
def test_matrix(start, payload, mmu, ram, kernel, ramdisk, tmp_path):
    made = PAYLOADS[payload](tmp_path / "payload", kernel, ramdisk)
    with scene(start, made, mmu=mmu, ram=ram) as s:
        s.run()
        check.everything(s, mmu)
