//! Behind the wall of a run the helper starts and nothing else; behind a narrower one
//! it does not. Without the test harness, which has a second thread.

use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::fs::{MemfdFlags, memfd_create};
use sqlite_wasm_runtime::artifact::compiler::{HELPER, REFUSED};
use sqlite_wasm_runtime::wall::{self, Plan, Rights};

fn main() {
    let repository = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let helper = Path::new(repository).join("target/release").join(HELPER);
    // Without a task it ends with a message, which goes to a file that is opened before
    // the wall: behind it no device opens.
    let nowhere = File::options().write(true).open("/dev/null").unwrap();
    let start_helper = || {
        let message = Stdio::from(nowhere.try_clone().unwrap());
        Command::new(&helper).stderr(message).status().map(|status| status.code())
    };
    // The control: without a wall the other program starts.
    assert!(Command::new("/bin/true").status().unwrap().success());
    let mut plan = Plan::default();
    plan.path(&helper, Rights::Execute);
    assert_eq!(wall::raise(&plan).unwrap().warning(), None);
    let refused = Command::new("/bin/true").status().unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::PermissionDenied);
    assert_eq!(start_helper().unwrap(), Some(REFUSED));
    assert!(memfd_create("code", MemfdFlags::CLOEXEC).is_err());
    memfd_create("code", MemfdFlags::CLOEXEC | MemfdFlags::NOEXEC_SEAL).unwrap();
    assert_eq!(wall::raise(&Plan::default()).unwrap().warning(), None);
    assert_eq!(start_helper().unwrap_err().kind(), ErrorKind::PermissionDenied);
}
