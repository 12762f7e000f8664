//! The endings of shadow tables. SQLite passes an ending to xShadowName and no module, so each list
//! of endings needs a separate callback. Modules with the same list share one.

use std::cell::RefCell;

thread_local! {
    static LISTS: RefCell<Vec<Vec<String>>> = const { RefCell::new(Vec::new()) };
}

/// The index of a list; none when there are `max` others.
pub fn index_of(endings: &[String], max: usize) -> Option<usize> {
    LISTS.with_borrow_mut(|lists| {
        let known = lists.iter().position(|list| list == endings);
        if known.is_none() && lists.len() < max {
            lists.push(endings.to_vec());
            return Some(lists.len() - 1);
        }
        known
    })
}

/// Whether the list with this index has the ending.
pub fn contains(index: usize, ending: &[u8]) -> bool {
    LISTS.with_borrow(|lists| {
        let is_it = |known: &String| known.as_bytes().eq_ignore_ascii_case(ending);
        lists.get(index).is_some_and(|list| list.iter().any(is_it))
    })
}
