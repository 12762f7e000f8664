"""SQLRite's search by words, whose ranks are not those of FTS5: a recall is compared."""

from use_sqlrite import Engine, version

__all__ = ["Engine", "version"]
