//! Imports that SQLite waits for with each page, row or call, declared by hand in their lowered
//! form: the generated bindings would copy every value twice.

use std::mem::MaybeUninit;

use wire::InlineArguments;

use super::layout::{Argument, Batch, HostBatch, HostResult, InlineOutcome, Output, Rows};
use super::libc::{HostList, allocation_count, receive_into};
use crate::host::dispatch::{SqlError, Unfinished};
use crate::host::files::{ErrorCode, File};

/// SQLite's reply to a request.
pub type Reply = Result<Vec<u8>, SqlError>;

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
    #[link_name = "resume-output"]
    fn import_resume_output(
        extension: u32,
        is_failure: u32,
        first: usize,
        second: usize,
        third: usize,
        result: *mut HostResult<Output>,
    );
    #[link_name = "inline-call"]
    fn import_inline_call(
        extension: u32,
        function: u32,
        heads: u64,
        word_0: u64,
        word_1: u64,
        word_2: u64,
        word_3: u64,
        word_4: u64,
        word_5: u64,
        word_6: u64,
        word_7: u64,
        result: *mut InlineOutcome,
    );
    #[link_name = "inline-pending-result"]
    fn import_inline_pending_result(extension: u32, function: u32, result: *mut HostResult<Output>);
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
    #[link_name = "resume-batch"]
    fn import_resume_batch(
        extension: u32,
        is_failure: u32,
        first: usize,
        second: usize,
        third: usize,
        result: *mut HostResult<HostBatch>,
    );
}

#[link(wasm_import_module = "sqlite-wasm:host/files@0.1.0")]
unsafe extern "C" {
    #[link_name = "read"]
    fn import_read(file: u32, offset: u64, length: u32, result: *mut HostResult<HostList<u8>, u8>);
}

/// The value that `import` stores at the address that it receives.
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
) -> Result<Output, Unfinished> {
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

/// The parts of a reply in their lowered form.
fn lowered(reply: &Reply) -> (u32, usize, usize, usize) {
    match reply {
        Ok(reply) => (0, reply.as_ptr().addr(), reply.len(), 0),
        Err(SqlError { code, message }) => {
            (1, code.cast_unsigned() as usize, message.as_ptr().addr(), message.len())
        }
    }
}

/// `dispatch.resume-output`.
pub fn resume_output(extension: u32, reply: &Reply) -> Result<Output, Unfinished> {
    let (is_failure, a, b, c) = lowered(reply);
    // SAFETY: the lowered form of `resume-output`; the reply outlives the call.
    let result =
        unsafe { returned(|result| import_resume_output(extension, is_failure, a, b, c, result)) };
    result.into_result()
}

/// `dispatch.inline-call`.
#[inline(always)]
pub fn inline_call(extension: u32, function: u32, arguments: &InlineArguments) -> InlineOutcome {
    let InlineArguments { heads, words: [a, b, c, d, e, f, g, h] } = *arguments;
    // SAFETY: the lowered form of `inline-call`, whose arguments are one record of integers.
    unsafe {
        returned(|result| {
            import_inline_call(extension, function, heads, a, b, c, d, e, f, g, h, result);
        })
    }
}

/// `dispatch.inline-pending-result`.
pub fn inline_pending_result(extension: u32, function: u32) -> Result<Output, Unfinished> {
    // SAFETY: the lowered form of `inline-pending-result`.
    let result =
        unsafe { returned(|result| import_inline_pending_result(extension, function, result)) };
    result.into_result()
}

/// `dispatch.aggregate-step`.
pub fn aggregate_step(extension: u32, accumulator: u32, rows: &Rows) -> Result<(), Unfinished> {
    // SAFETY: the import has the signature of the type.
    unsafe { send_rows(import_aggregate_step, extension, accumulator, rows) }
}

/// `dispatch.aggregate-inverse`.
pub fn aggregate_inverse(extension: u32, accumulator: u32, rows: &Rows) -> Result<(), Unfinished> {
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
) -> Result<(), Unfinished> {
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
pub fn aggregate_value(extension: u32, accumulator: u32) -> Result<Output, Unfinished> {
    // SAFETY: the lowered form of `aggregate-value`.
    let result =
        unsafe { returned(|result| import_aggregate_value(extension, accumulator, result)) };
    result.into_result()
}

/// `dispatch.aggregate-finish`.
pub fn aggregate_finish(extension: u32, accumulator: u32) -> Result<Output, Unfinished> {
    // SAFETY: the lowered form of `aggregate-finish`.
    let result =
        unsafe { returned(|result| import_aggregate_finish(extension, accumulator, result)) };
    result.into_result()
}

/// `dispatch.table-fetch-batch`.
pub fn fetch_batch(extension: u32, cursor: u32, limit: u32) -> Result<Batch, Unfinished> {
    // SAFETY: the lowered form of `table-fetch-batch`.
    received(|| unsafe { returned(|result| import_fetch_batch(extension, cursor, limit, result)) })
}

/// `dispatch.resume-batch`.
pub fn resume_batch(extension: u32, reply: &Reply) -> Result<Batch, Unfinished> {
    let (is_failure, a, b, c) = lowered(reply);
    // SAFETY: the lowered form of `resume-batch`; the reply outlives the call.
    received(|| unsafe {
        returned(|result| import_resume_batch(extension, is_failure, a, b, c, result))
    })
}

/// The batch that `import` returns.
fn received(import: impl FnOnce() -> HostResult<HostBatch>) -> Result<Batch, Unfinished> {
    let before = allocation_count();
    let rows = import().into_result()?;
    Ok(Batch::new(rows, allocation_count().wrapping_sub(before)))
}

/// Read from `offset` on until `buffer` is full or the file ends. Returns how many bytes were read.
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
            // A list that does not fit into the buffer is ignored.
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
