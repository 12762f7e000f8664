//! This program may start itself behind the wall, and nothing else; the copy
//! puts up its own, narrower wall. Without the test harness, which has a
//! second thread.

use std::env;
use std::io::ErrorKind;
use std::process::Command;

use rustix::fs::{MemfdFlags, memfd_create};
use sqlite_wasm_run::wall::{self, Plan};

/// Says that this is the copy.
const COPY: &str = "SECOND_WALL_COPY";

fn main() {
    let is_copy = env::var_os(COPY).is_some();
    let start_copy = || Command::new("/proc/self/exe").env(COPY, "1").status();
    let mut plan = Plan::default();
    if !is_copy {
        // The control: without a wall the other program starts.
        assert!(Command::new("/bin/true").status().unwrap().success());
        plan.helper();
    }
    assert_eq!(wall::raise(&plan).unwrap().warning(), None);
    let refused = Command::new("/bin/true").status().unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::PermissionDenied);
    if is_copy {
        assert_eq!(start_copy().unwrap_err().kind(), ErrorKind::PermissionDenied);
    } else {
        assert!(start_copy().unwrap().success());
    }
    assert!(memfd_create("code", MemfdFlags::CLOEXEC).is_err());
    memfd_create("code", MemfdFlags::CLOEXEC | MemfdFlags::NOEXEC_SEAL).unwrap();
}
