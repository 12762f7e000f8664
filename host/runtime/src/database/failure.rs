//! Why calls fail.

/// Why a call failed, if the reason is the host's and not SQLite's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// An [`Interrupter`] was used.
    Interrupted,
    /// The statement's time is over.
    StatementTime,
    /// The time of all statements is over.
    Time,
    /// The memory limit refused memory.
    Memory,
    /// The limit of temporary files refused a write.
    TemporaryFiles,
    /// The instance has trapped or broken the contract, and is gone.
    Trapped,
}

/// A failed call.
#[derive(Debug, Clone)]
pub struct Failure {
    /// SQLite's extended result code.
    pub code: i32,
    /// The message. It comes from the sandbox and may be any text.
    pub message: String,
    /// The reason, if the host knows it.
    pub reason: Option<Reason>,
}
