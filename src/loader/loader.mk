# SPDX-License-Identifier: MIT
# The Linux command: a static arm64 program, with the stage inside.

LOADER	:= build/loader
STAGE_ANY := build/any/kexpress.bin
LOADER_SOURCES := $(wildcard src/loader/*.c) $(PURE) $(ARM_ONLY)
LOADER_OBJECTS := $(LOADER_SOURCES:%.c=$(LOADER)/%.o) $(LOADER)/src/loader/trampoline.o
LOADER_CFLAGS = -std=gnu11 -D_GNU_SOURCE -O2 -g -march=armv8-a $(WARNINGS) \
		-ffile-prefix-map=$(CURDIR)=. -Iinclude -Isrc -isystem $(UAPI) \
		$(foreach lib,libfdt-dev libbearssl-dev zlib1g-dev,-isystem $(ARM64)/$(lib)/usr/include)
LOADER_LIBS := $(ARM64)/libfdt-dev/$(LIBDIR)/libfdt.a \
	       $(ARM64)/libbearssl-dev/$(LIBDIR)/libbearssl.a $(ARM64)/zlib1g-dev/$(LIBDIR)/libz.a

$(LOADER)/$(ARM_ONLY:.c=.o): LOADER_CFLAGS += -march=armv8-a+crc

.PHONY: loader
loader: $(LOADER)/kexpress $(LOADER)/saboteur ## build the Linux command: build/loader/kexpress

$(LOADER)/kexpress: $(LOADER_OBJECTS)
	@echo '  LD      $@'
	@$(CROSS)gcc -static -Wl,--gc-sections -Wl,--build-id=none -o $@ $^ $(LOADER_LIBS)
	@$(CROSS)strip $@

# What that one depends on is its own make's business.
ifneq ($(BOARD),any)
$(STAGE_ANY): FORCE
	@$(MAKE) --no-print-directory CC=$(CROSS)gcc GEOMETRY=patched BOARD=any
endif

# For tests/linux.
$(LOADER)/saboteur: tests/linux/saboteur.c
	@mkdir -p $(@D)
	@echo '  CCLD    $@'
	@$(CROSS)gcc $(LOADER_CFLAGS) -static -o $@ $<

$(LOADER)/%.o: %.c $(OUT)/flags
	@mkdir -p $(@D)
	@echo '  CC      $@'
	@$(CROSS)gcc $(LOADER_CFLAGS) -ffunction-sections -MMD -MP -c -o $@ $<

$(LOADER)/%.o: %.S $(STAGE_ANY)
	@mkdir -p $(@D)
	@echo '  AS      $@'
	@$(CROSS)gcc -DSTAGE_FILE='"$(STAGE_ANY)"' -c -o $@ $<

PREFIX	?= /usr
DESTDIR	?=

.PHONY: install-loader
install-loader: $(LOADER)/kexpress ## install it, with manual page, completion and service
	install -D -m 755 $< $(DESTDIR)$(PREFIX)/sbin/kexpress
	install -D -m 644 src/loader/kexpress.8 $(DESTDIR)$(PREFIX)/share/man/man8/kexpress.8
	install -D -m 644 src/loader/kexpress.bash \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/kexpress
	install -D -m 644 src/loader/systemd/kexpress.service \
		$(DESTDIR)$(PREFIX)/lib/systemd/system/kexpress.service

-include $(LOADER_OBJECTS:.o=.d)
