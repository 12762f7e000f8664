//! define: functions defined in SQL, compatible with sqlean's define.
//!
//! - `define(NAME, BODY)`: define a function as an expression with parameters,
//!   `?`, `?1` or `:name`, in the order of its arguments. It replaces a definition
//!   of the same name
//! - `undefine(NAME)`: remove a definition
//! - `CREATE VIRTUAL TABLE NAME USING define((SELECT …))`: define a table-valued
//!   function; its parameters are its arguments. DROP TABLE removes it
//! - `eval(SQL)`, `eval(SQL, SEPARATOR)`: run statements; the result is the text of
//!   all values that they return, separated by SEPARATOR or a space; NULL if there
//!   are none
//! - `define_free()`: free the memory of prepared statements. Closing a connection
//!   does so too
//!
//! Definitions are stored in the database, in the table
//! `sqlean_define(name, type, body)`, and are available again when the extension is
//! loaded. Other connections see them after they have loaded the extension.
//!
//! A body may call other defined functions; such a call is replaced by the definition, with each
//! argument computed once. A body cannot call itself, `eval` or `define`, and cannot read tables of
//! `define`, nor views that do: the extension cannot be called while its own SQL runs. Names of
//! SQLite's own functions cannot be defined, nor those that another extension has registered with
//! the same argument count.

mod definitions;
mod eval;
mod expand;
mod parameters;
mod stored;
mod table;

use definitions::Definitions;
use sqlite_wasm_kit::Risk::{DirectOnly, Ordinary};
use sqlite_wasm_kit::Stability::Volatile;
use sqlite_wasm_kit::{
    Arguments, IntoOutput, Module, ModuleKind::Created, Need, Output, Result, Scalar,
};
use std::cell::RefCell;
use table::DefinedTable;

const SCALARS: &[Scalar] = &[
    Scalar::new("define", 2, Volatile, DirectOnly, |arguments| {
        with(|all| arguments.apply(|name: String, body: String| all.define(&name, &body)))
    }),
    Scalar::new("undefine", 1, Volatile, DirectOnly, |arguments| {
        with(|all| arguments.apply(|name: String| all.undefine(&name)))
    }),
    Scalar::new("define_free", 0, Volatile, DirectOnly, |_| {
        with(Definitions::free);
        ().into_output()
    }),
    Scalar::new("eval", 1, Volatile, DirectOnly, |arguments| {
        with(|all| arguments.apply(|sql: String| eval::eval(all, &sql, " ")))
    }),
    Scalar::new("eval", 2, Volatile, DirectOnly, |arguments| {
        with(|all| {
            arguments.apply(|sql: String, separator: String| eval::eval(all, &sql, &separator))
        })
    }),
];

const MODULES: &[Module] = &[Module::new::<DefinedTable>("define", Created, Ordinary)];

sqlite_wasm_kit::extension! {
    name: "define",
    description: "functions defined in SQL, compatible with sqlean's define",
    scalars: SCALARS,
    modules: MODULES,
    needs: &[Need::Sql],
    connect: connect,
    registered: call,
}

thread_local! {
    // Nothing calls the extension while its SQL runs: it is never borrowed twice.
    static DEFINITIONS: RefCell<Definitions> = const { RefCell::new(Definitions::new()) };
}

/// With the definitions of the connection, whose instance this is.
fn with<T>(use_them: impl FnOnce(&mut Definitions) -> T) -> T {
    DEFINITIONS.with_borrow_mut(use_them)
}

fn connect() -> Result<()> {
    with(Definitions::connect)
}

/// A call of a function that is defined.
fn call(place: u32, mut arguments: Arguments<'_>) -> Result<Output> {
    let values = arguments.values_mut().iter_mut().map(std::mem::take);
    with(|all| all.call(place as usize, values)).into_output()
}
