"""The command ``sqlite-wasm-run``."""

import os
import sys

from . import FILES


def main():
    """Become the program."""
    program = os.path.join(FILES, "sqlite-wasm-run")
    os.execv(program, [program, *sys.argv[1:]])
