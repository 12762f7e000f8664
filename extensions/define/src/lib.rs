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

use definitions::{Definitions, Target};
use sqlite_wasm_kit::Risk::{DirectOnly, Ordinary};
use sqlite_wasm_kit::Stability::Volatile;
use sqlite_wasm_kit::{
    Arguments, IntoOutput, Module, ModuleKind::Created, Need, Output, Result, Scalar,
};
use std::cell::RefCell;
use table::DefinedTable;

/// The others are registered by each connection for itself, so that a call says
/// whose definitions it means.
const SCALARS: &[Scalar] = &[Scalar::new("define_free", 0, Volatile, DirectOnly, |_| {
    DEFINITIONS.with_borrow_mut(Definitions::free);
    ().into_output()
})];

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

fn connect() -> Result<()> {
    DEFINITIONS.with_borrow_mut(Definitions::connect)
}

/// A call of a function that a connection has registered.
fn call(number: u32, mut arguments: Arguments<'_>) -> Result<Output> {
    DEFINITIONS.with_borrow_mut(|all| match all.target(number)? {
        Target::Define(connection) => {
            arguments.apply(|name: String, body: String| all.define(connection, &name, &body))
        }
        Target::Undefine(connection) => {
            arguments.apply(|name: String| all.undefine(connection, &name))
        }
        Target::Eval(connection) => {
            let is_short = arguments.len() == 1;
            arguments.apply(|sql: String, separator: Option<String>| {
                let separator = separator.or(is_short.then(|| " ".to_owned()));
                separator.map(|separator| eval::eval(all, connection, &sql, &separator)).transpose()
            })
        }
        Target::Function(connection, place) => {
            let values = arguments.values_mut().iter_mut().map(std::mem::take);
            all.connection(connection).call(place, values).into_output()
        }
    })
}
