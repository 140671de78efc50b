# SPDX-License-Identifier: MIT
#
# kexpress. `make help` lists what there is.

BOARD	?= virt
CROSS	?= aarch64-linux-gnu-
PYTHON	?= /usr/bin/python3
HOSTCC	?= gcc

ifeq ($(origin CC),default)
CC	:= $(CROSS)gcc
endif
ifeq ($(BOARD),)
$(error BOARD is empty; boards: $(notdir $(wildcard boards/*)))
endif

include boards/$(BOARD)/board.mk

# --- The stage --------------------------------------------------------------------------------

ifneq ($(findstring clang,$(CC)),)
CC_TARGET := --target=aarch64-linux-gnu
COMPILER  := clang
else
COMPILER  := gcc
endif

# gcc's image is the one that boards get; clang's stands beside it.
OUT	:= build/$(BOARD)$(if $(filter clang,$(COMPILER)),-clang)
OBJ	:= $(OUT)/obj
ARM64	:= build/deps/arm64
PICOLIBC := /usr/lib/picolibc/aarch64-linux-gnu
UAPI	:= /usr/aarch64-linux-gnu/include

WARNINGS := -Wall -Wextra -Werror -Wundef -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	    -Wvla -Wimplicit-fallthrough -Wframe-larger-than=2048
INCLUDES := -Iinclude -Isrc -I$(OUT)/include
# The headers of the compiler, the C library and the kernel, and none of the build machine's.
SYSTEM	= -nostdinc -isystem $(PICOLIBC)/include \
	  -isystem $(shell $(CC) $(CC_TARGET) -print-file-name=include) \
	  -isystem $(UAPI) \
	  $(foreach lib,libfdt-dev libbearssl-dev zlib1g-dev,-isystem $(ARM64)/$(lib)/usr/include)
CFLAGS	= $(CC_TARGET) -std=gnu11 -O2 -g -march=armv8-a -ffreestanding -fpie -fvisibility=hidden \
	  -fno-common -ffunction-sections -fdata-sections -fno-stack-protector \
	  -fno-asynchronous-unwind-tables -mgeneral-regs-only -ffile-prefix-map=$(CURDIR)=. \
	  -DBOARD_EARLY_CONSOLE=$(BOARD_EARLY_CONSOLE) $(WARNINGS) $(INCLUDES) $(SYSTEM)
# What runs with the MMU off as well, where memory is Device: aligned accesses, no calls that the
# compiler invents, no jump tables.
MMU_OFF_CFLAGS := -mstrict-align -fno-builtin -fno-jump-tables \
		  $(if $(filter gcc,$(COMPILER)),-fno-tree-loop-distribute-patterns)
LDFLAGS	:= -static -pie --no-dynamic-linker -z text -z norelro -z noexecstack --build-id=none \
	   --orphan-handling=error --gc-sections --fatal-warnings \
	   --defsym=vfprintf=__i_vfprintf -T linker.ld
LIBS	= $(foreach lib,fdt bearssl z,$(wildcard $(ARM64)/*/usr/lib/aarch64-linux-gnu/lib$(lib).a)) \
	  $(PICOLIBC)/lib/libc.a $(shell $(CROSS)gcc -print-libgcc-file-name)

PURE	:= $(wildcard src/kimage/*.c src/place/*.c src/xlat/*.c src/payload/*.c)
SOURCES	:= $(wildcard asm/*.S src/engine/*.c) $(PURE)
OBJECTS	:= $(patsubst %,$(OBJ)/%.o,$(basename $(SOURCES)))
MMU_OFF_OBJECTS := $(addprefix $(OBJ)/src/,engine/boot_map.o engine/regime.o xlat/xlat.o)

IMAGE	:= $(OUT)/kexpress.bin

.PHONY: all
all: $(IMAGE) ## build the image of BOARD (default)

$(IMAGE): $(OUT)/kexpress.elf
	$(CROSS)objcopy -O binary $< $@

$(OUT)/kexpress.elf: $(OBJECTS) linker.ld
	$(CROSS)ld $(LDFLAGS) -o $@ $(OBJECTS) --start-group $(LIBS) --end-group

$(MMU_OFF_OBJECTS): CFLAGS += $(MMU_OFF_CFLAGS)

$(OBJ)/%.o: %.c $(OUT)/flags | build/deps/build.done
	@mkdir -p $(@D)
	@echo "  CC $@"
	@$(CC) $(CFLAGS) -MMD -MP -c -o $@ $<

$(OBJ)/%.o: %.S $(OUT)/flags | build/deps/build.done
	@mkdir -p $(@D)
	@echo "  CC $@"
	@$(CC) $(CFLAGS) -Wa,--fatal-warnings -MMD -MP -c -o $@ $<

# Rebuilds everything when what it is built with changes.
$(OUT)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(CFLAGS) $(MMU_OFF_CFLAGS)' | cmp -s - $@ || echo '$(CC) $(CFLAGS) $(MMU_OFF_CFLAGS)' >$@

-include $(OBJECTS:.o=.d)
.PHONY: FORCE
