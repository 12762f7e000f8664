//! Imports that SQLite waits for with each page, row or call, declared by hand in their lowered
//! form: the generated bindings would copy every value twice.

use std::mem::MaybeUninit;

use wire::InlineValue;

use super::layout::{Argument, Batch, HostBatch, HostOption, HostResult, Output, Rows};
use super::libc::{HostList, allocation_count, receive_into};
use crate::host::dispatch::SqlError;
use crate::host::files::{ErrorCode, File};

type ImportRows = unsafe extern "C" fn(
    extension: u32,
    accumulator: u32,
    count: u32,
    width: u32,
    rows: *const Argument,
    values: usize,
    subtypes: *const u8,
    subtypes_count: usize,
    result: *mut HostResult<()>,
);

#[link(wasm_import_module = "sqlite-wasm:host/dispatch@0.1.0")]
unsafe extern "C" {
    #[link_name = "scalar-call"]
    fn import_scalar_call(
        extension: u32,
        function: u32,
        arguments: *const Argument,
        count: usize,
        subtypes: *const u8,
        subtypes_count: usize,
        result: *mut HostResult<Output>,
    );
    #[link_name = "unary-call"]
    fn import_unary_call(
        extension: u32,
        function: u32,
        head: u32,
        word_0: u64,
        word_1: u64,
        word_2: u64,
        word_3: u64,
        word_4: u64,
        word_5: u64,
        word_6: u64,
        word_7: u64,
        result: *mut HostOption<InlineValue>,
    );
    #[link_name = "unary-pending-result"]
    fn import_unary_pending_result(extension: u32, function: u32, result: *mut HostResult<Output>);
    #[link_name = "aggregate-step"]
    fn import_aggregate_step(
        extension: u32,
        accumulator: u32,
        count: u32,
        width: u32,
        rows: *const Argument,
        values: usize,
        subtypes: *const u8,
        subtypes_count: usize,
        result: *mut HostResult<()>,
    );
    #[link_name = "aggregate-inverse"]
    fn import_aggregate_inverse(
        extension: u32,
        accumulator: u32,
        count: u32,
        width: u32,
        rows: *const Argument,
        values: usize,
        subtypes: *const u8,
        subtypes_count: usize,
        result: *mut HostResult<()>,
    );
    #[link_name = "aggregate-value"]
    fn import_aggregate_value(extension: u32, accumulator: u32, result: *mut HostResult<Output>);
    #[link_name = "aggregate-finish"]
    fn import_aggregate_finish(extension: u32, accumulator: u32, result: *mut HostResult<Output>);
    #[link_name = "table-fetch-batch"]
    fn import_fetch_batch(
        extension: u32,
        cursor: u32,
        limit: u32,
        result: *mut HostResult<HostBatch>,
    );
}

#[link(wasm_import_module = "sqlite-wasm:host/files@0.1.0")]
unsafe extern "C" {
    #[link_name = "read"]
    fn import_read(file: u32, offset: u64, length: u32, result: *mut HostResult<HostList<u8>, u8>);
}

/// What `import` stores at the address that it is given.
///
/// # Safety
///
/// `import` stores a whole `T` there.
#[inline(always)]
unsafe fn returned<T>(import: impl FnOnce(*mut T)) -> T {
    let mut result = MaybeUninit::uninit();
    import(result.as_mut_ptr());
    // SAFETY: the caller's promise.
    unsafe { result.assume_init() }
}

/// `dispatch.scalar-call`.
pub fn scalar_call(
    extension: u32,
    function: u32,
    arguments: &[Argument],
    subtypes: &[u8],
) -> Result<Output, SqlError> {
    let (values, count) = (arguments.as_ptr(), arguments.len());
    // SAFETY: the lowered form of `scalar-call`; both lists outlive the call.
    let result = unsafe {
        returned(|result| {
            let (subtypes, subtypes_count) = (subtypes.as_ptr(), subtypes.len());
            import_scalar_call(
                extension,
                function,
                values,
                count,
                subtypes,
                subtypes_count,
                result,
            );
        })
    };
    result.into_result()
}

/// `dispatch.unary-call`.
#[inline(always)]
pub fn unary_call(extension: u32, function: u32, argument: &InlineValue) -> Option<InlineValue> {
    let InlineValue { head, words: [a, b, c, d, e, f, g, h] } = *argument;
    // SAFETY: the lowered form of `unary-call`, whose argument is one record of numbers.
    let result = unsafe {
        returned(|result| {
            import_unary_call(extension, function, head, a, b, c, d, e, f, g, h, result);
        })
    };
    match result {
        HostOption::None => None,
        HostOption::Some(value) => Some(value),
    }
}

/// `dispatch.unary-pending-result`.
pub fn unary_pending_result(extension: u32, function: u32) -> Result<Output, SqlError> {
    // SAFETY: the lowered form of `unary-pending-result`.
    let result =
        unsafe { returned(|result| import_unary_pending_result(extension, function, result)) };
    result.into_result()
}

/// `dispatch.aggregate-step`.
pub fn aggregate_step(extension: u32, accumulator: u32, rows: &Rows) -> Result<(), SqlError> {
    // SAFETY: the import has the signature of the type.
    unsafe { send_rows(import_aggregate_step, extension, accumulator, rows) }
}

/// `dispatch.aggregate-inverse`.
pub fn aggregate_inverse(extension: u32, accumulator: u32, rows: &Rows) -> Result<(), SqlError> {
    // SAFETY: as for `aggregate_step`: both functions take the same.
    unsafe { send_rows(import_aggregate_inverse, extension, accumulator, rows) }
}

/// # Safety
///
/// `import` is `aggregate-step` or `aggregate-inverse` in its lowered form.
unsafe fn send_rows(
    import: ImportRows,
    extension: u32,
    accumulator: u32,
    rows: &Rows,
) -> Result<(), SqlError> {
    let Rows { count, width, values, subtypes } = rows;
    // SAFETY: the caller's import; the rows outlive the call.
    let result = unsafe {
        returned(|result| {
            let (rows, values) = (values.as_ptr(), values.len());
            let (subtypes, subtypes_count) = (subtypes.as_ptr(), subtypes.len());
            import(
                extension,
                accumulator,
                *count,
                *width,
                rows,
                values,
                subtypes,
                subtypes_count,
                result,
            );
        })
    };
    result.into_result()
}

/// `dispatch.aggregate-value`.
pub fn aggregate_value(extension: u32, accumulator: u32) -> Result<Output, SqlError> {
    // SAFETY: the lowered form of `aggregate-value`.
    let result =
        unsafe { returned(|result| import_aggregate_value(extension, accumulator, result)) };
    result.into_result()
}

/// `dispatch.aggregate-finish`.
pub fn aggregate_finish(extension: u32, accumulator: u32) -> Result<Output, SqlError> {
    // SAFETY: the lowered form of `aggregate-finish`.
    let result =
        unsafe { returned(|result| import_aggregate_finish(extension, accumulator, result)) };
    result.into_result()
}

/// `dispatch.table-fetch-batch`.
pub fn fetch_batch(extension: u32, cursor: u32, limit: u32) -> Result<Batch, SqlError> {
    let before = allocation_count();
    // SAFETY: the lowered form of `table-fetch-batch`.
    let result = unsafe { returned(|result| import_fetch_batch(extension, cursor, limit, result)) };
    let rows = result.into_result()?;
    Ok(Batch::new(rows, allocation_count().wrapping_sub(before)))
}

/// Read from `offset` on until `buffer` is full or the file ends; the number of bytes read.
///
/// The host stores the bytes in `buffer` itself. A point read through the cache takes a third less
/// time than with the generated bindings.
pub fn read_into(file: File, offset: u64, buffer: &mut [u8]) -> Result<usize, ErrorCode> {
    let length = u32::try_from(buffer.len()).map_err(|_| ErrorCode::Invalid)?;
    let start = buffer.as_ptr();
    let result = receive_into(buffer, || {
        // SAFETY: the lowered form of `files.read`.
        unsafe { returned(|result| import_read(file, offset, length, result)) }
    });
    match result {
        HostResult::Err(error) => Err(error_code(error)),
        HostResult::Ok(list) => {
            let (data, count) = list.into_raw();
            // A list that is too long for the buffer is ignored.
            if count > 0 && !std::ptr::eq(data, start) { Err(ErrorCode::Io) } else { Ok(count) }
        }
    }
}

fn error_code(code: u8) -> ErrorCode {
    const FULL: u8 = ErrorCode::Full as u8;
    const INVALID: u8 = ErrorCode::Invalid as u8;
    match code {
        FULL => ErrorCode::Full,
        INVALID => ErrorCode::Invalid,
        _ => ErrorCode::Io,
    }
}
