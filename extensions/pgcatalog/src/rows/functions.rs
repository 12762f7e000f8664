//! The functions of `pg_proc`: those behind types, and PostgreSQL's own that the server of the Postgres wire has.
//!
//! `functions.txt` is written by `host/serve/tests/clients/dumps/functions.py`, which calls each of them.

use sqlite_wasm_kit::Value;

use super::{Cells, int, text, type_functions, yes};
use crate::catalog::{OWNER, PG_CATALOG};
use crate::definitions::type_text;

/// The language `internal`.
const INTERNAL: i64 = 12;

/// By name the overloads of each: OIDs of itself, its result and its arguments, letters, and arguments with names.
const FUNCTIONS: &str = include_str!("functions.txt");

/// A function.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    pub oid: i64,
    pub name: String,
    pub result: i64,
    pub arguments: Vec<i64>,
    /// Its kind, its volatility, `t` for a strict one, `s` for a set, and `v` for a last argument that is VARIADIC.
    letters: String,
    /// Its arguments as PostgreSQL shows them, where they have names.
    named: Option<&'static str>,
}

/// All, in the order of their names in each of both lists.
pub fn all() -> impl Iterator<Item = Function> {
    let of_line = |line: &'static str| {
        let mut fields = line.split('\t');
        let name = fields.next().unwrap_or_default();
        fields.filter_map(move |overload| read(name, overload))
    };
    type_functions::functions().chain(FUNCTIONS.lines().flat_map(of_line))
}

fn read(name: &str, overload: &'static str) -> Option<Function> {
    let (overload, named) = match overload.split_once('|') {
        Some((overload, named)) => (overload, Some(named)),
        None => (overload, None),
    };
    let mut words = overload.split(' ');
    let (oid, result) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let arguments = words.next()?.split(',').filter_map(|oid| oid.parse().ok()).collect();
    Some(Function::new(oid, name, result, arguments, words.next()?, named))
}

impl Function {
    pub fn new(
        oid: i64,
        name: impl Into<String>,
        result: i64,
        arguments: Vec<i64>,
        letters: impl Into<String>,
        named: Option<&'static str>,
    ) -> Self {
        Self { oid, name: name.into(), result, arguments, letters: letters.into(), named }
    }

    fn has(&self, letter: char) -> bool {
        self.letters.chars().skip(2).any(|own| own == letter)
    }

    /// The type of the elements of a last argument that is VARIADIC; 0 for none.
    fn variadic(&self) -> i64 {
        const ELEMENTS: [(i64, i64); 3] = [(1009, 25), (2277, 2283), (5078, 5077)];
        let Some(last) = self.arguments.last().filter(|_| self.has('v')) else { return 0 };
        ELEMENTS.iter().find(|(array, _)| array == last).map_or(*last, |(_, element)| *element)
    }

    /// `pg_get_function_arguments`.
    pub fn shown(&self) -> String {
        if let Some(named) = self.named {
            return named.to_owned();
        }
        let last = self.arguments.len().wrapping_sub(1);
        let argument = |(at, oid): (usize, &i64)| {
            let variadic = if at == last && self.has('v') { "VARIADIC " } else { "" };
            format!("{variadic}{}", type_text(*oid, -1))
        };
        self.arguments.iter().enumerate().map(argument).collect::<Vec<_>>().join(", ")
    }

    /// `pg_get_function_identity_arguments`: without results and defaults.
    pub fn identity(&self) -> String {
        let shown = self.shown();
        let inputs = shown.split(", ").filter(|one| !one.starts_with("OUT "));
        let inputs = inputs.map(|one| one.split(" DEFAULT ").next().unwrap_or_default());
        inputs.collect::<Vec<_>>().join(", ")
    }

    /// `pg_get_function_result`.
    pub fn returned(&self) -> String {
        format!("{}{}", if self.has('s') { "SETOF " } else { "" }, type_text(self.result, -1))
    }

    /// `regprocedure`: its name and the types of its arguments.
    pub fn signature(&self) -> String {
        let types: Vec<_> = self.arguments.iter().map(|oid| type_text(*oid, -1)).collect();
        format!("{}({})", crate::definitions::quote_ident(&self.name), types.join(","))
    }

    fn cells(&self) -> Cells {
        let letter = |at: usize| self.letters.get(at..=at).unwrap_or_default();
        let types: Vec<_> = self.arguments.iter().map(ToString::to_string).collect();
        vec![
            ("oid", int(self.oid)),
            ("proname", text(&self.name)),
            ("pronamespace", int(PG_CATALOG)),
            ("proowner", int(OWNER)),
            ("prolang", int(INTERNAL)),
            ("procost", Value::Real(1.0)),
            ("prorows", Value::Real(if self.has('s') { 100.0 } else { 0.0 })),
            ("provariadic", int(self.variadic())),
            ("prokind", text(letter(0))),
            ("proisstrict", yes(self.has('t'))),
            ("proretset", yes(self.has('s'))),
            ("provolatile", text(letter(1))),
            ("proparallel", text("s")),
            ("pronargs", int(self.arguments.len())),
            ("prorettype", int(self.result)),
            ("proargtypes", text(types.join(" "))),
            ("prosrc", text(&self.name)),
        ]
    }
}

/// The function with an OID.
pub fn of_oid(oid: i64) -> Option<Function> {
    all().find(|function| function.oid == oid)
}

/// The OIDs of those with a name.
pub fn named(name: &str) -> Vec<i64> {
    all().filter(|function| function.name == name).map(|function| function.oid).collect()
}

/// The rows of `pg_proc`.
pub fn rows() -> Vec<Cells> {
    all().map(|function| function.cells()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_read() {
        let functions: Vec<_> = all().collect();
        let overloads = FUNCTIONS.lines().map(|line| line.split('\t').count() - 1);
        assert_eq!(functions.len(), 92 + overloads.sum::<usize>());
        let oids: std::collections::BTreeSet<_> = functions.iter().map(|one| one.oid).collect();
        assert_eq!(oids.len(), functions.len());
    }

    #[test]
    fn functions_are_shown_as_postgres_does() {
        let one = |oid| of_oid(oid).unwrap();
        assert_eq!(one(1395).signature(), "abs(double precision)");
        assert_eq!([one(3059).shown(), one(3059).returned()], ["text, VARIADIC \"any\"", "text"]);
        assert_eq!(one(3958).shown(), "from_json json, OUT key text, OUT value json");
        assert_eq!(
            [one(3958).identity(), one(3958).returned()],
            ["from_json json", "SETOF record"]
        );
        assert_eq!([one(3951).variadic(), one(1395).variadic()], [25, 0]);
        assert_eq!(named("int4in"), [42]);
        assert!(named("abs").len() > 1 && named("nosuch").is_empty());
    }
}
