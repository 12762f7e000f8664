//! What the extension does where nothing is malformed.

use crate::raw;
use crate::wire::exports::sqlite_wasm::extension as interfaces;
use crate::wire::sqlite_wasm::extension::table_types::{
    Batch, Change, Conflict, ConnectMode, Connected, ConstraintUse, FilterArgument, IndexInfo,
    IndexPlan, Overload, TableConfig, Transaction,
};
use crate::wire::sqlite_wasm::extension::types::{
    Connecting, Function, FunctionFlags, FunctionKind, InlineArguments, InlineValue, Manifest,
    Module, ModuleFlags, ModuleKind, Output, Risk, SqlError, TextEncoding, Value,
};
use std::cell::Cell;

pub struct Valid;

fn function(name: &str, arguments: i8, kind: FunctionKind) -> Function {
    Function {
        name: name.into(),
        arguments,
        kind,
        encoding: TextEncoding::Utf8,
        flags: FunctionFlags::empty(),
        risk: Risk::Innocuous,
    }
}

impl interfaces::extension::Guest for Valid {
    fn describe() -> Manifest {
        Manifest {
            name: "malformed".into(),
            version: "0.1.0".into(),
            description: "raw memory".into(),
            functions: vec![
                function("corrupt", 2, FunctionKind::Scalar),
                function("malformed", 1, FunctionKind::Scalar),
                function("malformed_group", 1, FunctionKind::Window),
                Function {
                    flags: FunctionFlags::INLINE,
                    ..function("malformed_inline", 1, FunctionKind::Scalar)
                },
            ],
            collations: Vec::new(),
            modules: vec![Module {
                name: "malformed_table".into(),
                kind: ModuleKind::Eponymous,
                flags: ModuleFlags::all(),
                risk: Risk::Innocuous,
                shadow_names: Vec::new(),
            }],
            needs: Vec::new(),
            connects: Connecting::AtLoad,
        }
    }

    fn connect() -> Result<(), SqlError> {
        Ok(())
    }

    fn disconnect() {}
}

fn output(value: Value) -> Result<Output, SqlError> {
    Ok(Output { value, subtype: 0 })
}

impl interfaces::scalar::Guest for Valid {
    fn call(function: u32, arguments: Vec<Value>, _: Vec<u8>) -> Result<Output, SqlError> {
        let mut arguments = arguments.into_iter();
        let first = arguments.next().unwrap_or(Value::Null);
        if let (0, Value::Text(place)) = (function, &first) {
            let place = String::from_utf8_lossy(place).into_owned();
            match arguments.next() {
                Some(Value::Blob(bytes)) => raw::answer_with(place, &bytes),
                Some(Value::Integer(address)) => raw::answer_at(place, address as usize),
                _ => raw::be_valid(),
            }
            return output(Value::Null);
        }
        output(first)
    }
}

impl interfaces::inline::Guest for Valid {
    /// A last word other than 0 means that no inline value follows.
    fn call(_: u32, arguments: InlineArguments) -> Option<InlineValue> {
        let InlineArguments { heads, words } = arguments;
        (words.7 == 0).then_some(InlineValue { head: heads as u32 & 0xffff, words })
    }

    fn pending_result(_: u32) -> Result<Output, SqlError> {
        output(Value::Null)
    }
}

thread_local! {
    static LAST: Cell<Value> = const { Cell::new(Value::Null) };
}

impl interfaces::aggregate::Guest for Valid {
    fn start(_: u32) -> u32 {
        0
    }

    fn step(_: u32, _: u32, _: u32, mut rows: Vec<Value>, _: Vec<u8>) -> Result<(), SqlError> {
        LAST.set(rows.pop().unwrap_or(Value::Null));
        Ok(())
    }

    fn inverse(_: u32, _: u32, _: u32, _: Vec<Value>, _: Vec<u8>) -> Result<(), SqlError> {
        Ok(())
    }

    fn value(_: u32) -> Result<Output, SqlError> {
        output(LAST.replace(Value::Null))
    }

    fn finish(_: u32) -> Result<Output, SqlError> {
        output(LAST.replace(Value::Null))
    }

    fn abandon(_: u32) {}
}

const ROWS: i64 = 3;

impl interfaces::table::Guest for Valid {
    fn connect(
        _: u32,
        _: ConnectMode,
        _: String,
        _: String,
        _: Vec<String>,
    ) -> Result<Connected, SqlError> {
        let declaration = "CREATE TABLE x(a, b)".into();
        Ok(Connected { table: 0, declaration, config: TableConfig::empty() })
    }

    fn disconnect(_: u32) -> Result<(), SqlError> {
        Ok(())
    }

    fn destroy(_: u32) -> Result<(), SqlError> {
        Ok(())
    }

    fn best_index(_: u32, info: IndexInfo) -> Result<Option<IndexPlan>, SqlError> {
        let none = ConstraintUse { argument: 0, omit: false, whole_list: false };
        Ok(Some(IndexPlan {
            uses: vec![none; info.constraints.len()],
            number: 0,
            text: None,
            order_consumed: false,
            unique: false,
            cost: 1.0,
            rows: ROWS,
        }))
    }

    fn open(_: u32) -> Result<u32, SqlError> {
        Ok(0)
    }

    fn close(_: u32) {}

    fn filter(
        _: u32,
        _: i32,
        _: Option<Vec<u8>>,
        _: Vec<FilterArgument>,
        _: Vec<u8>,
        _: Vec<u32>,
    ) -> Result<(), SqlError> {
        Ok(())
    }

    /// All rows at once, with both columns: the tests ask for both.
    fn fetch_batch(_: u32, _: u32) -> Result<Batch, SqlError> {
        Ok(Batch {
            row_ids: (0..ROWS).collect(),
            values: (0..ROWS)
                .flat_map(|row| [Value::Integer(row), Value::Text(b"text".into())])
                .collect(),
            subtypes: Vec::new(),
            required: Vec::new(),
            row_id_error: None,
            is_last: true,
        })
    }

    fn update(_: u32, _: Change, _: Vec<u8>, _: Conflict) -> Result<i64, SqlError> {
        Ok(1)
    }

    fn transact(_: u32, _: Transaction) -> Result<(), SqlError> {
        Ok(())
    }

    fn rename(_: u32, _: String) -> Result<(), SqlError> {
        Ok(())
    }

    fn integrity(_: u32, _: String, _: String, _: bool) -> Result<Option<String>, SqlError> {
        Ok(None)
    }

    fn find_function(_: u32, _: u32, _: String) -> Option<Overload> {
        None
    }
}
