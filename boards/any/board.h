/* SPDX-License-Identifier: MIT */
/* Any board whose device tree tells all: what a running Linux starts. For C and assembly. */
#ifndef BOARD_H
#define BOARD_H

#endif /* BOARD_H */
