/* CPython 3.13 and later have this header. */
