//! The text of a plan, which SQLite passes from xBestIndex to xFilter.
//!
//! SQLite stores one text for a plan. The engine's text begins with the mask of used columns, which
//! is known only during xBestIndex, in 16 hexadecimal digits.

use std::ffi::{CStr, CString};

use crate::extensions::pointers;
use crate::host::dispatch;
use crate::host::table_types::{FilterArgument, IndexPlan};
use crate::sqlite::index_info::IndexInfo;
use crate::sqlite::value::Value;

/// Hexadecimal digits of the column mask.
const MASK_DIGITS: usize = 16;

/// The bit that stands for all columns from 63 on.
const MANY_COLUMNS: u32 = 63;

/// Pass a plan to SQLite. The error describes an invalid plan.
pub fn set_plan(info: &IndexInfo, plan: &IndexPlan) -> Result<(), &'static str> {
    let mask = format!("{:016x}", info.columns_used());
    let text = [mask.as_bytes(), plan.text.as_deref().unwrap_or_default()].concat();
    let text = CString::new(text).map_err(|_| "the text of a plan has a NUL")?;
    info.set_plan(plan, &text);
    Ok(())
}

/// The columns to fetch, of `columns`, and the extension's text, both from the text of a plan.
pub fn carried(text: &CStr, columns: u32) -> (Vec<u32>, Option<Vec<u8>>) {
    let (mask, text) = text.to_bytes().split_at(MASK_DIGITS);
    let mask = str::from_utf8(mask).ok().and_then(|mask| u64::from_str_radix(mask, 16).ok());
    let mask = mask.unwrap_or(u64::MAX);
    let is_used = |column: &u32| mask >> (*column).min(MANY_COLUMNS) & 1 != 0;
    ((0..columns).filter(is_used).collect(), (!text.is_empty()).then(|| text.to_owned()))
}

/// An argument of xFilter for an extension; `every` is a whole IN list.
pub fn argument(value: &Value, extension: u32) -> FilterArgument {
    if let Some(handle) = pointers::handle(value.pointer(), extension) {
        return FilterArgument::One(dispatch::Value::Integer(handle));
    }
    match value.in_list() {
        Some(list) => FilterArgument::Every(list),
        None => FilterArgument::One(value.to_value()),
    }
}
