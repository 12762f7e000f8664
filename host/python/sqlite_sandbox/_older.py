"""What sqlite3 has on Python 3.10 and 3.11, after a deprecation; 3.12 has removed it."""

import sys
from warnings import warn

from sqlite_sandbox._sqlite3 import _enable_shared_cache


def enable_shared_cache(enable):
    """Let connections that are opened from now on share a cache."""
    message = "enable_shared_cache is deprecated and will be removed in Python 3.12; use the parameter cache=shared of a URI"
    warn(message, DeprecationWarning, stacklevel=2)
    _enable_shared_cache(enable)


def optimized_unicode():
    """Text as str, which it always is. Called by `__getattr__` of the package."""
    warn("OptimizedUnicode is deprecated and will be removed in Python 3.12; use str", DeprecationWarning, stacklevel=3)
    return str


#: What the modules have besides.
NAMES = {"enable_shared_cache": enable_shared_cache}
if sys.version_info < (3, 11):
    NAMES["threadsafety"] = 1
