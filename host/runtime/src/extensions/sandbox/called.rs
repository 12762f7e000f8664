//! Which function of an extension is called, for the message of a trap.

use super::handles::Known;
use super::instance::Instance;
use crate::extensions::sandbox::Answer;
use crate::words::escape::escaped;

impl Instance {
    /// The extension's id of a table, cursor or accumulator.
    pub fn id_of(&mut self, handle: u32) -> Answer<u32> {
        let known = self.handles.get(handle);
        let known = known.ok_or_else(|| self.lost("open the database again"))?;
        self.called = known.function;
        Ok(known.id)
    }

    /// A handle for the extension's id of what was made by the call.
    pub fn handle_of(&mut self, id: u32) -> Answer<u32> {
        self.handles.add(Known { id, function: self.called })
    }

    /// Note which function is called, for the message of a trap: one of the manifest by its index.
    #[inline]
    pub fn calls(&mut self, function: Option<u32>) {
        self.called = function;
    }

    /// Where a trap was, if that was a function.
    pub(super) fn place(&self) -> String {
        let function =
            self.called.and_then(|index| self.package.manifest.functions.get(index as usize));
        let shown = function.map(|function| format!(" in `{}()`", escaped(&function.name)));
        shown.unwrap_or_default()
    }
}
