"""SQLite in a WebAssembly sandbox.

``python -m sqlite_wasm app.py`` runs a program whose ``sqlite3`` module uses the sandboxed
library, and refuses to start one that would not.
"""

# Python has imported it before: another module could be one of the working directory.
import os

#: The programs, components and extensions.
FILES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "files")
