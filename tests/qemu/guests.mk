# SPDX-License-Identifier: MIT
#
# The programs that run on the test machine. Included by the top Makefile, which sets CROSS, ARM64,
# PICOLIBC, UAPI and OUT; they are always built by gcc, whatever builds the stage.

GUEST_OUT	:= $(OUT)/tests
GUEST_CC	:= $(CROSS)gcc
# Compiled code runs with the MMU off too.
GUEST_CFLAGS	= -std=gnu11 -O2 -g -march=armv8-a -ffreestanding -fpie -fvisibility=hidden -fno-common \
		  -ffunction-sections -fdata-sections -fno-stack-protector \
		  -fno-asynchronous-unwind-tables -mgeneral-regs-only -mstrict-align -fno-jump-tables \
		  -fno-tree-loop-distribute-patterns -ffile-prefix-map=$(CURDIR)=. \
		  -Wall -Wextra -Werror -Wundef -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
		  -Wvla -Wimplicit-fallthrough -Iinclude -Iboards/$(BOARD) -nostdinc -isystem $(PICOLIBC)/include \
		  -isystem $(shell $(GUEST_CC) -print-file-name=include) -isystem $(UAPI) \
		  $(foreach lib,libfdt-dev libbearssl-dev,-isystem $(ARM64)/$(lib)/usr/include)
GUEST_LDFLAGS	:= -static -pie --no-dynamic-linker -z noexecstack --build-id=none --gc-sections \
		   --orphan-handling=error --fatal-warnings -T tests/qemu/guest/guest.ld
GUEST_LIBS	= $(foreach lib,fdt bearssl,$(ARM64)/lib$(lib)-dev/$(LIBDIR)/lib$(lib).a) \
		  $(PICOLIBC)/lib/libc.a $(shell $(GUEST_CC) -print-libgcc-file-name)

# Random bytes take this place in the probe's file, which makes it as large as a small kernel.
PROBE_PADDING	:= 0x300000

GUESTS		:= $(GUEST_OUT)/probe.bin $(GUEST_OUT)/caller.bin
GUEST_SHARED	:= $(patsubst tests/qemu/%,$(GUEST_OUT)/obj/%.o,\
		   $(basename $(wildcard tests/qemu/guest/*.[cS])))

guest_objects	= $(patsubst tests/qemu/%,$(GUEST_OUT)/obj/%.o,$(basename $(wildcard tests/qemu/$(1)/*.[cS])))

.PHONY: guests
guests: $(GUESTS)

$(GUEST_OUT)/probe.elf: $(call guest_objects,probe)
$(GUEST_OUT)/caller.elf: $(call guest_objects,caller)
$(GUESTS:.bin=.elf): $(GUEST_SHARED) tests/qemu/guest/guest.ld
	@echo '  LD      $@'
	@$(CROSS)ld $(GUEST_LDFLAGS) -o $@ $(filter %.o,$^) --start-group $(GUEST_LIBS) --end-group

$(GUESTS): %.bin: %.elf
	@$(CROSS)objcopy -O binary $< $@

$(GUEST_OUT)/obj/%.o: tests/qemu/%.c | deps-build
	@mkdir -p $(@D)
	@echo '  CC      $@'
	@$(GUEST_CC) $(GUEST_CFLAGS) -MMD -MP -c -o $@ $<

$(GUEST_OUT)/obj/%.o: tests/qemu/%.S | deps-build
	@mkdir -p $(@D)
	@echo '  AS      $@'
	@$(GUEST_CC) $(GUEST_CFLAGS) -DPROBE_PADDING=$(PROBE_PADDING) -Wa,--fatal-warnings -MMD -MP \
		-c -o $@ $<

-include $(wildcard $(GUEST_OUT)/obj/*/*.d)
