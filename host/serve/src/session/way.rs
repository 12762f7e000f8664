//! Long statements give way to short ones. A kernel that does not preempt lets a thread that has been
//! woken wait for the scheduler's tick, 4 ms, while another one computes.

use std::time::Instant;

/// When a session's thread gives way next. It has run at least as long as it was away before, so
/// that it keeps its share of the processor where other threads never give way.
#[derive(Debug, Default)]
pub struct Way {
    next: Option<Instant>,
}

impl Way {
    /// Let others run, unless it is too early.
    pub fn give(&mut self) {
        self.give_by(std::thread::yield_now);
    }

    fn give_by(&mut self, others: impl FnOnce()) {
        let left = Instant::now();
        if self.next.is_some_and(|next| left < next) {
            return;
        }
        others();
        let away = left.elapsed();
        self.next = Instant::now().checked_add(away);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn who_was_away_runs_as_long_again() {
        let away = Duration::from_millis(200);
        let mut way = Way::default();
        let mut count = 0;
        way.give_by(|| std::thread::sleep(away));
        let back = Instant::now();
        way.give_by(|| count += 1);
        // On a busy machine this thread itself may have been away meanwhile.
        assert!(count == 0 || back.elapsed() >= away);
        std::thread::sleep(away + Duration::from_millis(50));
        way.give_by(|| count += 1);
        assert!(count >= 1);
    }
}
