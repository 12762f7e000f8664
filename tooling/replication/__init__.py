"""Tests of Litestream beside our writers; `tooling/test-replication` runs them."""
