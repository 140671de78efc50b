/* SPDX-License-Identifier: MIT */
/* Our own image's relocations. Runs with the MMU off too. */
#ifndef ENGINE_RELOCATE_H
#define ENGINE_RELOCATE_H

/* Applies them where the image lies. Doing so twice changes nothing. */
void relocate(void);

#endif /* ENGINE_RELOCATE_H */
