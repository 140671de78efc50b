# SPDX-License-Identifier: MIT
#
# lens, the QEMU plugin, its tests and its calibration. Included by the top Makefile; works alone
# too: make -f tests/lens/lens.mk lens

HOSTCC		?= gcc
CROSS		?= aarch64-linux-gnu-
PYTHON		?= /usr/bin/python3
LENS		:= tests/lens
LENS_OUT	:= build/lens
LENS_PROFILES	:= $(wildcard $(LENS)/profiles/*.profile)
LENS_WARNINGS	:= -Wall -Wextra -Werror -Wundef -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
		   -Wvla -Wimplicit-fallthrough
LENS_CFLAGS	:= -std=gnu11 -O2 -g -fPIC -fvisibility=hidden -flto -ftls-model=initial-exec \
		   $(LENS_WARNINGS) -Wframe-larger-than=8192
LENS_TEST_CFLAGS := -std=gnu11 -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all \
		   $(LENS_WARNINGS)

# What knows of QEMU, and cannot be in a test program.
LENS_GLUE	:= lens watch console power turn record registers clock
LENS_SOURCES	:= $(wildcard $(LENS)/*.c)
LENS_OBJECTS	:= $(LENS_SOURCES:$(LENS)/%.c=$(LENS_OUT)/obj/%.o)
LENS_PURE	:= $(filter-out $(LENS_GLUE:%=$(LENS_OUT)/obj-test/%.o),\
		   $(LENS_SOURCES:$(LENS)/%.c=$(LENS_OUT)/obj-test/%.o))
LENS_TESTS	:= $(patsubst $(LENS)/unit/%.c,$(LENS_OUT)/%,$(wildcard $(LENS)/unit/test_*.c))

.PHONY: lens
lens: $(LENS_OUT)/lens.so

# Lazy binding: preloaded into a program that is not QEMU, it must do no harm.
$(LENS_OUT)/lens.so: $(LENS_OBJECTS)
	@echo '  LD      $@'
	@$(HOSTCC) -O2 -flto=auto -shared -Wl,-z,lazy -o $@ $^ -lfdt -lpthread -ldl

$(LENS_OUT)/obj/%.o: $(LENS)/%.c
	@mkdir -p $(@D)
	@echo '  HOSTCC  $@'
	@$(HOSTCC) $(LENS_CFLAGS) -MMD -MP -c -o $@ $<

$(LENS_OUT)/obj-test/%.o: $(LENS)/%.c
	@mkdir -p $(@D)
	@echo '  HOSTCC  $@'
	@$(HOSTCC) $(LENS_TEST_CFLAGS) -MMD -MP -c -o $@ $<

$(LENS_OUT)/test_%: $(LENS)/unit/test_%.c $(LENS_PURE)
	@echo '  HOSTCC  $@'
	@$(HOSTCC) $(LENS_TEST_CFLAGS) -MMD -MP -MF $@.d -o $@ $< $(LENS_PURE) -lcmocka -lfdt

.PHONY: test-lens-unit
test-lens-unit: $(LENS_TESTS) ## host tests of lens
	@for t in $^; do echo "  TEST    $$t"; $$t || exit 1; done

.PHONY: test-lens
test-lens: test-lens-unit lens ## lens against programs, and its clock on the real stage
	@$(PYTHON) -m pytest -q -n auto --dist loadfile -p no:cacheprovider -m "not slow" $(LENS) tests/bench

LENS_GUESTS	:= $(addprefix $(LENS_OUT)/,calibrate.bin cores.bin cores-flush.bin)

$(LENS_OUT)/cores-flush.bin: LENS_GUEST_FLAGS := -DFLUSH
$(LENS_OUT)/calibrate.bin: $(LENS)/guests/calibrate.S
$(LENS_OUT)/cores.bin $(LENS_OUT)/cores-flush.bin: $(LENS)/guests/cores.S

$(LENS_GUESTS):
	@mkdir -p $(@D)
	@echo '  LD      $@'
	@$(CROSS)gcc $(LENS_GUEST_FLAGS) -nostdlib -static -Wl,--build-id=none,--fatal-warnings,-Ttext=0,-e,0 -o $(@:.bin=.elf) $<
	@$(CROSS)objcopy -O binary $(@:.bin=.elf) $@

.PHONY: calibrate
calibrate: $(LENS_OUT)/lens.so $(LENS_OUT)/calibrate.bin ## lens's profiles against published measurements
	@$(PYTHON) $(LENS)/calibrate.py --lens $< --guest $(LENS_OUT)/calibrate.bin $(LENS_PROFILES)

-include $(wildcard $(LENS_OUT)/obj/*.d $(LENS_OUT)/obj-test/*.d $(LENS_OUT)/*.d)
