"""SQLite in a WebAssembly sandbox.

``python -m sqlite_wasm app.py`` runs a program whose ``sqlite3`` module uses the sandboxed
library, and refuses to start one that would not.
"""

from pathlib import Path

#: The programs, components and extensions.
FILES = Path(__file__).parent / "files"
