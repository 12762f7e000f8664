"""SQLAlchemy's dialect suite against this server.

A test of `exclusions.txt` must fail; all others must pass or be skipped by a requirement below.
"""

import pathlib

import pytest
from sqlalchemy.testing import provision

# Loaded first, so that what follows replaces its functions.
import sqlalchemy.dialects.postgresql.provision  # noqa: F401  isort: skip

from sqlalchemy.dialects.postgresql.base import PGDialect
from sqlalchemy.testing.plugin import pytestplugin
from sqlalchemy.testing.plugin.pytestplugin import *  # noqa: F403

# Constraints have no comments here. The suite's tables have some, which a dialect without them leaves out.
PGDialect.supports_constraint_comments = False


@provision.post_configure_engine.for_db("postgresql")
def no_extensions(url, engine, follower_ident):
    """`citext` and `hstore` are not there."""


@provision.drop_all_schema_objects_pre_tables.for_db("postgresql")
def no_prepared_transactions(cfg, eng):
    """Nor are transactions in two phases."""


def exclusions():
    """Pairs of a test's name and the reason."""
    lines = pathlib.Path(__file__).with_name("exclusions.txt").read_text().splitlines()
    reason, found = None, []
    for line in lines:
        if line.startswith("# "):
            reason = line[2:]
        elif line.strip():
            found.append((line.strip(), reason))
    return found


EXCLUSIONS = exclusions()


def short(item):
    """`Class::test[parameters]`, without the dialect's name."""
    return item.nodeid.split("::", 1)[1].replace("_postgresql+psycopg_15_0", "")


def pytest_collection_modifyitems(session, config, items):
    # It makes the tests of this dialect.
    pytestplugin.pytest_collection_modifyitems(session, config, items)
    left = dict(EXCLUSIONS)
    for item in items:
        if reason := left.pop(short(item), None):
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))
    is_whole = not any("::" in argument for argument in config.args)
    if left and is_whole:
        raise pytest.UsageError(f"excluded, and not there: {sorted(left)}")
