"""The command ``sqlite-wasm-run``."""

import os
import sys

from . import FILES


def main():
    """Become the program."""
    program = FILES / "sqlite-wasm-run"
    os.execv(program, [str(program), *sys.argv[1:]])
