"""Turso's search by words, which is experimental. Tantivy ranks them: a recall is compared."""

from functools import partial

import use_turso
from use_turso import version

__all__ = ["Engine", "version"]

Engine = partial(use_turso.Engine, experimental_features="index_method")
