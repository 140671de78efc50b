# SPDX-License-Identifier: MIT
# Ampere Altra: Neoverse N1 at 3 GHz, DDR4-3200, 8 channels
# Parameters: tests/lens/profile.h

clock_ghz           3.0        # assumed, after Altra data sheet
ipc                 3          # assumed
in_order            0          # assumed, after Arm's technical reference manual
l1d.kib             64         # assumed, after Arm's technical reference manual
l1d.ways            4          # assumed, after Arm's technical reference manual
l1d.ns              1.3        # assumed, after Arm's technical reference manual: 4 cycles
l2.kib              1024       # assumed, after Altra data sheet
l2.ways             8          # assumed, after Arm's technical reference manual
l2.ns               3.7        # assumed, after Arm's technical reference manual: 11 cycles
llc.kib             32768      # assumed, after Altra data sheet
llc.ways            16         # assumed
llc.ns              35         # assumed
dram_ns             97         # measured: 90 to 105
dram_gbs            170        # derived: what saturates 7 cores
lines               24         # measured: 17 to 25 in flight
stream_lines        18         # measured: 17 to 25 in flight
write_gbs           44         # measured: memset 41 to 48
write_stream_after  4          # assumed
device_ns           120        # assumed
noncacheable_lines  8          # assumed
tlb_entries         1280       # assumed, after Arm's technical reference manual
walk_ns             10         # assumed
clean_ns            4          # assumed
clean_lines         4          # assumed
icache_line_ns      5          # assumed
icache_all_ns       200        # assumed
tlbi_ns             60         # assumed
dsb_ns              15         # assumed
dmb_ns              3          # assumed
isb_ns              8          # assumed
psci_ns             1000       # assumed
cpu_on_ns           30000      # assumed: 10 to 100 us
