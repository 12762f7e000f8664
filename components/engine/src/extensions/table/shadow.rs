//! Shadow tables: which endings of names belong to which module.
//!
//! SQLite asks a module's xShadowName for an ending, and does not say of which
//! module. So each list of endings has a function of its own, out of a fixed
//! stock; modules with the same list share one.

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_int};

/// SQLite's xShadowName.
type Asked = unsafe extern "C" fn(*const c_char) -> c_int;

/// Different lists of endings at most. SQLite's own modules have four.
const MAX_LISTS: usize = 32;

/// The list of each function, none for those not in use.
struct Lists(RefCell<Vec<Vec<String>>>);

// SAFETY: a component has one thread.
unsafe impl Sync for Lists {}

static LISTS: Lists = Lists(RefCell::new(Vec::new()));

/// The function for these endings: none for no endings, an error when there
/// are too many lists.
pub fn asked(endings: &[String]) -> Result<Option<Asked>, ()> {
    if endings.is_empty() {
        return Ok(None);
    }
    let mut lists = LISTS.0.borrow_mut();
    let known = lists.iter().position(|list| list == endings);
    let place = known.unwrap_or(lists.len());
    let function = *STOCK.get(place).ok_or(())?;
    if known.is_none() {
        lists.push(endings.to_vec());
    }
    Ok(Some(function))
}

unsafe extern "C" fn ask<const LIST: usize>(ending: *const c_char) -> c_int {
    // SAFETY: SQLite's own argument.
    let ending = unsafe { CStr::from_ptr(ending) }.to_bytes();
    let lists = LISTS.0.borrow();
    let has = |list: &Vec<String>| list.iter().any(|e| e.as_bytes().eq_ignore_ascii_case(ending));
    c_int::from(lists.get(LIST).is_some_and(has))
}

macro_rules! stock {
    ($($list:literal)*) => { [$(ask::<$list>),*] };
}

const STOCK: [Asked; MAX_LISTS] = stock! {
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
    16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
};
