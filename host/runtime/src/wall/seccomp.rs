//! System calls, by seccomp: calls that [`calls`](super::calls) does not list
//! fail as unknown.

use std::io;

use anyhow::{Result, anyhow};
use seccompiler::{Error, apply_filter};

use super::Layer;
use super::calls::{Network, groups};
use super::filter;

/// Bind this thread to the table of system calls.
pub fn restrict(network: Network) -> Result<Layer> {
    match apply_filter(&filter::program(&groups(network))) {
        Ok(()) => Ok(Layer::Up),
        Err(Error::Seccomp(error)) if is_missing(&error) => Ok(Layer::Missing),
        Err(error) => Err(anyhow!("failed to restrict system calls (seccomp): {error}")),
    }
}

/// Whether the error is that of a kernel without filters.
fn is_missing(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(nix::libc::ENOSYS | nix::libc::EINVAL))
}
