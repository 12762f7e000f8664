//! `sqlite-wasm:extension/types`, with the host's type for values.

#![allow(missing_docs)]

mod bindings {
    wasmtime::component::bindgen!({
        path: "wit/extension",
        inline: "
            package sqlite-wasm:types-view;
            world types { import sqlite-wasm:extension/types@0.1.0; }
        ",
        // A composed file contains manifests.
        additional_derives: [PartialEq, serde::Serialize, serde::Deserialize],
    });
}

/// The generated types.
pub(crate) mod generated {
    pub use super::bindings::sqlite_wasm::extension::types::*;
}

pub use super::values::{InlineValue, Output, Value, check_arguments};
pub use generated::{
    Connecting, Function, FunctionFlags, FunctionKind, Host, HostWithStore, InlineArguments,
    Manifest, Module, ModuleFlags, ModuleKind, Need, Risk, SqlError, TextEncoding, add_to_linker,
};

impl FunctionKind {
    /// Whether `scalar.call` computes it, and not `aggregate`.
    pub fn is_called(self) -> bool {
        matches!(self, Self::Scalar | Self::Tokenizer)
    }
}

/// Flags as a list of their names in the contract.
macro_rules! named_flags {
    ($flags:ident: $($name:literal $flag:ident)*) => {
        impl serde::Serialize for $flags {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let all = [$(($name, Self::$flag)),*];
                let set = all.into_iter().filter(|(_, flag)| self.contains(*flag));
                serializer.collect_seq(set.map(|(name, _)| name))
            }
        }

        impl<'de> serde::Deserialize<'de> for $flags {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let names = <Vec<String> as serde::Deserialize>::deserialize(deserializer)?;
                names.iter().try_fold(Self::empty(), |set, name| match name.as_str() {
                    $($name => Ok(set | Self::$flag),)*
                    name => Err(serde::de::Error::custom(format!("there is no flag `{name}`"))),
                })
            }
        }
    };
}

named_flags! {
    FunctionFlags:
    "deterministic" DETERMINISTIC
    "argument-subtypes" ARGUMENT_SUBTYPES
    "result-subtype" RESULT_SUBTYPE
    "numbers-as-text" NUMBERS_AS_TEXT
    "inline" INLINE
    "pointers" POINTERS
}

named_flags! {
    ModuleFlags:
    "writable" WRITABLE
    "transactions" TRANSACTIONS
    "savepoints" SAVEPOINTS
    "rename" RENAME
    "integrity" INTEGRITY
    "overloads" OVERLOADS
    "constraint-support" CONSTRAINT_SUPPORT
    "all-schemas" ALL_SCHEMAS
    "unchanged-columns" UNCHANGED_COLUMNS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flag_has_its_name() {
        let names = |flags: &dyn Fn() -> serde_json::Value| match flags() {
            serde_json::Value::Array(names) => names.len(),
            _ => 0,
        };
        assert_eq!(names(&|| serde_json::json!(FunctionFlags::all())), 6);
        assert_eq!(names(&|| serde_json::json!(ModuleFlags::all())), 9);
    }

    #[test]
    fn flags_are_read_as_they_are_written() {
        let flags = ModuleFlags::WRITABLE | ModuleFlags::ALL_SCHEMAS;
        let text = serde_json::to_string(&flags).unwrap();
        assert_eq!(text, r#"["writable","all-schemas"]"#);
        assert!(serde_json::from_str::<ModuleFlags>(&text).unwrap() == flags);
        assert!(serde_json::from_str::<ModuleFlags>(r#"["other"]"#).is_err());
    }
}
