//! Plans: SQLite's question for an index, the answer, and what a plan carries
//! from there to the scan.
//!
//! SQLite keeps one text for a plan. Ours begins with the mask of the columns
//! that are used, in 16 hexadecimal digits, which is known only while planning.

use std::ffi::{CStr, CString, c_char, c_int};
use std::slice;

use libsqlite3_sys as sqlite;
use sqlite::{sqlite3_index_info, sqlite3_value};

use super::super::abi::owned;
use super::super::pointers;
use crate::host::dispatch::Value;
use crate::host::table_types::{
    Constraint, Distinctness, FilterArgument, IndexInfo, IndexPlan, Operator, OrderTerm,
};

/// Hexadecimal digits of the column mask.
const MASK_DIGITS: usize = 16;

/// The bit that stands for all columns from 63 on.
const MANY_COLUMNS: u32 = 63;

/// # Safety
///
/// `info` is xBestIndex's.
pub unsafe fn question(info: *mut sqlite3_index_info) -> IndexInfo {
    // SAFETY: SQLite's own structure.
    unsafe {
        let order = items((*info).aOrderBy, (*info).nOrderBy);
        IndexInfo {
            constraints: (0..(*info).nConstraint).map(|place| constraint(info, place)).collect(),
            order: order
                .iter()
                .map(|term| OrderTerm { column: term.iColumn, descending: term.desc != 0 })
                .collect(),
            distinctness: match sqlite::sqlite3_vtab_distinct(info) {
                1 => Distinctness::Grouped,
                2 => Distinctness::Distinct,
                3 => Distinctness::DistinctOrdered,
                _ => Distinctness::Ordered,
            },
            columns_used: (*info).colUsed,
        }
    }
}

/// # Safety
///
/// `list` has `count` items, or is null with 0.
unsafe fn items<'a, T>(list: *mut T, count: c_int) -> &'a [T] {
    if count == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { slice::from_raw_parts(list, count as usize) }
}

/// # Safety
///
/// `info` is xBestIndex's, and `place` one of its constraints.
unsafe fn constraint(info: *mut sqlite3_index_info, place: c_int) -> Constraint {
    // SAFETY: the caller's promise.
    unsafe {
        let raw = &*(*info).aConstraint.add(place as usize);
        let mut right = std::ptr::null_mut();
        let is_known = sqlite::sqlite3_vtab_rhs_value(info, place, &mut right) == sqlite::SQLITE_OK;
        Constraint {
            column: raw.iColumn,
            operator: operator(raw.op),
            usable: raw.usable != 0,
            right: (is_known && !right.is_null()).then(|| owned(right)),
            collation: CStr::from_ptr(sqlite::sqlite3_vtab_collation(info, place))
                .to_string_lossy()
                .into_owned(),
            is_in_list: sqlite::sqlite3_vtab_in(info, place, -1) != 0,
        }
    }
}

fn operator(code: u8) -> Operator {
    match c_int::from(code) {
        sqlite::SQLITE_INDEX_CONSTRAINT_EQ => Operator::Equal,
        sqlite::SQLITE_INDEX_CONSTRAINT_GT => Operator::Greater,
        sqlite::SQLITE_INDEX_CONSTRAINT_LE => Operator::LessOrEqual,
        sqlite::SQLITE_INDEX_CONSTRAINT_LT => Operator::Less,
        sqlite::SQLITE_INDEX_CONSTRAINT_GE => Operator::GreaterOrEqual,
        sqlite::SQLITE_INDEX_CONSTRAINT_MATCH => Operator::Match,
        sqlite::SQLITE_INDEX_CONSTRAINT_LIKE => Operator::Like,
        sqlite::SQLITE_INDEX_CONSTRAINT_GLOB => Operator::Glob,
        sqlite::SQLITE_INDEX_CONSTRAINT_REGEXP => Operator::Regexp,
        sqlite::SQLITE_INDEX_CONSTRAINT_NE => Operator::NotEqual,
        sqlite::SQLITE_INDEX_CONSTRAINT_ISNOT => Operator::IsNot,
        sqlite::SQLITE_INDEX_CONSTRAINT_ISNOTNULL => Operator::IsNotNull,
        sqlite::SQLITE_INDEX_CONSTRAINT_ISNULL => Operator::IsNull,
        sqlite::SQLITE_INDEX_CONSTRAINT_IS => Operator::Is,
        sqlite::SQLITE_INDEX_CONSTRAINT_LIMIT => Operator::Limit,
        sqlite::SQLITE_INDEX_CONSTRAINT_OFFSET => Operator::Offset,
        _ => Operator::Function(code),
    }
}

/// Give a plan to SQLite. Uses for constraints that do not exist are left out;
/// the error is what is wrong with the plan.
///
/// # Safety
///
/// `info` is xBestIndex's.
pub unsafe fn answer(info: *mut sqlite3_index_info, plan: &IndexPlan) -> Result<(), &'static str> {
    // SAFETY: SQLite's own structure.
    let used = unsafe { (*info).colUsed };
    let text = format!("{used:016x}{}", plan.text.as_deref().unwrap_or_default());
    let text = CString::new(text).map_err(|_| "the text of a plan has a NUL")?;
    // SAFETY: SQLite's own structure, with a use for each constraint.
    unsafe {
        for (place, used) in plan.uses.iter().enumerate().take((*info).nConstraint as usize) {
            let place_of_use = &mut *(*info).aConstraintUsage.add(place);
            place_of_use.argvIndex = used.argument as c_int;
            place_of_use.omit = u8::from(used.omit);
            if used.whole_list {
                sqlite::sqlite3_vtab_in(info, place as c_int, 1);
            }
        }
        (*info).idxNum = plan.number;
        (*info).idxStr = sqlite::sqlite3_mprintf(c"%s".as_ptr(), text.as_ptr());
        (*info).needToFreeIdxStr = 1;
        (*info).orderByConsumed = c_int::from(plan.order_consumed);
        (*info).estimatedCost = plan.cost;
        (*info).estimatedRows = plan.rows;
        if plan.unique {
            (*info).idxFlags |= sqlite::SQLITE_INDEX_SCAN_UNIQUE;
        }
    }
    Ok(())
}

/// What the plan's text carries: the columns to fetch, and the extension's own
/// text.
///
/// # Safety
///
/// `text` is one that [`answer`] made.
pub unsafe fn carried(text: *const c_char, columns: u32) -> (Vec<u32>, Option<String>) {
    // SAFETY: the caller's promise.
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
    let (mask, own) = text.split_at(MASK_DIGITS);
    let mask = u64::from_str_radix(mask, 16).unwrap_or(u64::MAX);
    let columns =
        (0..columns).filter(|column| mask >> (*column).min(MANY_COLUMNS) & 1 != 0).collect();
    (columns, (!own.is_empty()).then(|| own.to_owned()))
}

/// An argument of xFilter, for the extension of that number; IN lists as a whole
/// are seen by their kind.
///
/// # Safety
///
/// `value` is one of xFilter's.
pub unsafe fn argument(value: *mut sqlite3_value, extension: u32) -> FilterArgument {
    // SAFETY: the caller's promise. A value that is no list gives an error.
    unsafe {
        if let Some(number) = pointers::number(value, extension) {
            return FilterArgument::One(Value::Integer(number));
        }
        let mut item = std::ptr::null_mut();
        let mut code = sqlite::sqlite3_vtab_in_first(value, &mut item);
        if code != sqlite::SQLITE_OK && code != sqlite::SQLITE_DONE {
            return FilterArgument::One(owned(value));
        }
        let mut list = Vec::new();
        while code == sqlite::SQLITE_OK && !item.is_null() {
            list.push(owned(item));
            code = sqlite::sqlite3_vtab_in_next(value, &mut item);
        }
        FilterArgument::Every(list)
    }
}

/// The subtypes of values; empty where none has one.
///
/// # Safety
///
/// `values` are those of xFilter or xUpdate.
pub unsafe fn subtypes(values: &[*mut sqlite3_value]) -> Vec<u8> {
    let subtypes: Vec<u8> = values
        .iter()
        // SAFETY: the caller's promise.
        .map(|value| unsafe { sqlite::sqlite3_value_subtype(*value) as u8 })
        .collect();
    if subtypes.iter().all(|subtype| *subtype == 0) { Vec::new() } else { subtypes }
}
