"""SQLite in a WebAssembly sandbox.

``python -m sqlite_sandbox_library app.py`` runs a program whose ``sqlite3`` module uses the sandboxed
library, and refuses to start one that would not.
"""

# Python has imported it before: another module could be one of the working directory.
import os

_packages = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# `lib/python3.X/site-packages` of an environment, or what `pip install --target` was given.
_prefix = os.path.join(_packages, "../../..") if _packages.endswith(("/site-packages", "/dist-packages")) else _packages

#: The library, components and extensions.
FILES = os.path.join(os.path.abspath(_prefix), "libexec", "sqlite-wasm-run")
