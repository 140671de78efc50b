#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Flash images.

  flash.py --board virt banks --reset reset.bin --a payload.itb [--b other.itb] --out DIRECTORY
  flash.py --board virt slot --sequence 2 payload.itb slot.img

`banks` makes DIRECTORY/flash0.img, which has the reset vector, flash1.img, and so on; the payloads
are in their slots, the first one newer. `slot` makes what is written to one slot to update it:
its first erase block, the header, is written last (include/kexpress/slot.h, docs/flash.md).
"""

import argparse
import hashlib
import re
import struct
import sys
import zlib
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
ERASED = b"\xff"
FDT_MAGIC = 0xd00dfeed
HEADER = struct.Struct("<8sIIQII32sI")
MAGIC = b"kxpxslot"
VERSION = 1


def board_data(board):
    """The numbers of boards/BOARD/board.h, without BOARD_."""
    text = (TOP / "boards" / board / "board.h").read_text()
    return {name: int(value, 0) for name, value in
            re.findall(r"^#define BOARD_(\w+)\s+(0x[0-9a-f]+|\d+)\b", text, re.M)}


def tree_size(payload):
    """A FIT's tree by itself; all of anything else."""
    magic, size = struct.unpack_from(">2I", payload)
    return size if magic == FDT_MAGIC else len(payload)


def slot_image(payload, sequence, data):
    """What a slot holds, without what is erased behind it."""
    offset, tree = data["ERASE_BLOCK"], tree_size(payload)
    if offset + len(payload) > data["SLOT_SIZE"]:
        sys.exit(f"flash: {len(payload)} bytes of payload do not fit into a slot of "
                 f"{data['SLOT_SIZE']}, of which the header has {offset}")
    header = HEADER.pack(MAGIC, VERSION, sequence, len(payload), offset, tree,
                         hashlib.sha256(payload[:tree]).digest(), 0)
    header += struct.pack("<I", zlib.crc32(header))
    return header + ERASED * (offset - len(header)) + payload


def bank_images(data, contents):
    """Flash banks by number; contents are (address, bytes)."""
    size = data["FLASH_BANK"]
    banks = {number: bytearray(ERASED * size) for number in range(2)}
    for address, content in contents:
        number, offset = divmod(address - data["FLASH"], size)
        if offset + len(content) > size:
            sys.exit(f"flash: {len(content)} bytes at {address:#x} do not fit into a bank")
        banks[number][offset:offset + len(content)] = content
    return banks


def make_banks(arguments):
    data = board_data(arguments.board)
    contents = [(data["FLASH"], arguments.reset.read_bytes())]
    for letter, path, sequence in (("A", arguments.a, 2), ("B", arguments.b, 1)):
        if path:
            contents.append((data[f"SLOT_{letter}"],
                             slot_image(path.read_bytes(), sequence, data)))
    arguments.out.mkdir(parents=True, exist_ok=True)
    for number, bank in bank_images(data, contents).items():
        path = arguments.out / f"flash{number}.img"
        path.write_bytes(bank)
        print(f"  FLASH   {path}")


def make_slot(arguments):
    data = board_data(arguments.board)
    arguments.image.write_bytes(
        slot_image(arguments.payload.read_bytes(), arguments.sequence, data))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--board", required=True)
    commands = parser.add_subparsers(required=True)
    banks = commands.add_parser("banks")
    banks.add_argument("--reset", type=Path, required=True)
    banks.add_argument("--a", type=Path)
    banks.add_argument("--b", type=Path)
    banks.add_argument("--out", type=Path, required=True)
    banks.set_defaults(run=make_banks)
    slot = commands.add_parser("slot")
    slot.add_argument("--sequence", type=int, required=True)
    slot.add_argument("payload", type=Path)
    slot.add_argument("image", type=Path)
    slot.set_defaults(run=make_slot)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
