# SPDX-License-Identifier: MIT
#
# The programs that provoke a finding each, and their twins: NAME.bin and NAME.twin.bin.
# make -f tests/lens/twins/twins.mk

CROSS	  ?= aarch64-linux-gnu-
TWINS	  := tests/lens/twins
TWINS_OUT := build/lens/twins
TWINS_ALL := $(patsubst $(TWINS)/%.S,$(TWINS_OUT)/%,$(wildcard $(TWINS)/*.S))
# Where QEMU's virt machine puts an Image whose text_offset is 0.
TWINS_BASE := 0x40200000

.PHONY: twins
twins: $(TWINS_ALL:%=%.bin) $(TWINS_ALL:%=%.twin.bin)

.SECONDARY: $(TWINS_ALL:%=%.elf) $(TWINS_ALL:%=%.twin.elf)

$(TWINS_OUT)/%.twin.elf: $(TWINS)/%.S $(wildcard $(TWINS)/*.inc)
	@mkdir -p $(@D)
	@$(CROSS)gcc -DTWIN -nostdlib -static -Wl,-Ttext=$(TWINS_BASE),--build-id=none -o $@ $<

$(TWINS_OUT)/%.elf: $(TWINS)/%.S $(wildcard $(TWINS)/*.inc)
	@mkdir -p $(@D)
	@$(CROSS)gcc -nostdlib -static -Wl,-Ttext=$(TWINS_BASE),--build-id=none -o $@ $<

$(TWINS_OUT)/%.bin: $(TWINS_OUT)/%.elf
	@$(CROSS)objcopy -O binary $< $@
