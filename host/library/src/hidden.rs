//! The compile helper, hidden from the program, which could otherwise wait for it or get a signal
//! when it ends (`c/helper.c`).

use std::ffi::CString;
use std::io;
use std::process::ExitStatus;

use runtime::artifact::compiler::{Helper, Started};

use crate::engine::Hidden;

/// Start it.
///
/// # Errors
///
/// The system's.
pub fn start(helper: Helper) -> io::Result<Box<dyn Started>> {
    let words = texts(helper.words)?;
    let settings = helper.environment.into_iter().map(|(name, value)| format!("{name}={value}"));
    let settings = texts(settings)?;
    Ok(Box::new(Running(Hidden::start(&helper.program, &words, &settings, &helper.streams)?)))
}

fn texts(words: impl IntoIterator<Item = String>) -> io::Result<Vec<CString>> {
    words.into_iter().map(|word| Ok(CString::new(word)?)).collect()
}

struct Running(Hidden);

impl Started for Running {
    fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        self.0.try_wait()
    }

    fn end(&mut self) {
        self.0.end();
    }
}
