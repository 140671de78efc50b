# SPDX-License-Identifier: MIT
# Neoverse V2 at 3.3 GHz, LPDDR5X
# Parameters: tests/lens/profile.h

clock_ghz           3.3        # assumed
ipc                 4          # assumed
in_order            0          # assumed, after Arm's technical reference manual
l1d.kib             64         # assumed, after Arm's technical reference manual
l1d.ways            4          # assumed, after Arm's technical reference manual
l1d.ns              1.2        # assumed, after Arm's technical reference manual: 4 cycles
l2.kib              1024       # assumed
l2.ways             8          # assumed, after Arm's technical reference manual
l2.ns               3.3        # assumed, after Arm's technical reference manual: 11 cycles
llc.kib             114688     # assumed
llc.ways            16         # assumed
llc.ns              38         # assumed
dram_ns             114        # measured
dram_gbs            430        # derived: what saturates 9 cores
lines               48         # assumed
stream_lines        43         # fit to the measured copy
write_gbs           50         # assumed
write_stream_after  4          # assumed
device_ns           130        # assumed
noncacheable_lines  12         # assumed
tlb_entries         2048       # assumed, after Arm's technical reference manual
walk_ns             10         # assumed
clean_ns            3          # assumed
clean_lines         4          # assumed
icache_line_ns      4          # assumed
icache_all_ns       200        # assumed
tlbi_ns             60         # assumed
dsb_ns              15         # assumed
dmb_ns              3          # assumed
isb_ns              8          # assumed
psci_ns             1000       # assumed
cpu_on_ns           30000      # assumed: 10 to 100 us
