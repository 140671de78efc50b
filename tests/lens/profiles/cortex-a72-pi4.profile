# SPDX-License-Identifier: MIT
# Raspberry Pi 4: Cortex-A72 at 1.5 GHz, LPDDR4-3200
# Parameters: tests/lens/profile.h

clock_ghz           1.5        # assumed, after Raspberry Pi 4 data sheet
ipc                 2          # assumed
in_order            0          # assumed, after Arm's technical reference manual
l1d.kib             32         # assumed, after Arm's technical reference manual
l1d.ways            2          # assumed, after Arm's technical reference manual
l1d.ns              2.7        # assumed: 4 cycles
l2.kib              1024       # assumed
l2.ways             16         # assumed, after Arm's technical reference manual
l2.ns               12         # assumed: 18 cycles
llc.kib             0          # none
llc.ways            0          # none
llc.ns              0          # none
dram_ns             127        # measured
dram_gbs            5.25       # measured: copy and STREAM, reads and writes
lines               8          # assumed
stream_lines        8          # assumed: enough that memory is the limit
write_gbs           3.1        # measured: memset
write_stream_after  3          # assumed: as the A53
device_ns           140        # measured: 150 to 280 ns for a load and a store; the upper end
noncacheable_lines  4          # assumed
tlb_entries         1024       # assumed, after Arm's technical reference manual
walk_ns             15         # assumed
clean_ns            6          # assumed
clean_lines         4          # assumed
icache_line_ns      8          # assumed
icache_all_ns       150        # assumed
tlbi_ns             40         # assumed
dsb_ns              20         # assumed
dmb_ns              3          # assumed
isb_ns              10         # assumed
psci_ns             1000       # assumed
cpu_on_ns           30000      # assumed: 10 to 100 us
