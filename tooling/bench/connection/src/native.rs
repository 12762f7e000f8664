//! By the crate `rusqlite`.

use std::path::{Path, PathBuf};

crate::workloads::workloads!(rusqlite);

pub struct Engine {
    file: PathBuf,
}

impl Engine {
    pub fn new(directory: &Path) -> Self {
        Self { file: directory.join("native.db") }
    }

    fn open_file(&self) -> Result<Connection> {
        Connection::open(&self.file)
    }

    pub fn open_memory(&self) -> Result<Connection> {
        Connection::open_in_memory()
    }
}
