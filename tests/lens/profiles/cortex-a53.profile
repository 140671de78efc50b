# SPDX-License-Identifier: MIT
# Cortex-A53 at 1.5 GHz, of the class of i.MX8M and Armada
# Parameters: tests/lens/profile.h

clock_ghz           1.5        # the boards measured
ipc                 1.2        # assumed
in_order            1          # assumed, after Arm's technical reference manual
l1d.kib             32         # assumed, after Arm's technical reference manual
l1d.ways            4          # assumed, after Arm's technical reference manual
l1d.ns              2.0        # assumed: 3 cycles
l2.kib              512        # assumed
l2.ways             16         # assumed, after Arm's technical reference manual
l2.ns               10         # assumed: 15 cycles
llc.kib             0          # none
llc.ways            0          # none
llc.ns              0          # none
dram_ns             130        # measured
dram_gbs            7.0        # assumed: LPDDR4, more than what one core writes
lines               6          # assumed: stream_lines and what PRFM was measured to add
stream_lines        5          # measured: 4 to 5 lines in flight
write_gbs           6.0        # measured: memset 5 to 7
write_stream_after  3          # assumed, after Arm's technical reference manual (CPUACTLR, 3 lines)
device_ns           150        # assumed: near the A72's
noncacheable_lines  2          # assumed
tlb_entries         512        # assumed, after Arm's technical reference manual
walk_ns             20         # assumed
clean_ns            10         # assumed
clean_lines         4          # assumed
icache_line_ns      10         # assumed
icache_all_ns       200        # assumed
tlbi_ns             50         # assumed
dsb_ns              20         # assumed
dmb_ns              5          # assumed
isb_ns              10         # assumed
psci_ns             1000       # assumed
cpu_on_ns           30000      # assumed: 10 to 100 us
