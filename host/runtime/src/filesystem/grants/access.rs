//! The access to a directory, and the treatment of a last link.

use super::rules::Verdict;

/// The access of a component to a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// List and read.
    ReadOnly,
    /// Everything.
    ReadWrite,
}

impl Access {
    pub(super) fn under(self, verdict: Verdict) -> Self {
        if verdict == Verdict::Free { self } else { Self::ReadOnly }
    }
}

/// How to resolve a path that ends with a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastLink {
    /// To the target of the link.
    Follow,
    /// To the link itself.
    Keep,
}
