# SPDX-License-Identifier: MIT
"""compile_commands.py 'COMMAND' SOURCE...: a compilation database for clangd and other tools."""

import json
import os
import sys


def entry(command, source):
    return {"directory": os.getcwd(), "file": source, "command": f"{command} -c {source}"}


def main(command, *sources):
    json.dump([entry(command, source) for source in sources], sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main(*sys.argv[1:])
