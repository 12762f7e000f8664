//! What SQL can do to the programs that the crate starts.

use std::path::Path;

use sqlite_sandbox::{Access, ErrorCode, Result};

use crate::support::builder;

/// The next start would run what SQL has put there.
#[test]
fn the_compiler_is_not_written_even_while_it_is_missing() -> Result<()> {
    let directory = tempfile::tempdir().unwrap();
    let compiler = directory.path().join("compiler");
    let granted = builder().compiler(&compiler).directory(directory.path(), Access::ReadWrite);
    let db = granted.build()?.open_in_memory()?;
    let copy = |path: &Path| db.execute("VACUUM INTO ?1", [path.to_str()]);
    let error = copy(&compiler).unwrap_err();
    assert_eq!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen), "{error}");
    copy(&directory.path().join("control"))?;
    Ok(())
}
