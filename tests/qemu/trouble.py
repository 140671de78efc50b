# SPDX-License-Identifier: MIT
"""
What goes wrong, as data for test_errors.py: each function that provokes an error returns the scene
in which it appears. trouble_handoff.py, trouble_tree.py and trouble_file.py have them.
"""

from dataclasses import dataclass, field

from scene import Payload


@dataclass
class Trouble:
    """scene()'s arguments. control: noticed late, when memory that nobody named is in use."""

    payload: Payload = field(default_factory=lambda: Payload(b""))
    changes: tuple = None  # of a device tree of ours, in place of QEMU's
    control: bool = False
    how: dict = field(default_factory=dict)


def provokes(error):
    """Names the error that the function's scene shows."""
    def note(make):
        make.provokes = error
        return make
    return note


def all_in(*modules):
    return [make for module in modules for make in vars(module).values()
            if hasattr(make, "provokes")]
