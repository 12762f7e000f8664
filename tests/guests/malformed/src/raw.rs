//! The exports, as core WebAssembly has them: each answers with what was said
//! beforehand, or does what is valid.
#![allow(unsafe_code)]

use crate::valid::Valid;
use crate::wire::exports::sqlite_wasm::extension::{aggregate, extension, inline, scalar, table};
use crate::{FLAG, MANIFEST};
use std::cell::RefCell;
use std::collections::HashMap;
use std::mem::MaybeUninit;

thread_local! {
    /// Where the next answers of functions are.
    static ANSWERS: RefCell<HashMap<String, usize>> = RefCell::default();
}

/// Let the next call of `function` answer with a copy of `bytes`.
pub fn answer_with(function: String, bytes: &[u8]) {
    // In eights, so that it is aligned; nobody frees it.
    let mut copy = vec![0_u64; bytes.len().div_ceil(8).max(1)];
    for (word, bytes) in copy.iter_mut().zip(bytes.chunks(8)) {
        let mut padded = [0; 8];
        padded[..bytes.len()].copy_from_slice(bytes);
        *word = u64::from_le_bytes(padded);
    }
    answer_at(function, copy.leak().as_ptr().addr());
}

/// Let the next call of `function` answer with that address.
pub fn answer_at(function: String, address: usize) {
    ANSWERS.with_borrow_mut(|answers| answers.insert(function, address));
}

/// Forget what was said.
pub fn be_valid() {
    ANSWERS.take();
}

fn answer(function: &str, valid: impl FnOnce() -> *mut u8) -> *mut u8 {
    let said = ANSWERS.with_borrow_mut(|answers| answers.remove(function));
    said.map_or_else(valid, |address| address as *mut u8)
}

/// The manifest that a test wrote into the file, instead of the valid one.
fn manifest() -> Option<*mut u8> {
    let bytes = std::hint::black_box(&MANIFEST);
    (bytes[FLAG] != b'.').then(|| {
        let (words, _) = bytes[FLAG + 8..].as_chunks();
        let copy: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
        copy.leak().as_mut_ptr().cast()
    })
}

type Long = MaybeUninit<u64>;

macro_rules! exports {
    ($($name:ident $export:literal: $function:literal,
        $module:ident::$valid:ident($($argument:ident: $ty:ty),*);)*) => {$(
        #[unsafe(export_name = concat!("sqlite-wasm:extension/", $export))]
        unsafe extern "C" fn $name($($argument: $ty),*) -> *mut u8 {
            // SAFETY: the arguments are those of the export.
            answer($function, || unsafe { $module::$valid::<Valid>($($argument),*) })
        }
    )*};
}

exports! {
    connect "extension@0.1.0#connect": "connect", extension::_export_connect_cabi();
    call "scalar@0.1.0#call": "call",
        scalar::_export_call_cabi(a: i32, b: *mut u8, c: usize, d: *mut u8, e: usize);
    inline "inline@0.1.0#call": "inline", inline::_export_call_cabi(
        a: i32, b: i64, c: i64, d: i64, e: i64, f: i64, g: i64, h: i64, i: i64, j: i64);
    inline_pending_result "inline@0.1.0#pending-result": "inline-pending-result", inline::_export_pending_result_cabi(a: i32);
    step "aggregate@0.1.0#step": "step", aggregate::_export_step_cabi(
        a: i32, b: i32, c: i32, d: *mut u8, e: usize, f: *mut u8, g: usize);
    inverse "aggregate@0.1.0#inverse": "inverse", aggregate::_export_inverse_cabi(
        a: i32, b: i32, c: i32, d: *mut u8, e: usize, f: *mut u8, g: usize);
    value "aggregate@0.1.0#value": "value", aggregate::_export_value_cabi(a: i32);
    finish "aggregate@0.1.0#finish": "finish", aggregate::_export_finish_cabi(a: i32);
    table_connect "table@0.1.0#connect": "table-connect", table::_export_connect_cabi(
        a: i32, b: i32, c: *mut u8, d: usize, e: *mut u8, f: usize, g: *mut u8, h: usize);
    table_disconnect "table@0.1.0#disconnect": "table-disconnect",
        table::_export_disconnect_cabi(a: i32);
    table_destroy "table@0.1.0#destroy": "table-destroy", table::_export_destroy_cabi(a: i32);
    best_index "table@0.1.0#best-index": "table-best-index", table::_export_best_index_cabi(
        a: i32, b: *mut u8, c: usize, d: *mut u8, e: usize, f: i32, g: i64);
    open "table@0.1.0#open": "table-open", table::_export_open_cabi(a: i32);
    filter "table@0.1.0#filter": "table-filter", table::_export_filter_cabi(
        a: i32, b: i32, c: i32, d: *mut u8, e: usize, f: *mut u8, g: usize, h: *mut u8, i: usize,
        j: *mut u8, k: usize);
    fetch_batch "table@0.1.0#fetch-batch": "table-fetch-batch", table::_export_fetch_batch_cabi(a: i32, b: i32);
    update "table@0.1.0#update": "table-update", table::_export_update_cabi(
        a: i32, b: i32, c: i32, d: Long, e: usize, f: *mut u8, g: Long, h: usize, i: *mut u8,
        j: usize, k: *mut u8, l: usize, m: i32);
    transact "table@0.1.0#transact": "table-transact",
        table::_export_transact_cabi(a: i32, b: i32, c: i32);
    rename "table@0.1.0#rename": "table-rename",
        table::_export_rename_cabi(a: i32, b: *mut u8, c: usize);
    integrity "table@0.1.0#integrity": "table-integrity", table::_export_integrity_cabi(
        a: i32, b: *mut u8, c: usize, d: *mut u8, e: usize, f: i32);
    find_function "table@0.1.0#find-function": "table-find-function",
        table::_export_find_function_cabi(a: i32, b: i32, c: *mut u8, d: usize);
}

#[unsafe(export_name = "sqlite-wasm:extension/extension@0.1.0#describe")]
unsafe extern "C" fn describe() -> *mut u8 {
    // SAFETY: it has no arguments.
    manifest().unwrap_or_else(|| unsafe { extension::_export_describe_cabi::<Valid>() })
}

macro_rules! valid_exports {
    ($($name:ident $export:literal: $module:ident::$valid:ident($($argument:ident: $ty:ty),*)
        $(-> $result:ty)?;)*) => {$(
        #[unsafe(export_name = concat!("sqlite-wasm:extension/", $export))]
        unsafe extern "C" fn $name($($argument: $ty),*) $(-> $result)? {
            // SAFETY: the arguments are those of the export.
            unsafe { $module::$valid::<Valid>($($argument),*) }
        }
    )*};
}

// Their results are no memory.
valid_exports! {
    disconnect "extension@0.1.0#disconnect": extension::_export_disconnect_cabi();
    start "aggregate@0.1.0#start": aggregate::_export_start_cabi(a: i32) -> i32;
    abandon "aggregate@0.1.0#abandon": aggregate::_export_abandon_cabi(a: i32);
    close "table@0.1.0#close": table::_export_close_cabi(a: i32);
}
