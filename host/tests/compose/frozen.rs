//! An extension of contract 0.1.0 as its author sent it: hosts of later versions 0.1.x load, embed
//! and inspect it. `host/tests/frozen` has its bytes, which are never built again, and its source.

use std::fs;
use std::path::PathBuf;

use sha2::{Digest, Sha256};

use crate::support::composed::Composed;
use crate::support::{self, Directory};

const SHA256: &str = "faf931ae493cb131c0b2d593af1e6a0a96beb52a7d32a3323695230aaf37a61e";

/// Each kind of entry that it has.
const SQL: &str = "SELECT frozen('abc'), hex(frozen(x'0102')), frozen(7), frozen(NULL) IS NULL;
    SELECT group_concat(a, '') FROM (SELECT column1 a FROM (VALUES('ccc'), ('a'), ('bb'))
        ORDER BY a COLLATE frozen_length);
    SELECT sum(value), count(*) FROM frozen_count(10) WHERE value > 3;";

const REPLIES: &str = "cba|0201|7|1\nabbccc\n49|7\n";

fn frozen() -> String {
    let path: PathBuf = support::repository().join("host/tests/frozen/0.1.0/frozen.wasm");
    path.to_str().expect("a path in UTF-8").into()
}

#[test]
fn it_is_what_it_was() {
    let bytes = fs::read(frozen()).expect("it is there");
    let hash: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hash, SHA256, "it is not to be built again");
}

#[test]
fn it_loads() {
    let directory = Directory::fresh("frozen");
    let run = support::ours(&directory.path(), &["--load", &frozen(), ":memory:", SQL]);
    run.exits_with(0).prints(REPLIES).keeps_quiet();
}

#[test]
fn it_is_embedded() {
    let composed = Composed::with("frozen", &[&frozen()]);
    composed.run(&[":memory:", SQL]).exits_with(0).prints(REPLIES).keeps_quiet();
}

#[test]
fn it_is_inspected() {
    let directory = Directory::fresh("inspect-frozen");
    let args = ["extension", "inspect", "--describe", &frozen()];
    let run = support::ours(&directory.path(), &args).exits_with(0).keeps_quiet();
    for line in [
        "contract     0.1.0\n",
        "scalar       frozen(1)\n",
        "table        frozen_count (eponymous-only)\n",
    ] {
        assert!(run.out().contains(line), "{run}");
    }
}
