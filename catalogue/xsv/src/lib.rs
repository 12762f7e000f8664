//! xsv: virtual tables over separated values, with the names and options of sqlite-xsv.
//!
//! ```sql
//! CREATE VIRTUAL TABLE temp.t USING xsv(filename='t.psv', delimiter='|', id integer, name text);
//! CREATE VIRTUAL TABLE temp.r USING csv_reader(id integer, name text);
//! SELECT * FROM r('t.csv'), r(x'310a');
//! ```
//!
//! - `xsv(filename=, delimiter=, …)`, `csv(filename=, …)`, `tsv(filename=, …)`: a table over a file in a
//!   granted directory; it is unpacked if its name ends in `.gz`
//! - `xsv_reader(delimiter=, …)`, `csv_reader(…)`, `tsv_reader(…)`: a table over what its hidden column
//!   `_source` is compared with: the name of a file, or a blob that is the content
//!
//! Options: `header=no` if the first row is not a header, `quote=''''`, and columns with their types.
//! Without columns their names are those of the header, or `c1`, `c2`, …
//!
//! A field is an integer or real if its column's type says so and it is one; else it is text. A
//! row with more or fewer fields than the first one, and text that is not UTF-8, is an error.

mod arguments;
mod columns;
mod reader;
mod rows;
mod table;

use reader::Reader;
use sqlite_wasm_kit::ModuleKind::Created;
use sqlite_wasm_kit::Risk::DirectOnly;
use sqlite_wasm_kit::{Module, Need};
use table::File;

/// A hostile schema could show files to users who may not see them, so only direct SQL may use these.
const MODULES: &[Module] = &[
    Module::new::<File<0>>("xsv", Created, DirectOnly),
    Module::new::<File<b','>>("csv", Created, DirectOnly),
    Module::new::<File<b'\t'>>("tsv", Created, DirectOnly),
    Module::new::<Reader<0>>("xsv_reader", Created, DirectOnly),
    Module::new::<Reader<b','>>("csv_reader", Created, DirectOnly),
    Module::new::<Reader<b'\t'>>("tsv_reader", Created, DirectOnly),
];

sqlite_wasm_kit::extension! {
    name: "xsv",
    description: "tables over separated values, with types",
    modules: MODULES,
    needs: &[Need::Directory("the files that it reads")],
}

#[cfg(test)]
mod tests;
