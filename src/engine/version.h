/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_VERSION_H
#define ENGINE_VERSION_H

#define KEXPRESS_VERSION "kexpress 0.1"

#endif /* ENGINE_VERSION_H */
