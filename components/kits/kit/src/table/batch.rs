//! Rows for SQLite, in the layout of the canonical ABI: the code of `wit-bindgen` for
//! `table.fetch-batch` would copy each value once more, and visit each again to free it, which is a
//! fifth of the time of a scan.
//!
//! The next batch reuses the memory. Texts and blobs of the rows are kept until then, or until a
//! cursor is closed.

use std::cell::{RefCell, UnsafeCell};
use std::mem::ManuallyDrop;
use std::ptr;

use wire::tag;

use crate::{Error, Result, Value};

/// A list in the layout of the canonical ABI.
#[repr(C)]
struct List<T> {
    data: *const T,
    count: usize,
}

// Not derived, which would require it of `T`.
impl<T> Copy for List<T> {}
impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> List<T> {
    fn of(items: &[T]) -> Self {
        Self { data: items.as_ptr(), count: items.len() }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
union Payload {
    integer: i64,
    real: f64,
    bytes: List<u8>,
}

/// `types.value` in the layout of the canonical ABI. The tag is one byte there; here it is a word
/// with the padding after it, which is written at once.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Cell {
    tag: u64,
    payload: Payload,
}

#[cfg(target_family = "wasm")]
const _: () = assert!(size_of::<Cell>() == 16 && align_of::<Cell>() == 8);

impl Cell {
    /// SQL NULL.
    const NULL: Self = Self { tag: tag::NULL as u64, payload: Payload { integer: 0 } };

    /// Store a value, and forget the old one. If the old one has bytes, call [`Self::release`]
    /// first.
    #[inline]
    pub fn put(&mut self, value: Value) {
        *self = match value {
            Value::Null => Self::NULL,
            Value::Integer(integer) => {
                Self { tag: tag::INTEGER.into(), payload: Payload { integer } }
            }
            Value::Real(real) => Self { tag: tag::REAL.into(), payload: Payload { real } },
            Value::Text(bytes) => Self { tag: tag::TEXT.into(), payload: lent(bytes) },
            Value::Blob(bytes) => Self { tag: tag::BLOB.into(), payload: lent(bytes) },
        };
    }

    /// Bytes of a text or blob.
    #[inline]
    pub fn byte_count(&self) -> usize {
        match self.tag as u8 {
            // SAFETY: the tag determines the type of the payload.
            tag::TEXT | tag::BLOB => unsafe { self.payload.bytes.count },
            _ => 0,
        }
    }

    /// Free the bytes of a text or blob; the cell becomes NULL.
    #[inline]
    pub fn release(&mut self) {
        if matches!(self.tag as u8, tag::TEXT | tag::BLOB) {
            drop(self.take());
        }
    }

    /// Take the value; the cell becomes NULL.
    pub fn take(&mut self) -> Value {
        let Self { tag, payload } = std::mem::replace(self, Self::NULL);
        // SAFETY: the tag determines the type of the payload; bytes came from `lent` and are taken
        // once.
        unsafe {
            match tag as u8 {
                tag::INTEGER => Value::Integer(payload.integer),
                tag::REAL => Value::Real(payload.real),
                tag::TEXT => Value::Text(taken(payload.bytes)),
                tag::BLOB => Value::Blob(taken(payload.bytes)),
                _ => Value::Null,
            }
        }
    }
}

fn lent(bytes: Vec<u8>) -> Payload {
    let bytes = ManuallyDrop::new(bytes.into_boxed_slice());
    Payload { bytes: List::of(&bytes) }
}

/// # Safety
///
/// `list` came from [`lent`] and is not used any more.
unsafe fn taken(list: List<u8>) -> Vec<u8> {
    let bytes = ptr::slice_from_raw_parts_mut(list.data.cast_mut(), list.count);
    // SAFETY: the caller's promise.
    unsafe { Box::from_raw(bytes) }.into_vec()
}

/// The rows of a batch.
#[derive(Default)]
pub struct Batch {
    pub row_ids: Vec<i64>,
    /// Of as many rows as were requested; NULL behind the last row.
    cells: Vec<Cell>,
    width: usize,
    has_bytes: bool,
    /// No more rows follow.
    pub is_last: bool,
}

impl Batch {
    /// Start again, with room for `rows` rows.
    pub fn begin(&mut self, rows: usize, width: usize) {
        self.clear();
        self.width = width;
        self.row_ids.reserve(rows);
        self.cells.resize(rows * width, Cell::NULL);
    }

    /// The cells of the next row.
    #[inline]
    pub fn next(&mut self) -> &mut [Cell] {
        let start = self.row_ids.len() * self.width;
        &mut self.cells[start..start + self.width]
    }

    /// Add the next row, whose texts and blobs have this many bytes.
    #[inline]
    pub fn add(&mut self, row_id: i64, bytes: usize) {
        self.row_ids.push(row_id);
        self.has_bytes |= bytes > 0;
    }

    /// Do not add the next row.
    pub fn drop_next(&mut self) {
        self.next().iter_mut().for_each(Cell::release);
    }

    /// Give back what the rows lead to.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.has_bytes) {
            self.cells.iter_mut().for_each(Cell::release);
        }
        self.cells.clear();
        self.row_ids.clear();
        self.is_last = false;
    }

    fn raw(&self) -> RawBatch {
        RawBatch {
            row_ids: List::of(&self.row_ids),
            values: List::of(&self.cells[..self.row_ids.len() * self.width]),
            subtypes: List::of(&[]),
            // `Change` has columns that do not change.
            required: List::of(&[]),
            row_id_error: RawOption { is_some: 0, value: RawError::NONE },
            is_last: u8::from(self.is_last),
        }
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        self.clear();
    }
}

/// `table-types.batch`.
#[repr(C)]
#[derive(Clone, Copy)]
struct RawBatch {
    row_ids: List<i64>,
    values: List<Cell>,
    subtypes: List<u8>,
    required: List<bool>,
    row_id_error: RawOption,
    is_last: u8,
}

/// `option<sql-error>`.
#[repr(C)]
#[derive(Clone, Copy)]
struct RawOption {
    is_some: u8,
    value: RawError,
}

/// `types.sql-error`.
#[repr(C)]
#[derive(Clone, Copy)]
struct RawError {
    code: i32,
    message: List<u8>,
}

impl RawError {
    const NONE: Self = Self { code: 0, message: List { data: ptr::null(), count: 0 } };
}

#[repr(C)]
union Body {
    batch: RawBatch,
    error: RawError,
}

/// What `table.fetch-batch` gives: `result<batch, sql-error>`.
#[repr(C)]
pub struct Fetched {
    is_error: u8,
    body: Body,
}

thread_local! {
    static BATCH: RefCell<Batch> = RefCell::default();
    static FAILURE: RefCell<Option<Error>> = const { RefCell::new(None) };
    static FETCHED: UnsafeCell<Fetched> = const {
        UnsafeCell::new(Fetched { is_error: 1, body: Body { error: RawError::NONE } })
    };
}

/// Fetch by `fetch`, and leave the answer where the host reads it, right after
/// this call.
pub fn fetched(fetch: impl FnOnce(&mut Batch) -> Result<()>) -> *const Fetched {
    let answer = BATCH.with_borrow_mut(|batch| match fetch(batch) {
        Ok(()) => Fetched { is_error: 0, body: Body { batch: batch.raw() } },
        Err(error) => FAILURE.with_borrow_mut(|failure| {
            let Error { code, message } = failure.insert(error);
            let message = List::of(message.as_bytes());
            Fetched { is_error: 1, body: Body { error: RawError { code: *code, message } } }
        }),
    });
    FETCHED.with(|place| {
        // SAFETY: a component has one thread, and nobody keeps a reference.
        unsafe { *place.get() = answer };
        place.get().cast_const()
    })
}

/// Give back what the last batch leads to.
pub fn clear() {
    BATCH.with_borrow_mut(Batch::clear);
}

/// Export `table.fetch-batch`: in components only, since native symbols cannot have such names.
#[doc(hidden)]
#[macro_export]
macro_rules! export_fetch {
    ($_table:expr) => {
        #[cfg(target_family = "wasm")]
        const _: () = {
            use $crate::bindings::table::{Fetched, fetch};

            #[unsafe(export_name = "sqlite-wasm:extension/table@0.1.0#fetch-batch")]
            unsafe extern "C" fn exported(cursor: u32, limit: u32) -> *const Fetched {
                fetch(cursor, limit)
            }
        };
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_taken_as_they_were_put() {
        let mut cell = Cell::NULL;
        for value in [
            Value::Null,
            Value::Integer(-1),
            Value::Real(0.5),
            Value::text("text"),
            Value::text(""),
            Value::Blob(vec![0; 100]),
        ] {
            cell.put(Value::text("what was there"));
            cell.release();
            cell.put(value.clone());
            assert_eq!(cell.take(), value);
            assert_eq!(cell.take(), Value::Null);
        }
    }
}
