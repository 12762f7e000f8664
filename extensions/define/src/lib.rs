//! define: functions that are defined in SQL, as sqlean's define has them.
//!
//! - `define(NAME, BODY)`: make a function of an expression with parameters,
//!   `?`, `?1` or `:name`, in the order of its arguments. A definition of the
//!   same name is replaced
//! - `undefine(NAME)`: take it back
//! - `CREATE VIRTUAL TABLE NAME USING define((SELECT …))`: a table-valued
//!   function; its parameters are its arguments. DROP TABLE takes it back
//! - `eval(SQL)`, `eval(SQL, SEPARATOR)`: run statements; all values that they
//!   answer, with SEPARATOR or a space between; NULL when there are none
//! - `define_free()`: give the memory of prepared statements back. Closing a
//!   connection does so too
//!
//! Definitions are stored in the database, in the table
//! `sqlean_define(name, type, body)`, and are there again when the extension is
//! loaded. Another connection sees them after it has loaded them.
//!
//! A body may call other defined functions; calls are replaced by what the
//! other is defined as, with each argument computed once. It cannot call
//! itself, `eval` or `define`, and cannot read tables of `define`, nor views
//! that do either: the extension is not called while its own SQL runs. Names of
//! SQLite's own functions cannot be defined, nor those that another extension
//! has registered with as many arguments.

mod definitions;
mod eval;
mod expand;
mod stored;
mod table;
mod tokens;

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
    description: "functions that are defined in SQL, as sqlean's define has them",
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
