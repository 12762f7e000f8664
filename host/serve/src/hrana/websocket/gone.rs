//! Streams that have ended while their socket goes on.

use std::collections::VecDeque;

use super::MAX_STREAMS;
use crate::session::control::Ended;
use crate::session::error::Error;

/// The last ones, and why they have ended if that is known: the reply to each request for one says so.
#[derive(Debug, Default)]
pub struct Gone(VecDeque<(i32, Option<Ended>)>);

impl Gone {
    /// This one has ended.
    pub fn note(&mut self, stream: i32, why: Option<Ended>) -> Error {
        if self.0.len() == MAX_STREAMS {
            self.0.pop_front();
        }
        self.0.push_back((stream, why));
        error(why)
    }

    /// Its id is used again, or the client has closed it.
    pub fn forget(&mut self, stream: i32) {
        self.0.retain(|(gone, _)| *gone != stream);
    }

    /// Why it is gone, if it has ended.
    pub fn why(&self, stream: i32) -> Option<Error> {
        self.0.iter().find(|(gone, _)| *gone == stream).map(|(_, why)| error(*why))
    }
}

fn error(why: Option<Ended>) -> Error {
    why.map_or(Error::Gone, Error::Ended)
}
