# SPDX-License-Identifier: MIT
# Broadcom Stingray: Cortex-A72 at 3 GHz, DDR4
# Parameters: tests/lens/profile.h

clock_ghz           3.0        # assumed, after Stingray PS225 product brief
ipc                 2          # assumed
in_order            0          # assumed, after Arm's technical reference manual
l1d.kib             32         # assumed, after Arm's technical reference manual
l1d.ways            2          # assumed, after Arm's technical reference manual
l1d.ns              1.3        # assumed: 4 cycles
l2.kib              1024       # assumed
l2.ways             16         # assumed, after Arm's technical reference manual
l2.ns               6          # assumed: 18 cycles
llc.kib             16384      # assumed, after Stingray PS225 product brief
llc.ways            16         # assumed
llc.ns              30         # assumed
dram_ns             110        # assumed
dram_gbs            15         # assumed
lines               8          # assumed
stream_lines        6          # assumed
write_gbs           6          # assumed
write_stream_after  3          # assumed: as the A53
device_ns           135.5      # fit to the published 25 MB in 0.4405 s
noncacheable_lines  4          # assumed
tlb_entries         1024       # assumed, after Arm's technical reference manual
walk_ns             15         # assumed
clean_ns            37.4       # fit to the published 25 MB in 0.02216 s
clean_lines         4          # assumed
icache_line_ns      8          # assumed
icache_all_ns       150        # assumed
tlbi_ns             40         # assumed
dsb_ns              20         # assumed
dmb_ns              3          # assumed
isb_ns              10         # assumed
psci_ns             1000       # assumed
cpu_on_ns           30000      # assumed: 10 to 100 us
