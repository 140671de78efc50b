#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
lab_files.py BOARD FOLDER: what boards/BOARD/lava.yaml boots. kexpress, Debian's installer as its
payload, bare and in a wrapper of U-Boot's, and the board's device tree if QEMU makes none.
"""

import shutil
import sys
from pathlib import Path

import debian
import fit
import uboot
from boards import all_boards


def main(name, folder):
    board = next(board for board in all_boards() if board.name == name)
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(board.out / "kexpress.bin", folder)
    fit.simple(*debian.installer(), bootargs="rdinit=/bin/sh").make(folder / "payload.itb")
    uboot.wrap(folder / "payload.itb", folder / "payload.img")
    if board.dtb:
        shutil.copy(board.dtb, folder / "board.dtb")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
