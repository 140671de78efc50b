# SPDX-License-Identifier: MIT
"""Payloads that are refused."""

import struct

import libfdt

import abi
import fit
import tree
from abi import MIB, PAGE, Image
from scene import Payload, probe_kernel, random_bytes
from trouble import Trouble, provokes


def file_of(data):
    return Trouble(Payload(b"", initrd=lambda path: path.write_bytes(data)))


def image_with(offset, value):
    image = bytearray(probe_kernel())
    struct.pack_into("<Q", image, offset, value)
    return file_of(bytes(image))


def fit_of(change, **how):
    """A FIT, changed afterwards by change(bytearray), which returns what counts."""
    how.setdefault("ramdisk", random_bytes(20000))

    def make(path):
        fit.simple(probe_kernel(), **how).make(path)
        path.write_bytes(change(bytearray(path.read_bytes())))
    return Trouble(Payload(b"", initrd=make))


def same(data):
    return data


@provokes("PAYLOAD_RANGE")
def second_initrd_not_in_ram():
    trouble = file_of(probe_kernel())
    trouble.how["append"] = "kexpress.initrd=0x50000000,4096"
    return trouble


@provokes("FORMAT")
def file_unknown():
    return file_of(random_bytes(5000))


@provokes("FORMAT")
def file_short():
    return file_of(b"abc")


@provokes("GZIP")
def file_gzip():
    return file_of(b"\x1f\x8b\x08" + bytes(1000))


@provokes("ZBOOT")
def file_zboot():
    return file_of(b"MZ\0\0zimg" + bytes(1000))


@provokes("ELF")
def file_elf():
    return file_of(abi.CALLER_ELF.read_bytes())


@provokes("PE")
def file_pe():
    return file_of(b"MZ" + bytes(1000))


@provokes("COMPRESSION")
def file_zstd():
    return file_of(b"\x28\xb5\x2f\xfd" + bytes(1000))


@provokes("COMPRESSION")
def fit_compressed():
    def make(path):
        parts = {"kernel": fit.Part(random_bytes(9999), "kernel", compression="gzip")}
        fit.Fit(parts, {"conf": {"kernel": "kernel"}}).make(path)
    return Trouble(Payload(b"", initrd=make))


@provokes("IMAGE")
def image_text_offset():
    return image_with(8, 0x123)


@provokes("IMAGE")
def image_wraps():
    return image_with(8, 2**64 - PAGE)


@provokes("NO_ROOM")
def image_larger_than_ram():
    return image_with(Image.IMAGE_SIZE, 300 * MIB)


@provokes("GRANULE")
def image_of_16k_pages():
    """Cortex-A72 has none, -cpu max does."""
    trouble = image_with(Image.FLAGS, 0xc)
    trouble.how["cpu"] = "cortex-a72"
    return trouble


@provokes("FIT")
def fit_without_images():
    return file_of(tree.edited())


@provokes("FIT")
def fit_truncated():
    return fit_of(lambda data: data[:-100])


@provokes("FIT_CONFIG")
def fit_default_missing():
    def change(data):
        fdt = libfdt.Fdt(data)
        fdt.resize(len(data) + PAGE)
        fdt.setprop_str(fdt.path_offset("/configurations"), "default", "other")
        return bytes(fdt.as_bytearray())
    return fit_of(change)


@provokes("FIT_DATA")
def fit_data_outside():
    return fit_of(lambda data: data[:-100], arguments=("-E",))


@provokes("HASH")
def fit_kernel_changed():
    def change(data):
        data[len(data) // 2] ^= 1
        return data
    return fit_of(change)


@provokes("HASH")
def fit_ramdisk_changed():
    def change(data):
        data[-1] ^= 1
        return data
    return fit_of(change, arguments=("-E",), hashes=("crc32",))


@provokes("HASH_TYPE")
def fit_hash_unknown():
    return fit_of(same, hashes=("md5",))
