//! The sandbox of an extension: an instance (for each connection, if it uses SQL) in a store with
//! memory, log, clock and limits that nothing else uses. `store` limits memory, output and the size of results, `instance` the
//! time of each call.

mod called;
mod exports;
mod handles;
mod instance;
mod script;
mod sql;
mod start;
mod store;
mod suspended;
mod trap;
mod usage;

pub use handles::DynamicFunctions;
pub use instance::{Answer, Described, FunctionHandle, Instance, Ready, Suspendable, describe};
pub use start::at_once;
pub use store::{Calls, Code, Sandbox};
pub use suspended::{Held, another_type};
pub(crate) use trap::message;
pub use usage::Usage;
