//! The arguments of xUpdate as a change.

use crate::extensions::pointers::or_none;
use crate::host::dispatch;
use crate::host::table_types::{Change, Insertion, Modification};
use crate::sqlite::value::Value;

/// The change that xUpdate's arguments describe.
pub fn change(values: &[&Value]) -> Change {
    match values {
        [] => Change::Delete(dispatch::Value::Null),
        [old] => Change::Delete(old.to_value()),
        [old, new, columns @ ..] if old.is_null() => Change::Insert(Insertion {
            row_id: new.to_value(),
            columns: columns.iter().map(|value| value.to_value()).collect(),
        }),
        [old, new, columns @ ..] => Change::Update(Modification {
            old: old.to_value(),
            // A primary key that stays has no value.
            new: if new.is_unchanged() { old.to_value() } else { new.to_value() },
            columns: columns
                .iter()
                .map(|value| if value.is_unchanged() { None } else { Some(value.to_value()) })
                .collect(),
        }),
    }
}

/// The subtypes of values; empty where none has one.
pub fn subtypes(values: &[&Value]) -> Vec<u8> {
    or_none(values.iter().map(|value| value.subtype()).collect())
}
