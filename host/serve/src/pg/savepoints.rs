//! Savepoints. Their names in SQLite contain their indices, since SQLite ignores the case of names.

use sqlite_wasm_postgres::translate::Action;

use super::converse::Conversation;
use super::failure::Result;

impl Conversation<'_> {
    /// SAVEPOINT, ROLLBACK TO and RELEASE.
    pub fn run_savepoint(&mut self, verb: &str, action: &Action) -> Result<()> {
        let mark = match action {
            Action::RollbackTo(name) | Action::Release(name) => {
                self.session.state().settings.mark(name)?
            }
            _ => self.session.state().settings.savepoints(),
        };
        if let Action::Savepoint(name) = action {
            self.session.state().settings.savepoint(name)?;
            self.session.state().locks.savepoint();
            self.session.state().notes.savepoint();
            self.session.state().constraints.savepoint();
            self.begin_at_last()?;
        }
        self.run_plain(&format!("{verb} pg_savepoint_{mark}"))?;
        match action {
            Action::RollbackTo(_) => {
                self.session.state().settings.roll_back_to(mark);
                self.session.state().locks.roll_back_to(mark);
                self.session.state().notes.roll_back_to(mark);
                self.session.state().constraints.roll_back_to(mark);
                self.store.roll_back_to(mark);
                // Tables may have come back.
                self.forget_schema();
            }
            Action::Release(_) => {
                self.session.state().settings.release(mark);
                self.session.state().locks.release_savepoint(mark);
                self.session.state().notes.release(mark);
                self.session.state().constraints.release(mark);
                self.store.release(mark);
            }
            _ => {}
        }
        Ok(())
    }
}
