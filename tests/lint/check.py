# SPDX-License-Identifier: MIT
"""What a check is: a name, the reason why something is forbidden, and a function that finds it."""

from typing import Callable, Iterator, NamedTuple


class Check(NamedTuple):
    name: str
    reason: str
    find: Callable[[object], Iterator[str]]  # yields findings, each beginning with where it is


class Checks(list):
    """All checks of one subject, in the order of their definition."""

    def add(self, name, reason):
        def register(find):
            self.append(Check(name, reason, find))
            return find

        return register
