"""Settings of Django's own tests: two databases that are there, at the address of the environment."""

import os

from django.db.backends.postgresql.creation import DatabaseCreation
from django.db.backends.postgresql.features import DatabaseFeatures

# They are served; `pg_database` has only that of the session.
DatabaseCreation._database_exists = lambda self, cursor, name: True


def database(name):
    return {
        "ENGINE": "django.db.backends.postgresql",
        "HOST": os.environ["PGHOST"],
        "PORT": os.environ["PGPORT"],
        "USER": os.environ["PGUSER"],
        "NAME": name,
        "TEST": {"NAME": name},
    }


DATABASES = {"default": database("django"), "other": database("django_other")}
SECRET_KEY = "for tests"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
USE_TZ = False
# The server has no other.
TIME_ZONE = "UTC"


def without(*features):
    """What the server lacks, as Django's own tests ask for it."""
    for feature in features:
        setattr(DatabaseFeatures, feature, False)


without("supports_covering_indexes", "supports_deferrable_unique_constraints")
