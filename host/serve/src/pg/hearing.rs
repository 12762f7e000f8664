//! Sends a client the messages of its channels.

use sqlite_wasm_postgres::state::Transaction;

use super::converse::Conversation;
use super::failure::{Failure, Result};

impl Conversation<'_> {
    /// Send notifications, only outside transactions.
    pub fn deliver(&mut self) -> Result<()> {
        if self.transaction != Transaction::Idle {
            return Ok(());
        }
        while self.session.state().notes.deliver(&mut self.stream.out)? {
            self.stream.send_if_full().map_err(|_| Failure::Gone)?;
        }
        Ok(())
    }

    /// Let notifications interrupt the wait for a message, outside transactions.
    pub fn hear(&mut self) {
        let state = self.session.state();
        let heard = state.notes.heard().filter(|_| self.transaction == Transaction::Idle);
        self.stream.hear(heard.map(|heard| heard.mailbox().clone()));
    }
}
