# SPDX-License-Identifier: MIT
"""Archives in cpio's "newc" format, as the kernel unpacks them (its documentation's
driver-api/early-userspace/buffer-format.rst)."""

import stat

MAGIC = b"070701"
ALIGNMENT = 4
TRAILER = "TRAILER!!!"


def _padded(data):
    return data + bytes(-len(data) % ALIGNMENT)


def _entry(name, mode, data, number, device=(0, 0)):
    name = name.encode() + b"\0"
    fields = (number, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(name), 0)
    return _padded(MAGIC + b"".join(b"%08x" % field for field in fields) + name) + _padded(data)


def _directories(names):
    return sorted({"/".join(parts[:n]) for parts in (name.split("/") for name in names)
                   for n in range(1, len(parts))})


def archive(files, directories=()):
    """files: {name: contents}, all executable. There is a console as well."""
    directories = sorted({*directories, *_directories(files), "dev"})
    entries = [(name, stat.S_IFDIR | 0o755, b"") for name in directories]
    entries += [("dev/console", stat.S_IFCHR | 0o600, b"", (5, 1))]
    entries += [(name, stat.S_IFREG | 0o755, data) for name, data in files.items()]
    entries += [(TRAILER, 0, b"")]
    return b"".join(_entry(name, mode, data, number, *device)
                    for number, (name, mode, data, *device) in enumerate(entries))
