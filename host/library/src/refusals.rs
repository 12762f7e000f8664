//! One line on stderr for each refused path.

use std::collections::HashSet;
use std::sync::{LazyLock, Mutex};

use runtime::words::complaint::complain;

use crate::grants::VARIABLE;

/// Limit on reported paths: SQL chooses them.
const MAX_REPORTS: usize = 32;

/// Report once for each path that it is refused, and how to grant it.
pub fn report(path: &str) {
    static REPORTED: LazyLock<Mutex<HashSet<String>>> = LazyLock::new(Mutex::default);
    let Ok(mut reported) = REPORTED.lock() else { return };
    if reported.len() < MAX_REPORTS && reported.insert(path.to_owned()) {
        complain(format!(
            "sqlite-wasm: `{path}` is outside the granted directories; \
             {VARIABLE}=DIRECTORY grants one"
        ));
    }
}
