# SPDX-License-Identifier: MIT
# Cavium ThunderX2 at 2.2 GHz, DDR4-2666, 8 channels
# Parameters: tests/lens/profile.h

clock_ghz           2.2        # assumed, after ThunderX2 CN99xx product brief
ipc                 2.5        # assumed
in_order            0          # assumed, after the product brief
l1d.kib             32         # assumed, after the product brief
l1d.ways            8          # assumed
l1d.ns              1.8        # assumed: 4 cycles
l2.kib              256        # assumed, after the product brief
l2.ways             8          # assumed
l2.ns               5.5        # assumed: 12 cycles
llc.kib             32768      # assumed, after the product brief: 1 MiB a core
llc.ways            16         # assumed
llc.ns              30         # assumed
dram_ns             115        # assumed
dram_gbs            110        # assumed: of 170
lines               14         # assumed
stream_lines        12         # assumed
write_gbs           12         # assumed
write_stream_after  4          # assumed
device_ns           708.7      # fit to the published 84 MB in 7.4895 s
noncacheable_lines  6          # assumed
tlb_entries         2048       # assumed
walk_ns             15         # assumed
clean_ns            22         # fit to the published 84 MB in 0.03946 s
clean_lines         4          # assumed
icache_line_ns      10         # assumed
icache_all_ns       200        # assumed
tlbi_ns             60         # assumed
dsb_ns              30         # assumed
dmb_ns              5          # assumed
isb_ns              10         # assumed
psci_ns             1000       # assumed
cpu_on_ns           30000      # assumed: 10 to 100 us
