//! Types with the layout that the canonical ABI gives to those of the WIT. An `enum` with `repr(C,
//! u8)` is laid out as a variant, `result` or `option`.

use std::marker::PhantomData;

use wire::{InlineValue, Value};

use super::libc::HostList;
use crate::host::dispatch::{Request, SqlError, Unfinished};
use crate::host::extension_types::{Function, FunctionFlags, FunctionKind, Risk, TextEncoding};

/// A list that the host reads during a call.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct List<'a, T> {
    data: *const T,
    count: usize,
    items: PhantomData<&'a [T]>,
}

impl<'a, T> List<'a, T> {
    pub fn new(items: &'a [T]) -> Self {
        Self { data: items.as_ptr(), count: items.len(), items: PhantomData }
    }
}

/// A value to be passed to the host.
pub type Argument<'a> = Value<List<'a, u8>>;

/// A value from the host, which owns its bytes.
pub type HostValue = Value<HostList<u8>>;

const _: () = assert!(size_of::<HostValue>() == 16 && align_of::<HostValue>() == 8);

/// `types.output`.
#[repr(C)]
pub struct Output {
    pub value: HostValue,
    pub subtype: u8,
}

#[repr(C, u8)]
#[allow(dead_code, reason = "the host stores them")]
pub(super) enum HostOption<T> {
    None,
    Some(T),
}

/// `types.sql-error`.
#[repr(C)]
pub(super) struct HostError {
    code: i32,
    message: HostList<u8>,
}

impl HostError {
    fn to_error(&self) -> SqlError {
        let message = String::from_utf8_lossy(&self.message).into_owned();
        SqlError { code: self.code, message }
    }
}

/// `types.function`.
#[repr(C)]
pub(super) struct HostFunction {
    name: HostList<u8>,
    arguments: i8,
    kind: FunctionKind,
    encoding: TextEncoding,
    flags: u8,
    risk: Risk,
}

impl HostFunction {
    fn to_function(&self) -> Function {
        Function {
            name: String::from_utf8_lossy(&self.name).into_owned(),
            arguments: self.arguments,
            kind: self.kind,
            encoding: self.encoding,
            flags: FunctionFlags::from_bits_retain(self.flags),
            risk: self.risk,
        }
    }
}

/// `tuple<u32, function>`.
#[repr(C)]
pub(super) struct HostRegistration {
    handle: u32,
    function: HostFunction,
}

/// `dispatch.request`.
#[repr(C)]
pub struct HostRequest {
    operations: HostList<u8>,
    read_only: bool,
    function: HostOption<HostRegistration>,
}

impl HostRequest {
    #[cold]
    pub fn take(&mut self) -> Request {
        let function = match &self.function {
            HostOption::None => None,
            HostOption::Some(it) => Some((it.handle, it.function.to_function())),
        };
        let operations = std::mem::replace(&mut self.operations, HostList::EMPTY).into_vec();
        Request { operations, read_only: self.read_only, function }
    }
}

/// `dispatch.unfinished`.
#[repr(C, u8)]
#[allow(dead_code, reason = "the host stores them")]
pub(super) enum HostUnfinished {
    Failed(HostError),
    Pending(HostRequest),
}

impl HostUnfinished {
    #[cold]
    fn into_unfinished(self) -> Unfinished {
        match self {
            Self::Failed(error) => Unfinished::Failed(error.to_error()),
            Self::Pending(mut request) => Unfinished::Pending(request.take()),
        }
    }
}

/// `dispatch.inline-outcome`.
#[repr(C, u8)]
#[allow(dead_code, reason = "the host stores them")]
pub enum InlineOutcome {
    Stored,
    Done(InlineValue),
    Pending(HostRequest),
}

#[repr(C, u8)]
#[allow(dead_code, reason = "the host stores them")]
pub(super) enum HostResult<T, E = HostUnfinished> {
    Ok(T),
    Err(E),
}

impl<T> HostResult<T> {
    #[inline]
    pub(super) fn into_result(self) -> Result<T, Unfinished> {
        match self {
            Self::Ok(value) => Ok(value),
            Self::Err(why) => Err(why.into_unfinished()),
        }
    }
}

/// `table-types.batch`. Its values own their bytes.
#[repr(C)]
pub(super) struct HostBatch {
    row_ids: HostList<i64>,
    values: HostList<HostValue>,
    subtypes: HostList<u8>,
    /// Of `bool`; a fused extension can store other bytes.
    required: HostList<u8>,
    row_id_error: HostOption<HostError>,
    is_last: bool,
}

impl HostBatch {
    /// How many blocks the host has allocated for it, without those of its values.
    fn allocations(&self) -> u32 {
        let message = match &self.row_id_error {
            HostOption::None => 0,
            HostOption::Some(error) => error.message.len(),
        };
        let lists = [self.subtypes.len(), self.required.len(), message];
        let counts = [self.row_ids.len(), self.values.len()].into_iter().chain(lists);
        counts.filter(|count| *count > 0).count() as u32
    }
}

/// Rows of a scan.
pub struct Batch {
    rows: HostBatch,
    /// Some values may have bytes to free.
    has_bytes: bool,
}

impl Batch {
    /// `allocations` is how many blocks the host has allocated for `rows`.
    pub(super) fn new(rows: HostBatch, allocations: u32) -> Self {
        let has_bytes = allocations != rows.allocations();
        Self { rows, has_bytes }
    }

    /// No rows, at the end of a scan.
    pub const NONE: Self = Self {
        rows: HostBatch {
            row_ids: HostList::EMPTY,
            values: HostList::EMPTY,
            subtypes: HostList::EMPTY,
            required: HostList::EMPTY,
            row_id_error: HostOption::None,
            is_last: true,
        },
        has_bytes: false,
    };

    pub fn row_ids(&self) -> &[i64] {
        &self.rows.row_ids
    }

    /// The columns of each row, one row after the other.
    #[inline]
    pub fn values(&self) -> &[HostValue] {
        &self.rows.values
    }

    /// One subtype for each value, or none at all.
    pub fn subtypes(&self) -> &[u8] {
        &self.rows.subtypes
    }

    /// Whether UPDATE passes on the value with this index where it does not change it.
    pub fn is_required(&self, index: usize) -> bool {
        self.rows.required.get(index).is_some_and(|byte| *byte != 0)
    }

    /// How many values say whether they are required: all, or none.
    pub fn required_count(&self) -> usize {
        self.rows.required.len()
    }

    /// The error if the rows have no row ids.
    pub fn row_id_error(&self) -> Option<SqlError> {
        match &self.rows.row_id_error {
            HostOption::None => None,
            HostOption::Some(error) => Some(error.to_error()),
        }
    }

    #[inline]
    pub fn is_last(&self) -> bool {
        self.rows.is_last
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        if self.has_bytes {
            std::mem::replace(&mut self.rows.values, HostList::EMPTY).drop_items();
        }
    }
}

/// Rows for an aggregate, of `width` values each.
pub struct Rows<'a> {
    pub count: u32,
    pub width: u32,
    pub values: &'a [Argument<'a>],
    pub subtypes: &'a [u8],
}
