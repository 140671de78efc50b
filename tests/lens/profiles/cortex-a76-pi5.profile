# SPDX-License-Identifier: MIT
# Raspberry Pi 5: Cortex-A76 at 2.4 GHz, LPDDR4X-4267
# Parameters: tests/lens/profile.h

clock_ghz           2.4        # assumed, after Raspberry Pi 5 data sheet
ipc                 3          # assumed
in_order            0          # assumed, after Arm's technical reference manual
l1d.kib             64         # assumed, after Arm's technical reference manual
l1d.ways            4          # assumed, after Arm's technical reference manual
l1d.ns              1.7        # assumed, after Arm's technical reference manual: 4 cycles
l2.kib              512        # assumed, after Raspberry Pi 5 data sheet
l2.ways             8          # assumed, after Arm's technical reference manual
l2.ns               4          # assumed: 9 cycles
llc.kib             2048       # assumed, after Raspberry Pi 5 data sheet
llc.ways            16         # assumed
llc.ns              15         # assumed
dram_ns             107        # measured
dram_gbs            15         # derived: 2 cores saturate; LPDDR4X-4267 on 32 bits peaks at 17
lines               10         # fit to the measured copy
stream_lines        10         # fit to the measured copy; PRFM adds 0 to 2%
write_gbs           10         # measured: memset
write_stream_after  4          # assumed
device_ns           120        # assumed
noncacheable_lines  6          # assumed
tlb_entries         1280       # assumed, after Arm's technical reference manual
walk_ns             10         # assumed
clean_ns            5          # assumed
clean_lines         4          # assumed
icache_line_ns      6          # assumed
icache_all_ns       150        # assumed
tlbi_ns             40         # assumed
dsb_ns              15         # assumed
dmb_ns              3          # assumed
isb_ns              8          # assumed
psci_ns             1000       # assumed
cpu_on_ns           30000      # assumed: 10 to 100 us
