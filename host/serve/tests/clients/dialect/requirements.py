"""What this server has of what SQLAlchemy's suite requires."""

from sqlalchemy.testing import exclusions
from sqlalchemy.testing.requirements import SuiteRequirements


class Requirements(SuiteRequirements):
    # PostgreSQL's dialect has them.
    reflect_table_options = property(lambda self: exclusions.open())
    # A file is one schema.
    schemas = property(lambda self: exclusions.closed())
    # SQLite has no sequences.
    sequences = property(lambda self: exclusions.closed())
    sequences_optional = property(lambda self: exclusions.closed())
    views = property(lambda self: exclusions.open())
    # PostgreSQL shows the index of a UNIQUE constraint as an index too.
    unique_constraints_reflect_as_index = property(lambda self: exclusions.open())
