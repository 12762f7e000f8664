//! What the server replies, before it is encoded. Rows are encoded as they arrive.

use super::group::Group;
use crate::session::engine::Changes;
use crate::session::error::Failure;

/// A column of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    /// The type that it was declared with; none for an expression.
    pub declared: Option<String>,
}

/// The result of a statement.
#[derive(Debug, Default)]
pub struct StmtResult {
    pub columns: Vec<Column>,
    /// The rows, encoded.
    pub rows: Vec<u8>,
    pub changes: Changes,
}

/// What happened to a statement of a batch: nothing where its condition was false.
pub type StepResult = Option<Result<StmtResult, Failure>>;

/// What is known about a statement.
#[derive(Debug)]
pub struct Description {
    pub parameters: Vec<Option<String>>,
    pub columns: Vec<Column>,
    pub is_explain: bool,
    pub is_readonly: bool,
}

/// The reply to a request over a WebSocket.
#[derive(Debug)]
pub enum Reply {
    OpenStream,
    CloseStream,
    OpenCursor,
    CloseCursor,
    /// Entries of a cursor, and whether it has no more.
    FetchCursor(Group, bool),
    /// The same as over HTTP.
    Stream(Response),
}

/// The reply to a request on a stream.
#[derive(Debug)]
pub enum Response {
    Close,
    Execute(StmtResult),
    Batch(Vec<StepResult>),
    Sequence,
    Describe(Description),
    StoreSql,
    CloseSql,
    GetAutocommit(bool),
}
