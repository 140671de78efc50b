# SPDX-License-Identifier: MIT
"""FITs, as mkimage makes them."""

import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

SHA256 = ("sha256",)


@dataclass
class Part:
    """An image of a FIT: bytes, or the file that has them."""

    data: object
    type: str
    hashes: tuple = SHA256
    compression: str = "none"
    properties: str = ""
    load: int = 0  # of a kernel; others than U-Boot do not look at it

    def source(self, name, path):
        address = (f"load = <{self.load:#x}>; entry = <{self.load:#x}>;"
                   if self.type == "kernel" else "")
        hashes = "".join(f'hash-{i} {{ algo = "{algorithm}"; }};\n'
                         for i, algorithm in enumerate(self.hashes))
        return f"""{name} {{
            description = "{name}"; data = /incbin/("{path}"); type = "{self.type}";
            arch = "arm64"; os = "linux"; compression = "{self.compression}"; {address}
            {self.properties}
            {hashes}
        }};"""


@dataclass
class Fit:
    """Parts by name; configurations by name, each its properties. The first is the default."""

    parts: dict
    configurations: dict = field(default_factory=dict)
    arguments: tuple = ()

    def source(self, directory):
        images = ""
        for name, part in self.parts.items():
            path = part.data
            if isinstance(part.data, bytes):
                path = Path(directory) / name
                path.write_bytes(part.data)
            images += part.source(name, path) + "\n"
        configurations = ""
        for name, properties in self.configurations.items():
            lines = "".join(f'{key} = "{value}"; ' for key, value in properties.items())
            configurations += f'{name} {{ description = "{name}"; {lines} }};\n'
        default = next(iter(self.configurations))
        return f"""/dts-v1/;
        / {{
            description = "test"; #address-cells = <1>;
            images {{ {images} }};
            configurations {{ default = "{default}"; {configurations} }};
        }};"""

    def make(self, path):
        with tempfile.TemporaryDirectory() as directory:
            source = Path(directory) / "fit.its"
            source.write_text(self.source(directory))
            subprocess.run(["mkimage", *self.arguments, "-f", str(source), str(path)], check=True,
                           capture_output=True, timeout=120)
        return path


def simple(kernel, ramdisk=None, fdt=None, bootargs=None, hashes=SHA256, arguments=()):
    """A FIT of one configuration."""
    parts = {"kernel": Part(kernel, "kernel", hashes)}
    configuration = {"kernel": "kernel"}
    if ramdisk:
        parts["ramdisk"] = Part(ramdisk, "ramdisk", hashes)
        configuration["ramdisk"] = "ramdisk"
    if fdt:
        parts["fdt"] = Part(fdt, "flat_dt", hashes)
        configuration["fdt"] = "fdt"
    if bootargs is not None:
        configuration["bootargs"] = bootargs
    return Fit(parts, {"conf": configuration}, tuple(arguments))
