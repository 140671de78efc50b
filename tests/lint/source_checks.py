# SPDX-License-Identifier: MIT
"""What the tree's files may not be or contain."""

import functools
import pathlib
import re
import subprocess
from typing import NamedTuple

from check import Checks

CHECKS = Checks()

SPDX = "SPDX-License-Identifier: MIT"
SPDX_LINES = 3  # it stands at the top: after #! or a document's title line at the latest
NO_SPDX = {"LICENSE"}
NO_SPDX_SUFFIXES = {".md", ".json", ".svg"}  # prose and data, which LICENSE covers
# Written so that they do not find themselves.
UNFINISHED = re.compile(r"\b(TO[D]O|FIXM[E]|XX[X])\b")
BUILD_PATH = re.compile(r"(?<![\w.~])/(?:hom[e]|roo[t]|wor[k])/[\w.-]*")
MIRROR = re.compile(
    r"\b(?:deb|ftp|archive|snapshot|security)\.(?:\w+\.)*(?:debian|ubuntu)\.(?:org|com)\b"
    r"|\b(?:[\w-]+\.)*(?:mirrors?|proxy|cache|registry|nexus|artifactory|pypi)[\w-]*"
    r"\.(?:[\w-]+\.)*(?:org|com|net|io|dev|cloud|internal|local|lan|corp)\b"
    r"|\bhttps?://(?:localhost|\d+\.\d+\.\d+\.\d+)\b"
)
CODE_SUFFIXES = {".c", ".h", ".S", ".py", ".ld", ".sh"}
FILE_LINES = 500
FUNCTION_LINES = 60
FUNCTION_NAME = re.compile(r"(\w+)\(")


class Function(NamedTuple):
    path: str
    line: int
    name: str
    length: int  # lines from brace to brace


class Tree:
    def __init__(self, top):
        self.top = pathlib.Path(top)

    def _paths(self):
        command = ["git", "-C", self.top, "ls-files", "-z", "-co", "--exclude-standard"]
        if (self.top / ".git").exists():
            output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            return sorted(set(output.split("\0")) - {""})
        names = (str(p.relative_to(self.top)) for p in self.top.rglob("*"))
        return sorted(n for n in names if not re.match(r"build/|.*__pycache__|\.pytest_cache/", n))

    @functools.cached_property
    def files(self):
        """Text by path, of every file that is tracked or would be."""
        found = {}
        for name in self._paths():
            path = self.top / name
            if path.is_file() and b"\0" not in (data := path.read_bytes()):
                found[name] = data.decode()
        return found

    def grep(self, pattern):
        for name, text in self.files.items():
            for number, line in enumerate(text.splitlines(), 1):
                if match := pattern.search(line):
                    yield f"{name}:{number}: {match[0]}"


def functions(path, text):
    """Functions of Linux kernel layout: their braces stand alone in the first column."""
    start, name = 0, "?"
    for number, line in enumerate(text.splitlines(), 1):
        if line == "{":
            start = number
        elif line == "}" and start:
            yield Function(path, start, name, number - start + 1)
            start = 0
        elif not start and line[:1].isalpha() and (match := FUNCTION_NAME.search(line)):
            name = match[1]


def source_functions(tree):
    for path, text in tree.files.items():
        if re.fullmatch(r"src/.*\.[ch]", path):
            yield from functions(path, text)


@CHECKS.add("spdx", "Each file says what licence it has.")
def spdx(tree):
    for path, text in tree.files.items():
        name = pathlib.PurePath(path)
        exempt = name.name in NO_SPDX or name.suffix in NO_SPDX_SUFFIXES
        if not exempt and SPDX not in "".join(text.splitlines(True)[:SPDX_LINES]):
            yield f"{path}:1: no {SPDX}"


@CHECKS.add("clang-format", "One layout, that of .clang-format, so that changes show only changes.")
def clang_format(tree):
    pattern = re.compile(r"(?:(?:include|src|tests)/.*|[^/]*)\.[ch]")
    paths = [path for path in tree.files if pattern.fullmatch(path)]
    if not paths:
        return
    command = ["clang-format", "--dry-run", "-Werror", *paths]
    result = subprocess.run(command, cwd=tree.top, capture_output=True, text=True)
    lines = re.findall(r"^(\S+:\d+):\d+: error", result.stderr, re.MULTILINE)
    yield from sorted(set(lines))
    if result.returncode and not lines:
        yield f"clang-format: {result.stderr.strip()}"


@CHECKS.add("unfinished", "What is not done is an issue, not a comment.")
def unfinished(tree):
    yield from tree.grep(UNFINISHED)


@CHECKS.add("build-paths", "A path of one machine does not exist on the next.")
def build_paths(tree):
    yield from tree.grep(BUILD_PATH)


@CHECKS.add("mirrors", "Packages come from where the user's system gets them.")
def mirrors(tree):
    yield from tree.grep(MIRROR)


@CHECKS.add("file-length", f"A file has one subject; {FILE_LINES} lines are enough for it.")
def file_length(tree):
    for path, text in tree.files.items():
        lines = text.count("\n")
        if pathlib.PurePath(path).suffix in CODE_SUFFIXES and lines > FILE_LINES:
            yield f"{path}:{lines}: longer than {FILE_LINES} lines"


@CHECKS.add("function-length", f"A function of more than {FUNCTION_LINES} lines does two things.")
def function_length(tree):
    for f in source_functions(tree):
        if f.length > FUNCTION_LINES:
            yield f"{f.path}:{f.line}: {f.name} has {f.length} lines"
