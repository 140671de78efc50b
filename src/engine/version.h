/* SPDX-License-Identifier: MIT */
#ifndef ENGINE_VERSION_H
#define ENGINE_VERSION_H

#define KEXPRESS_VERSION "0.1"

#endif /* ENGINE_VERSION_H */
