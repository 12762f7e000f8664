//! Commits that are being made, in their order.

use std::collections::VecDeque;

use sqlite_sandbox::hooks::Changes;

use super::counter::Count;

/// A commit that was made, or failed.
#[derive(Debug)]
pub struct Ticket {
    /// The count of commits before it.
    pub before: Option<Count>,
    /// `None` if it failed.
    pub changes: Option<Changes>,
}

/// Whether a commit was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Open,
    Committed,
    Failed,
}

/// Commits that are being made, in their order.
#[derive(Debug, Default)]
pub struct Tickets {
    /// The id of the first one.
    first: u64,
    all: VecDeque<(Ticket, End)>,
}

impl Tickets {
    /// An empty list, whose ids continue after those of `before`.
    pub fn after(before: &Self) -> Self {
        Self { first: before.next(), all: VecDeque::new() }
    }

    fn next(&self) -> u64 {
        self.first + self.all.len() as u64
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Add a ticket and return its id.
    pub fn take(&mut self, before: Option<Count>, changes: Changes) -> u64 {
        let number = self.next();
        self.all.push_back((Ticket { before, changes: Some(changes) }, End::Open));
        number
    }

    /// A commit was made, or not.
    pub fn ends(&mut self, number: u64, is_committed: bool) {
        // Tickets of an earlier run are gone.
        let at = number.checked_sub(self.first).and_then(|at| usize::try_from(at).ok());
        if let Some((_, end @ End::Open)) = at.and_then(|at| self.all.get_mut(at)) {
            *end = if is_committed { End::Committed } else { End::Failed };
        }
    }

    /// The first one, if it has ended.
    pub fn next_ended(&mut self) -> Option<Ticket> {
        let (_, end) = self.all.front()?;
        let is_committed = match end {
            End::Open => return None,
            end => *end == End::Committed,
        };
        let (mut ticket, _) = self.all.pop_front()?;
        self.first += 1;
        ticket.changes = ticket.changes.filter(|_| is_committed);
        Some(ticket)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_told_in_the_order_of_the_beginnings() {
        let mut tickets = Tickets::default();
        let one = tickets.take(None, Changes::default());
        let two = tickets.take(None, Changes::default());
        tickets.ends(two, true);
        assert!(tickets.next_ended().is_none());
        tickets.ends(one, false);
        tickets.ends(one, true);
        assert!(tickets.next_ended().unwrap().changes.is_none());
        assert!(tickets.next_ended().unwrap().changes.is_some());
        assert!(tickets.next_ended().is_none() && tickets.is_empty());
        let mut later = Tickets::after(&tickets);
        let three = later.take(None, Changes::default());
        later.ends(two, true);
        assert!(later.next_ended().is_none() && three > two);
    }
}
