"""Tests of Litestream and our writers; `tooling/test-replication` runs them."""
