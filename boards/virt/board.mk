# SPDX-License-Identifier: MIT
# QEMU's "virt" machine. PL011 that tells of trouble before the device tree is read.
BOARD_EARLY_CONSOLE := 0x09000000
