/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_SOURCES_H
#define ENGINE_SOURCES_H

#include "stage.h"

/* Flash that payloads are looked for in, as neither a hand-off block nor an initrd brings one.
 * Returns how many ranges there are. */
size_t sources_flash(const struct stage *s, struct range flash[STAGE_SOURCES]);

/* Whether a payload's bytes may be there: in RAM, and not in memory of ours, which we have changed
 * since. Error: PAYLOAD_RANGE. */
enum kx_error sources_check(struct stage *s, struct range r, const char *what);

/* Lists where payloads are, the one to boot first. Errors: NO_PAYLOAD, PAYLOAD_RANGE. */
enum kx_error sources_find(struct stage *s);

#endif /* ENGINE_SOURCES_H */
