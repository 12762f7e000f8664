//! By the crate `sqlite-sandbox`.

use std::path::{Path, PathBuf};

use sqlite_sandbox::{Access, Database};

crate::workloads::workloads!(sqlite_sandbox);

pub struct Engine {
    database: Database,
    file: PathBuf,
}

impl Engine {
    pub fn new(component: &Path, directory: &Path) -> Result<Self> {
        let builder = Database::builder().component(component);
        let database = builder.directory(directory, Access::ReadWrite).build()?;
        Ok(Self { database, file: directory.join("ours.db") })
    }

    fn open_file(&self) -> Result<Connection> {
        self.database.open(&self.file)
    }

    pub fn open_memory(&self) -> Result<Connection> {
        self.database.open_in_memory()
    }
}
