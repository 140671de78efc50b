# SPDX-License-Identifier: MIT
#
# kexpress. `make help` lists what there is.

BOARD	?= virt
CROSS	?= aarch64-linux-gnu-
PYTHON	?= /usr/bin/python3
HOSTCC	?= gcc
# How the hot path knows what the CPU has. The others, folders of tests/bench/hot_path, are there
# to be compared with.
GEOMETRY ?= patched
HOT_PATH := $(filter-out patched,$(GEOMETRY))

ifeq ($(origin CC),default)
CC	:= $(CROSS)gcc
endif
BOARDS	:= $(patsubst boards/%/board.h,%,$(wildcard boards/*/board.h))
ifeq ($(filter $(BOARD),$(BOARDS)),)
$(error BOARD is $(or $(BOARD),empty); boards: $(BOARDS))
endif
ifneq ($(HOT_PATH),$(notdir $(wildcard $(HOT_PATH:%=tests/bench/hot_path/%))))
$(error GEOMETRY is patched, built or tested, not $(GEOMETRY))
endif

# --- The stage --------------------------------------------------------------------------------

ifneq ($(findstring clang,$(CC)),)
CC_TARGET := --target=aarch64-linux-gnu -fdebug-compilation-dir=.
COMPILER  := clang
else
COMPILER  := gcc
endif

# gcc's image is the one that boards get; clang's stands beside it.
OUT	:= build/$(BOARD)$(if $(filter clang,$(COMPILER)),-clang)$(HOT_PATH:%=-%)
OBJ	:= $(OUT)/obj
DEPS	:= build/deps
ARM64	:= $(DEPS)/arm64
LIBDIR	:= usr/lib/aarch64-linux-gnu
PICOLIBC := /usr/lib/picolibc/aarch64-linux-gnu
UAPI	:= /usr/aarch64-linux-gnu/include
# The variant built for speed: memcpy and memset of the other one are loops over bytes.
LIBC	:= $(firstword $(wildcard $(PICOLIBC)/lib/release/libc.a $(PICOLIBC)/lib/libc.a))

WARNINGS := -Wall -Wextra -Werror -Wundef -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	    -Wvla -Wimplicit-fallthrough
INCLUDES := $(HOT_PATH:%=-Itests/bench/hot_path/%) -Iinclude -Isrc -Iboards/$(BOARD)
# The headers of the compiler, the C library and the kernel, and none of the build machine's.
SYSTEM	= -nostdinc -isystem $(PICOLIBC)/include \
	  -isystem $(shell $(CC) $(CC_TARGET) -print-file-name=include) \
	  -isystem $(UAPI) \
	  $(foreach lib,libfdt-dev libbearssl-dev zlib1g-dev,-isystem $(ARM64)/$(lib)/usr/include)
CFLAGS	= $(CC_TARGET) -std=gnu11 -O2 -g -march=armv8-a -ffreestanding -fpie -fvisibility=hidden \
	  -fno-common -ffunction-sections -fdata-sections -fno-stack-protector \
	  -fno-asynchronous-unwind-tables -mgeneral-regs-only -mno-outline-atomics -Wframe-larger-than=2048 -ffile-prefix-map=$(CURDIR)=. \
	  $(WARNINGS) $(INCLUDES) $(SYSTEM)
# What runs with the MMU off as well, where memory is Device: aligned accesses, no calls that the
# compiler invents, no jump tables.
MMU_OFF_CFLAGS := -mstrict-align -fno-builtin -fno-jump-tables \
		  $(if $(filter gcc,$(COMPILER)),-fno-tree-loop-distribute-patterns)
LDFLAGS	:= -static -pie --no-dynamic-linker -z text -z norelro -z noexecstack --build-id=none \
	   --orphan-handling=error --gc-sections --fatal-warnings \
	   --defsym=vfprintf=__i_vfprintf -T linker.ld
LIBS	= $(ARM64)/libfdt-dev/$(LIBDIR)/libfdt.a $(ARM64)/libbearssl-dev/$(LIBDIR)/libbearssl.a \
	  $(ARM64)/zlib1g-dev/$(LIBDIR)/libz.a $(LIBC) $(shell $(CROSS)gcc -print-libgcc-file-name)

ARM_ONLY := src/payload/crc32_arm64.c
PURE	:= $(filter-out $(ARM_ONLY),$(wildcard $(addsuffix /*.c,$(addprefix src/,kimage place xlat payload))))
SOURCES	:= $(wildcard asm/*.S src/engine/*.c) $(PURE) $(ARM_ONLY)
OBJECTS	:= $(patsubst %,$(OBJ)/%.o,$(basename $(SOURCES)))
MMU_OFF_OBJECTS := $(addprefix $(OBJ)/src/,engine/boot_map.o engine/el3.o engine/features.o \
		   engine/gic_secure.o engine/regime.o engine/relocate.o xlat/geometry.o xlat/xlat.o)

IMAGE	:= $(OUT)/kexpress.bin

.PHONY: all
all: $(IMAGE) ## build the image of BOARD (default)

$(IMAGE): $(OUT)/kexpress.elf
	@$(CROSS)objcopy -O binary $< $@
	@echo "  IMAGE   $@: $$(stat -c %s $@) bytes"

$(OUT)/kexpress.elf: $(OBJECTS) linker.ld
	@echo '  LD      $@'
	@$(CROSS)ld $(LDFLAGS) -o $@ $(OBJECTS) --start-group $(LIBS) --end-group

$(MMU_OFF_OBJECTS): CFLAGS += $(MMU_OFF_CFLAGS)
$(OBJ)/$(ARM_ONLY:.c=.o): CFLAGS += -march=armv8-a+crc

$(OBJ)/%.o: %.c $(OUT)/flags
	@mkdir -p $(@D)
	@echo '  CC      $@'
	@$(CC) $(CFLAGS) -MMD -MP -c -o $@ $<

$(OBJ)/%.o: %.S $(OUT)/flags
	@mkdir -p $(@D)
	@echo '  AS      $@'
	@$(CC) $(CFLAGS) -Wa,--fatal-warnings -MMD -MP -c -o $@ $<

# What flash starts with: the reset vector, and the stage behind it.
$(OUT)/reset.bin: asm/flash/reset.S $(IMAGE)
	@grep -q BOARD_LOAD boards/$(BOARD)/board.h || \
		{ echo '$(BOARD): board.h has no flash layout' >&2; exit 1; }
	@echo '  FLASH   $@'
	@$(CC) $(CFLAGS) -DSTAGE_FILE='"$(IMAGE)"' -Wa,--fatal-warnings -c -o $(OBJ)/reset.o $<
	@$(CROSS)ld -static --build-id=none -Ttext=0 -e reset -o $(OUT)/reset.elf $(OBJ)/reset.o
	@$(CROSS)objcopy -O binary -j .text $(OUT)/reset.elf $@

PAYLOAD	?= $(OUT)/flash/debian.itb
PAYLOAD_B ?=

.PHONY: flash
flash: $(OUT)/reset.bin $(PAYLOAD) ## flash images of BOARD: stage, and PAYLOAD (and PAYLOAD_B) in slots
	@boards/flash.py --board $(BOARD) banks --reset $< --a $(PAYLOAD) $(PAYLOAD_B:%=--b %) \
		--out $(OUT)/flash

$(OUT)/flash/debian.itb: tests/qemu/debian.py | deps-run
	@mkdir -p $(@D)
	@echo '  FIT     $@'
	@$(PYTHON) $< $@

# Rebuilds everything when what it is built with changes.
$(OUT)/flags: FORCE | deps-build
	@mkdir -p $(@D)
	@echo '$(CC) $(CFLAGS) $(MMU_OFF_CFLAGS) $(LDFLAGS) $(LIBS)' >$@.new
	@cmp -s $@.new $@ || cp $@.new $@

-include $(OBJECTS:.o=.d)

# --- What it is built, run and tested with ----------------------------------------------------

GROUPS_ALL := build run test compare lab

.PHONY: deps
deps: ## install and unpack all that the other targets need
	@.deps/deps $(GROUPS_ALL)

# Always looked at, quickly; what hangs on one is not rebuilt for it.
.PHONY: $(GROUPS_ALL:%=deps-%)
$(GROUPS_ALL:%=deps-%): deps-%:
	@.deps/deps $*

# --- Running ----------------------------------------------------------------------------------

BOOT	?= kernel

.PHONY: run
run: $(IMAGE) lens $(if $(filter flash,$(BOOT)),flash) | deps-run $(if $(filter-out virt,$(BOARD)),deps-test) ## move and boot Debian's kernel under QEMU, MMU off and on; BOOT=flash: from a reset
	@$(PYTHON) tests/bench/run.py --board $(BOARD) --image $(IMAGE) --out build/run \
		$(if $(filter flash,$(BOOT)),--flash $(OUT)/flash)

.PHONY: bench
bench: $(IMAGE) guests lens build/lens/calibrate.bin | deps-run deps-test $(if $(QUICK),,deps-compare) ## relocation on every profile: tables, JSON, plots; QUICK=1: one
	@$(PYTHON) tests/bench/bench.py --image $(IMAGE) --lens build/lens/lens.so --out build/bench \
		$(if $(QUICK),--quick)

.PHONY: bench-hot-path
bench-hot-path: $(IMAGE) guests lens | deps-run deps-test ## what it costs the hot path to know the CPU
	@$(PYTHON) tests/bench/hot_path.py --out build/bench

.PHONY: bench-downtime
bench-downtime: lens loader | deps-run deps-test deps-compare ## how long a reboot by kexec keeps three old kernels down
	@$(PYTHON) tests/bench/downtime.py --out build/bench

.PHONY: bench-baseline
bench-baseline: $(IMAGE) guests lens | deps-run deps-test ## what later moves must not be slower than, by tests/bench
	@$(PYTHON) tests/bench/baseline.py

# --- Testing ----------------------------------------------------------------------------------

.PHONY: test test-programs test-unit test-lint test-qemu test-linux test-full
test: test-programs test-unit test-lint test-qemu test-lens test-linux ## everything CI runs

# On all CPUs, which the tests' own rules, whose output is to be read, are not made on.
test-programs: | deps-build deps-run deps-test
	@$(MAKE) --no-print-directory -j$$(nproc) $(IMAGE) loader guests twins lens $(LENS_TESTS) \
		$(foreach c,$(HOST_COMPILERS),$(UNIT_TESTS:%.c=build/host-$(c)/%))

test-unit: ## host tests of src/kimage, place, xlat and payload: gcc and clang, ASan and UBSan
test-lint: ## what the image and the tree must not contain
test-qemu: ## the image under QEMU: entry states, payloads, errors, the real kernel

HOST_COMPILERS := gcc clang
HOST_CFLAGS := -std=gnu11 -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all \
	       $(WARNINGS) -Iinclude -Isrc
HOST_LIBS := -lcmocka -lfdt -lbearssl -lz
HOST_PURE := $(PURE) $(addprefix src/loader/,control.c iomem.c layout.c)
UNIT_TESTS := $(wildcard tests/unit/test_*.c)

# host_rules COMPILER: objects and test programs under build/host-COMPILER, and their run.
define host_rules
build/host-$(1)/%.o: %.c $(OUT)/flags | deps-test
	@mkdir -p $$(@D)
	@echo '  HOSTCC  $$@'
	@$(1) $(HOST_CFLAGS) -MMD -MP -c -o $$@ $$<

build/host-$(1)/%: build/host-$(1)/%.o $(HOST_PURE:%.c=build/host-$(1)/%.o)
	@$(1) -fsanitize=address,undefined -o $$@ $$^ $(HOST_LIBS)

.PHONY: test-unit-$(1)
test-unit: test-unit-$(1)
test-unit-$(1): $(UNIT_TESTS:%.c=build/host-$(1)/%)
	@for t in $$^; do echo "  TEST    $$$$t"; timeout 120 $$$$t || exit 1; done

.PRECIOUS: build/host-$(1)/%.o
-include $(UNIT_TESTS:%.c=build/host-$(1)/%.d) $(HOST_PURE:%.c=build/host-$(1)/%.d)
endef
$(foreach c,$(HOST_COMPILERS),$(eval $(call host_rules,$(c))))

test-lint: $(IMAGE) build/$(BOARD)-clang/kexpress.bin | deps-test
	@tests/lint/lint $(OUT)/kexpress.elf
	@tests/lint/lint build/$(BOARD)-clang/kexpress.elf
	@tests/lint/reproducible
	@$(PYTHON) -m pytest -q tests/lint

ifneq ($(COMPILER),clang)
# The second compiler's image. What that one depends on is its own make's business.
build/$(BOARD)-clang/kexpress.bin: FORCE | deps-test
	@$(MAKE) --no-print-directory CC=clang
endif

include src/loader/loader.mk
include tests/qemu/guests.mk
include tests/lens/lens.mk
include tests/lens/twins/twins.mk
$(LENS_OBJECTS): | deps-build
$(LENS_TESTS): | deps-test
test-lens: twins guests $(IMAGE) build/lens/calibrate.bin | deps-run

.PHONY: boards
boards: ## images of all boards, and of the tests' programs for them
	@set -e; for b in $(filter-out any,$(BOARDS)); do \
		$(MAKE) --no-print-directory -j$$(nproc) BOARD=$$b all guests; done

test-qemu: boards lens | deps-run deps-test
	@$(PYTHON) -m pytest -q -n auto tests/qemu

test-linux: loader | deps-run deps-test deps-compare ## real Linux that reboots by kexpress
	@$(PYTHON) -m pytest -q -n auto tests/linux

test-full: test-unit test-lint test-lens boards loader | deps-compare ## all tests, the long ones too
	@$(PYTHON) -m pytest -q -n auto tests/qemu -m ''
	@$(PYTHON) -m pytest -q -p no:cacheprovider tests/lens/linux
	@$(PYTHON) -m pytest -q -n auto tests/linux -m ''

.PHONY: matrix
matrix: boards lens | deps-run deps-test ## README's table of what boots, by the tests of each boot path
	@$(PYTHON) -m pytest -q -n auto tests/qemu -m path
	@$(PYTHON) tests/qemu/put_table.py README.md 'what boots' build/tests/cells.md

.PHONY: matrix-linux
matrix-linux: loader | deps-run deps-test deps-compare ## docs/linux.md's table of what reboots
	@$(PYTHON) -m pytest -q -n auto tests/linux/test_reboot.py::test_reboot -m ''
	@$(PYTHON) tests/qemu/put_table.py docs/linux.md 'what reboots' build/tests/linux.md

LAB	?= boards/virt/labgrid.yaml

.PHONY: test-lab lab
test-lab: boards | deps-run deps-test deps-lab ## on a board, or the QEMU, that LAB is the labgrid environment of
	@$(PYTHON) -m pytest -q tests/qemu --lg-env $(LAB)

lab: $(IMAGE) | deps-run ## what a job for LAVA boots on BOARD: build/BOARD/lab
	@$(PYTHON) tests/qemu/lab_files.py $(BOARD) $(OUT)/lab

.PHONY: lint
lint: test-lint ## the same as test-lint

# --- For people and their editors -------------------------------------------------------------

.PHONY: format clean help compile_commands.json
format: ## lay out the sources by .clang-format
	clang-format -i $$(git ls-files '*.c' '*.h')

compile_commands.json: $(IMAGE) ## for clangd and other tools
	@$(PYTHON) tests/lint/compile_commands.py '$(CC) $(CFLAGS)' $(SOURCES) >$@

clean: ## remove what was built, but not what was downloaded
	rm -rf $(filter-out $(DEPS),$(wildcard build/*)) compile_commands.json

help: ## this list
	@echo 'Targets (BOARD=$(BOARD); boards: $(BOARDS)):'
	@sed -n 's/^\([a-z_.-]*\):[^#]*## \(.*\)/  \1\t\2/p' Makefile src/*/*.mk tests/*/*.mk | expand -t 26

.PHONY: FORCE
