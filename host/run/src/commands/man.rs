//! `man`: the manual page.

use std::process::ExitCode;

use anyhow::Result;
use clap_mangen::Man;

/// Print the manual page in roff format
#[derive(Debug, clap::Args)]
pub struct ManPage {}

impl ManPage {
    /// Print the page.
    pub fn execute(self, command: clap::Command) -> Result<ExitCode> {
        let mut page = Vec::new();
        Man::new(command).render(&mut page)?;
        Ok(super::print(&page))
    }
}
