"""CPython's tests that are not run, with the reason, by the version of Python."""

EXCLUDED = {}
