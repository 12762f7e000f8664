//! Advisory locks, which sessions of one server share: `pg_advisory_lock` and its kin.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sqlite_wasm_postgres::error::sqlstate;
use sqlite_wasm_postgres::{Error, Result};

/// Locks that a session holds at most. PostgreSQL has 6400 for all sessions by default.
const MAX_HELD: usize = 1000;

/// How often a session that waits looks whether its statement must end.
pub const LOOK: Duration = Duration::from_millis(50);

/// How long a session stands behind others that wait, but hold nothing that is in its way. Then it
/// goes ahead, so that an order of waiting is not a deadlock.
const QUEUE_TIME: Duration = Duration::from_secs(1);

/// What a lock is named by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    One(i64),
    Two(i32, i32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    Shared,
    Exclusive,
}

impl Mode {
    fn conflicts(self, other: Self) -> bool {
        self == Self::Exclusive || other == Self::Exclusive
    }

    /// PostgreSQL's name of it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shared => "ShareLock",
            Self::Exclusive => "ExclusiveLock",
        }
    }
}

/// Until when a lock is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Session,
    Transaction,
}

/// A lock of a database.
type Lock = (Arc<str>, Key);

/// A session: its id, which is its process id, too.
type Owner = i32;

/// The locks of all sessions.
#[derive(Debug, Default)]
pub struct Locks {
    table: Mutex<Table>,
    freed: Condvar,
}

#[derive(Debug, Default)]
struct Table {
    held: HashMap<Lock, Vec<Held>>,
    /// In the order in which they came.
    waiting: Vec<(Owner, Lock, Mode)>,
}

#[derive(Debug)]
struct Held {
    owner: Owner,
    mode: Mode,
    count: usize,
}

impl Table {
    /// Those who hold what is in the way of this.
    fn holders<'a>(
        &'a self,
        owner: Owner,
        lock: &Lock,
        mode: Mode,
    ) -> impl Iterator<Item = Owner> + 'a {
        let held = self.held.get(lock).map_or(&[][..], Vec::as_slice);
        let others =
            held.iter().filter(move |held| held.owner != owner && held.mode.conflicts(mode));
        others.map(|held| held.owner)
    }

    /// Whether another session waits for what is in the way of this, and came before it.
    fn is_behind(&self, owner: Owner, lock: &Lock, mode: Mode) -> bool {
        let holds_it =
            self.held.get(lock).is_some_and(|held| held.iter().any(|held| held.owner == owner));
        let mut before = self.waiting.iter().take_while(|(waits, ..)| *waits != owner);
        !holds_it && before.any(|(_, other, wanted)| other == lock && wanted.conflicts(mode))
    }

    /// Whether the session waits for itself, by way of others.
    fn is_deadlock(&self, owner: Owner, lock: &Lock, mode: Mode) -> bool {
        let (mut seen, mut next) = (HashSet::new(), Vec::new());
        next.extend(self.holders(owner, lock, mode));
        while let Some(other) = next.pop() {
            if other == owner {
                return true;
            }
            if seen.insert(other)
                && let Some((_, lock, mode)) =
                    self.waiting.iter().find(|(waits, ..)| *waits == other)
            {
                next.extend(self.holders(other, lock, *mode));
            }
        }
        false
    }

    fn add(&mut self, owner: Owner, lock: &Lock, mode: Mode) {
        let held = self.held.entry(lock.clone()).or_default();
        match held.iter_mut().find(|held| held.owner == owner && held.mode == mode) {
            Some(held) => held.count += 1,
            None => held.push(Held { owner, mode, count: 1 }),
        }
    }

    fn remove(&mut self, owner: Owner, lock: &Lock, mode: Mode) {
        let Some(held) = self.held.get_mut(lock) else { return };
        for held in held.iter_mut().filter(|held| held.owner == owner && held.mode == mode) {
            held.count = held.count.saturating_sub(1);
        }
        held.retain(|held| held.count > 0);
        if held.is_empty() {
            self.held.remove(lock);
        }
    }
}

impl Locks {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn acquire(
        &self,
        owner: Owner,
        lock: &Lock,
        mode: Mode,
        must_end: Option<&dyn Fn() -> Result<()>>,
    ) -> Result<bool> {
        let mut table = self.table();
        let is_free = |table: &Table| table.holders(owner, lock, mode).next().is_none();
        if is_free(&table) && !table.is_behind(owner, lock, mode) {
            table.add(owner, lock, mode);
            return Ok(true);
        }
        let Some(must_end) = must_end else { return Ok(false) };
        if table.is_deadlock(owner, lock, mode) {
            return Err(deadlock());
        }
        table.waiting.push((owner, lock.clone(), mode));
        let began = Instant::now();
        let done = loop {
            let waited = self.freed.wait_timeout(table, LOOK);
            table = waited.unwrap_or_else(PoisonError::into_inner).0;
            let is_next = !table.is_behind(owner, lock, mode) || began.elapsed() > QUEUE_TIME;
            if is_next && is_free(&table) {
                table.add(owner, lock, mode);
                break Ok(true);
            }
            if let Err(error) = must_end() {
                break Err(error);
            }
        };
        table.waiting.retain(|(waits, ..)| *waits != owner);
        drop(table);
        // Those behind it may go on.
        self.freed.notify_all();
        done
    }

    fn release(&self, owner: Owner, locks: impl Iterator<Item = (Lock, Mode)>) {
        let mut locks = locks.peekable();
        if locks.peek().is_none() {
            return;
        }
        let mut table = self.table();
        locks.for_each(|(lock, mode)| table.remove(owner, &lock, mode));
        drop(table);
        self.freed.notify_all();
    }
}

fn deadlock() -> Error {
    let error = Error::new(sqlstate::DEADLOCK_DETECTED, "deadlock detected");
    error.detail("The sessions that hold the lock wait for one that this session holds.")
}

/// The locks of a session. All are released when it is dropped.
#[derive(Debug)]
pub struct Own {
    locks: Arc<Locks>,
    owner: Owner,
    database: Arc<str>,
    session: Vec<(Key, Mode)>,
    /// In the order in which they were taken.
    transaction: Vec<(Key, Mode)>,
    /// How many locks the transaction had before each savepoint.
    marks: Vec<usize>,
}

impl Own {
    pub fn new(locks: Arc<Locks>, owner: Owner, database: &str) -> Self {
        let (session, transaction, marks) = Default::default();
        Self { locks, owner, database: database.into(), session, transaction, marks }
    }

    fn lock(&self, key: Key) -> Lock {
        (self.database.clone(), key)
    }

    /// Take a lock; without `must_end` only if it is free now. `must_end` says whether the wait is
    /// over.
    ///
    /// # Errors
    ///
    /// 40P01 where sessions would wait for each other, 53200 for too many locks, and those of
    /// `must_end`.
    pub fn take(
        &mut self,
        (key, mode, scope): (Key, Mode, Scope),
        must_end: Option<&dyn Fn() -> Result<()>>,
    ) -> Result<bool> {
        if self.session.len() + self.transaction.len() >= MAX_HELD {
            let message = format!("out of shared memory: a session holds at most {MAX_HELD} locks");
            return Err(Error::new(sqlstate::OUT_OF_MEMORY, message).hint("release some locks"));
        }
        let is_taken = self.locks.acquire(self.owner, &self.lock(key), mode, must_end)?;
        if is_taken {
            match scope {
                Scope::Session => self.session.push((key, mode)),
                Scope::Transaction => self.transaction.push((key, mode)),
            }
        }
        Ok(is_taken)
    }

    /// Release a lock of the session: whether it was held.
    pub fn release(&mut self, key: Key, mode: Mode) -> bool {
        let Some(at) = self.session.iter().rposition(|held| *held == (key, mode)) else {
            return false;
        };
        self.session.swap_remove(at);
        self.locks.release(self.owner, std::iter::once((self.lock(key), mode)));
        true
    }

    /// Release all locks of the session.
    pub fn release_all(&mut self) {
        let held = std::mem::take(&mut self.session);
        self.free(held);
    }

    /// The end of a transaction.
    pub fn end_transaction(&mut self) {
        self.marks.clear();
        let held = std::mem::take(&mut self.transaction);
        self.free(held);
    }

    fn free(&self, held: Vec<(Key, Mode)>) {
        self.locks.release(self.owner, held.into_iter().map(|(key, mode)| (self.lock(key), mode)));
    }

    /// `SAVEPOINT`.
    pub fn savepoint(&mut self) {
        self.marks.push(self.transaction.len());
    }

    /// `RELEASE SAVEPOINT`.
    pub fn release_savepoint(&mut self, mark: usize) {
        self.marks.truncate(mark);
    }

    /// `ROLLBACK TO SAVEPOINT`: what was taken after it is released.
    pub fn roll_back_to(&mut self, mark: usize) {
        self.marks.truncate(mark + 1);
        if let Some(before) = self.marks.last() {
            let held = self.transaction.split_off(*before);
            self.free(held);
        }
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        self.release_all();
        self.end_transaction();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Mode::{Exclusive, Shared};

    const A: Key = Key::One(1);
    const B: Key = Key::Two(0, 1);

    fn own(locks: &Arc<Locks>, owner: Owner) -> Own {
        Own::new(locks.clone(), owner, "d")
    }

    #[test]
    fn locks_exclude_other_sessions_and_are_counted() {
        let locks = Arc::new(Locks::default());
        let (mut one, mut two) = (own(&locks, 1), own(&locks, 2));
        let session = |key, mode| (key, mode, Scope::Session);
        assert!(one.take(session(A, Exclusive), None).unwrap());
        assert!(one.take(session(A, Exclusive), None).unwrap());
        assert!(!two.take(session(A, Shared), None).unwrap());
        assert!(two.take(session(B, Shared), None).unwrap());
        assert!(one.take(session(B, Shared), None).unwrap());
        assert!(!one.take(session(B, Exclusive), None).unwrap());
        assert!(one.release(A, Exclusive) && !one.release(A, Shared));
        assert!(!two.take(session(A, Shared), None).unwrap());
        assert!(one.release(A, Exclusive) && !one.release(A, Exclusive));
        assert!(two.take(session(A, Shared), None).unwrap());
        let mut elsewhere = Own::new(locks.clone(), 3, "e");
        assert!(elsewhere.take(session(A, Exclusive), None).unwrap());
        drop((one, two, elsewhere));
        assert!(locks.table().held.is_empty());
    }

    #[test]
    fn a_transaction_releases_its_own() {
        let locks = Arc::new(Locks::default());
        let (mut one, mut two) = (own(&locks, 1), own(&locks, 2));
        let of = |key| (key, Exclusive, Scope::Transaction);
        one.take(of(A), None).unwrap();
        one.savepoint();
        one.take(of(B), None).unwrap();
        assert!(!one.release(A, Exclusive));
        one.roll_back_to(0);
        assert!(two.take(of(B), None).unwrap() && !two.take(of(A), None).unwrap());
        one.end_transaction();
        assert!(two.take(of(A), None).unwrap());
    }

    #[test]
    fn those_who_wait_for_each_other_are_told() {
        let locks = Arc::new(Locks::default());
        let (mut one, mut two) = (own(&locks, 1), own(&locks, 2));
        let session = |key| (key, Exclusive, Scope::Session);
        one.take(session(A), None).unwrap();
        two.take(session(B), None).unwrap();
        let waits = std::thread::spawn(move || one.take(session(B), Some(&|| Ok(()))).map(|_| one));
        while locks.table().waiting.is_empty() {
            std::thread::yield_now();
        }
        assert_eq!(two.take(session(A), Some(&|| Ok(()))).unwrap_err().code, "40P01");
        two.release_all();
        drop(waits.join().unwrap().unwrap());
        let over = || Err(Error::new("57014", ""));
        let mut three = own(&locks, 3);
        three.take(session(A), None).unwrap();
        assert_eq!(two.take(session(A), Some(&over)).unwrap_err().code, "57014");
        assert!(locks.table().waiting.is_empty());
    }

    #[test]
    fn a_session_holds_a_limited_number() {
        let mut one = own(&Arc::default(), 1);
        for key in 0..MAX_HELD as i64 {
            one.take((Key::One(key), Shared, Scope::Session), None).unwrap();
        }
        let error = one.take((A, Shared, Scope::Session), None).unwrap_err();
        assert_eq!(error.code, "53200");
    }
}
