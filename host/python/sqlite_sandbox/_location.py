"""Where the library is: in the files of the wheel, which `sqlite_sandbox_library` locates."""

import os

from sqlite_sandbox_library import FILES

#: A copy of libsqlite3.so.0 that the dynamic linker takes for no other library of this name.
LIBRARY = os.path.join(FILES, "lib", "libsqlite3.so.0")
