//! Backups of the program's connections.

use std::cell::RefCell;
use std::rc::Rc;

use libsqlite3_sys as sqlite;
use wire::Progress;

use super::open;
use super::{Opened, c_name, get, missing};
use crate::host::dispatch::SqlError;
use crate::sqlite::backup::Backup;
use crate::sqlite::connection::OpenConnection;
use crate::sqlite::error::failure;

/// Most backups at a time: each has its own connection.
const MAX_BACKUPS: usize = 64;

/// A backup in progress. Its parts end in this order.
struct Running {
    backup: RefCell<Backup>,
    /// The connection to its file.
    _file: OpenConnection,
    _opened: Rc<Opened>,
    connection: u32,
}

thread_local! {
    static BACKUPS: RefCell<Vec<Option<Rc<Running>>>> = const { RefCell::new(Vec::new()) };
}

/// Begin to copy a database of a connection to the file at `path`, or from there: the backup's
/// number.
pub fn start(connection: u32, schema: &[u8], path: &[u8], restore: bool) -> Result<u32, SqlError> {
    let opened = get(connection)?;
    let schema = c_name(schema)?;
    let number =
        BACKUPS.with_borrow(|all| all.iter().position(Option::is_none).unwrap_or(all.len()));
    if number >= MAX_BACKUPS {
        let message = format!("{MAX_BACKUPS} backups are running already");
        return Err(failure(sqlite::SQLITE_MISUSE, &message));
    }
    let flags = match restore {
        true => sqlite::SQLITE_OPEN_READONLY,
        false => sqlite::SQLITE_OPEN_READWRITE | sqlite::SQLITE_OPEN_CREATE,
    };
    let file = open::connect(path, flags, 0)?;
    let (own, other) = ((&*opened.db, &*schema), (&*file, c"main"));
    let backup = match restore {
        true => Backup::start(own, other),
        false => Backup::start(other, own),
    };
    let backup = RefCell::new(backup?);
    let running = Rc::new(Running { backup, _file: file, _opened: opened, connection });
    BACKUPS.with_borrow_mut(|all| match all.get_mut(number) {
        Some(place) => *place = Some(running),
        None => all.push(Some(running)),
    });
    Ok(number as u32)
}

/// Copy pages, or all that remain.
pub fn step(backup: u32, pages: i32) -> Result<Progress, SqlError> {
    let running = BACKUPS.with_borrow(|all| all.get(backup as usize).cloned().flatten());
    let running = running.ok_or_else(missing)?;
    let mut backup = running.backup.try_borrow_mut().map_err(|_| busy())?;
    backup.step(pages).map_err(|code| failure(code, ""))
}

/// A callback during its step.
fn busy() -> SqlError {
    failure(sqlite::SQLITE_MISUSE, "the backup is running")
}

/// End a backup.
pub fn finish(backup: u32) -> Result<(), SqlError> {
    let ended = BACKUPS.with_borrow_mut(|all| all.get_mut(backup as usize)?.take());
    ended.map(drop).ok_or_else(missing)
}

/// How many backups a connection has.
pub fn count_of(connection: u32) -> usize {
    let its = |running: &&Rc<Running>| running.connection == connection;
    BACKUPS.with_borrow(|all| all.iter().flatten().filter(its).count())
}

/// End the backups of a connection.
pub fn finish_all_of(connection: u32) {
    let is_its = |running: &mut Rc<Running>| running.connection == connection;
    let ended: Vec<_> = BACKUPS.with_borrow_mut(|all| {
        all.iter_mut().filter_map(|backup| backup.take_if(is_its)).collect()
    });
    drop(ended);
}
