//! The open connections: how many there may be, and which of them belong to strangers, of whom it
//! is not known yet who they are.
//!
//! Strangers cannot shut others out: when all slots are taken, the oldest stranger of the address
//! that has most of them goes, and whoever proves at once who he is gets in.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use crate::shares::{Party, Share, Shares};

/// Connections of a Unix socket beyond the others: its permissions say that they are the owner's.
const OWNERS: usize = 16;

/// WebSockets of strangers at a time: the first message of each may be as long as the longest one.
const SOCKETS: usize = 32;

/// All connections.
#[derive(Debug)]
pub struct Connections {
    open: Arc<Semaphore>,
    owners: Arc<Semaphore>,
    count: usize,
    /// `None` if there is only one user.
    shares: Option<Arc<Shares>>,
    strangers: Mutex<Strangers>,
}

#[derive(Debug, Default)]
struct Strangers {
    next: u64,
    /// From the oldest to the newest.
    all: VecDeque<Stranger>,
}

#[derive(Debug)]
struct Stranger {
    number: u64,
    address: IpAddr,
    is_socket: bool,
    permit: OwnedSemaphorePermit,
    stay: Stay,
}

/// Dropped when a connection must end.
type Stay = oneshot::Sender<()>;

/// A slot, and what ends when its connection must.
pub type Begun = (Arc<Place>, oneshot::Receiver<()>);

/// The slot of a connection, until it is dropped.
#[derive(Debug)]
pub struct Place {
    of: Arc<Connections>,
    /// None of a Unix socket.
    pub address: Option<IpAddr>,
    /// Its id among the strangers.
    number: u64,
    known: Mutex<Option<Known>>,
}

/// What a connection has whose client is known.
#[derive(Debug)]
struct Known {
    _permit: OwnedSemaphorePermit,
    _stay: Stay,
    _share: Option<Share>,
}

impl Connections {
    /// Allow `count` connections, of which a user has a share if there are several.
    pub fn new(count: usize, has_users: bool) -> Arc<Self> {
        Arc::new(Self {
            open: Arc::new(Semaphore::new(count)),
            owners: Arc::new(Semaphore::new(OWNERS)),
            count,
            shares: has_users.then(|| Shares::new(count - count.div_ceil(10))),
            strangers: Mutex::default(),
        })
    }

    /// A slot for a connection from this address, or of the owner by a Unix socket, and what ends
    /// when it must; `None` when all are taken.
    pub fn begin(self: &Arc<Self>, address: Option<IpAddr>) -> Option<Begun> {
        self.place(address, false)
    }

    fn place(self: &Arc<Self>, address: Option<IpAddr>, is_socket: bool) -> Option<Begun> {
        let mut strangers = self.strangers();
        let owners = || self.owners.clone().try_acquire_owned().ok().filter(|_| address.is_none());
        let permit = self.open.clone().try_acquire_owned().ok().or_else(owners);
        // Where all are taken, a stranger makes room.
        let permit = permit.or_else(|| strangers.expel(false).map(|stranger| stranger.permit))?;
        let (stay, ends) = oneshot::channel();
        strangers.next += 1;
        let number = strangers.next;
        let known = match address {
            Some(address) => {
                if is_socket && strangers.sockets() >= SOCKETS {
                    strangers.expel(true);
                }
                strangers.all.push_back(Stranger { number, address, is_socket, permit, stay });
                None
            }
            None => Some(Known { _permit: permit, _stay: stay, _share: None }),
        };
        let (of, known) = (self.clone(), Mutex::new(known));
        Some((Arc::new(Place { of, address, number, known }), ends))
    }

    /// Wait until all have ended.
    pub async fn all_ended(&self) {
        let all = u32::try_from(self.count).unwrap_or(u32::MAX);
        let _ = tokio::join!(self.open.acquire_many(all), self.owners.acquire_many(OWNERS as u32));
    }

    fn strangers(&self) -> MutexGuard<'_, Strangers> {
        self.strangers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Strangers {
    fn sockets(&self) -> usize {
        self.all.iter().filter(|one| one.is_socket).count()
    }

    fn remove(&mut self, number: u64) -> Option<Stranger> {
        let place = self.all.iter().position(|one| one.number == number)?;
        self.all.remove(place)
    }

    /// Let the oldest of the address with the most strangers go, of WebSockets or of all.
    fn expel(&mut self, only_sockets: bool) -> Option<Stranger> {
        let is_such = |one: &Stranger| one.is_socket || !only_sockets;
        let mut counts: HashMap<IpAddr, usize> = HashMap::new();
        let such = self.all.iter().filter(|one| is_such(one));
        such.for_each(|one| *counts.entry(one.address).or_default() += 1);
        let most = counts.values().max().copied();
        let is_it = |one: &Stranger| is_such(one) && counts.get(&one.address).copied() == most;
        let place = self.all.iter().position(is_it)?;
        self.all.remove(place)
    }
}

impl Place {
    /// It is known whose connection it is: whether the user may have one more.
    pub fn is_of(&self, user: &str) -> bool {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.is_some() {
            return true;
        }
        let share = self.of.shares.as_ref().map(|shares| shares.take(Party::User(user.to_owned())));
        let share = match share {
            Some(None) => return false,
            share => share.flatten(),
        };
        // Where it was let go meanwhile, it ends.
        let Some(Stranger { permit, stay, .. }) = self.of.strangers().remove(self.number) else {
            return false;
        };
        *known = Some(Known { _permit: permit, _stay: stay, _share: share });
        true
    }

    /// A slot for the WebSocket that goes on where this connection of HTTP ends.
    pub fn upgraded(&self) -> Option<Begun> {
        self.of.place(self.address, true)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.of.strangers().remove(self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: Option<IpAddr> = Some(IpAddr::V4(std::net::Ipv4Addr::LOCALHOST));
    const THERE: Option<IpAddr> = Some(IpAddr::V4(std::net::Ipv4Addr::BROADCAST));

    fn has_ended(begun: &mut Begun) -> bool {
        begun.1.try_recv() == Err(oneshot::error::TryRecvError::Closed)
    }

    #[test]
    fn strangers_shut_nobody_out() {
        let connections = Connections::new(3, true);
        let begin = |address| connections.begin(address).unwrap();
        let (mut first, mut other) = (begin(HERE), begin(THERE));
        let mut second = begin(HERE);
        assert!(second.0.is_of("a") && second.0.is_of("a"));
        // All slots are taken: the oldest of the clients that have not identified themselves goes.
        let mut third = begin(HERE);
        assert!(has_ended(&mut first) && !first.0.is_of("a"));
        drop(first);
        let _fourth = begin(THERE);
        let _fifth = begin(HERE);
        assert!(has_ended(&mut other) && has_ended(&mut third) && !has_ended(&mut second));
    }

    #[test]
    fn a_user_leaves_some_for_others_and_the_owner_gets_in() {
        let connections = Connections::new(8, true);
        let mut held = Vec::new();
        for place in 0..8 {
            held.push(connections.begin(HERE).unwrap());
            // A tenth is for others.
            assert_eq!(held[place].0.is_of("a"), place < 7);
        }
        // A stranger makes room for the next one.
        held.push(connections.begin(HERE).unwrap());
        assert!(has_ended(&mut held[7]) && !held[7].0.is_of("b") && held[8].0.is_of("b"));
        assert!(connections.begin(HERE).is_none());
        held.push(connections.begin(None).unwrap());
        assert!(held[9].0.is_of("a"));
    }
}
