//! What a statement has changed.

/// What a statement has changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Changes {
    /// Rows, without those of triggers.
    pub rows: u64,
    /// 0 unless the caller requests it.
    pub last_insert_rowid: i64,
}
