//! Components of `wit/database`: SQLite as a library, each instance in a store with its own
//! grants and limits.
//!
//! [`Template`] holds a loaded component with its imports; [`Template::start`] makes an
//! [`Instance`], which is called. The crate `sqlite-sandbox` is the interface for programs.
//!
//! An instance runs on a separate stack, so that threads with small stacks can call it, and so that
//! it can wait in the middle of a call: functions of the program run on the program's stack, and
//! may use the instance. An instance that traps is dropped at once, with its files and locks; each
//! later call fails with the reason.

mod bindings;
mod callbacks;
mod exports;
mod failure;
mod fiber;
mod host;
mod imports;
mod instance;
mod live;
mod mailbox;
mod messages;
mod process;
mod streams;
mod template;
mod time;

pub use callbacks::{Callback, OnProgress};
pub use failure::{Failure, Reason};
pub use instance::Instance;
pub use process::OnRefused;
pub use template::{Settings, Template};

pub use crate::filesystem::mapping::forgo_signals;
pub use crate::limits::statement::Interrupter;
pub use wire;
