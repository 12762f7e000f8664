"""Tests of Litestream and our writers; `tooling/test/replication/run` runs them."""
