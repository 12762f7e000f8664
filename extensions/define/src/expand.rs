//! Calls of defined functions, replaced by their definitions.
//!
//! While SQL of the extension runs, the extension cannot be called, so the SQL must not contain
//! such calls. `f(1, x)` with the body `:a + :b * :a` becomes
//!
//! ```sql
//! (WITH define_1(a1,a2) AS MATERIALIZED (SELECT 1,x)
//!  SELECT (coalesce(define_1.a1,NULL) + …) FROM define_1)
//! ```
//!
//! The table ensures that each argument is computed once. `coalesce` removes affinity and collation
//! of the argument, which a function does not see either.

use std::fmt::Write;

use sql_tokens::{Dialect, Kind, Token, Tokens};
use sqlite_wasm_kit::Result;

use crate::parameters::Parameters;

/// Longest SQL after expansion: with two calls of the previous one in each of thirty definitions it
/// would be a gigabyte.
const MAX_EXPANDED_BYTES: usize = 1 << 20;

/// Maximum nesting of calls. SQLite's limit for expressions is 1000, and a call takes ten levels of
/// it.
const MAX_DEPTH: usize = 100;

/// The result of looking up a name.
pub enum Found<'a> {
    /// No definition: another function, or not a function.
    Nothing,
    /// A definition, by its body.
    Body(&'a str),
    /// A definition that was removed, or that has other arguments.
    Wrong(String),
}

/// Finds definitions by name and argument count.
pub type Find<'a> = &'a dyn Fn(&str, usize) -> Found<'a>;

/// What a call has around and between its arguments.
const OPEN: Kind = Kind::Symbol(b'(');
const COMMA: Kind = Kind::Symbol(b',');
const CLOSE: Kind = Kind::Symbol(b')');

/// Words after which a name is that of a table.
const BEFORE_TABLES: &[&str] = &["FROM", "JOIN", "INTO", "IN", "AS", "UPDATE", "TABLE", "WITH"];

/// `sql` without calls of defined functions.
///
/// # Errors
///
/// When a function calls itself, a call is wrong, or the result is too long.
pub fn expand(sql: &str, find: Find<'_>) -> Result<String> {
    let mut writer = Writer { find, output: String::new(), calls: 0, inside: Vec::new() };
    writer.write(&tokens(sql), &mut Scope::default())?;
    Ok(writer.output)
}

fn tokens(sql: &str) -> Vec<Token<'_>> {
    Tokens::new(sql, Dialect::Sqlite).collect()
}

struct Writer<'a> {
    find: Find<'a>,
    output: String,
    calls: usize,
    /// The functions whose bodies are being expanded; arguments have empty names.
    inside: Vec<String>,
}

/// A text with its parameters.
#[derive(Default)]
struct Scope {
    parameters: Parameters,
    /// The call with the arguments; `None` for the outermost text.
    call: Option<usize>,
}

/// A call in a text.
struct Call<'t> {
    name: String,
    arguments: Vec<&'t [Token<'t>]>,
    /// The position after it.
    end: usize,
}

impl Writer<'_> {
    fn write(&mut self, tokens: &[Token<'_>], scope: &mut Scope) -> Result<()> {
        let mut at = 0;
        while at < tokens.len() {
            if let Some(call) = call_at(tokens, at) {
                match (self.find)(&call.name, call.arguments.len()) {
                    Found::Nothing => {}
                    Found::Wrong(why) => return Err(why.into()),
                    Found::Body(body) => {
                        self.write_call(&call, body, scope)?;
                        at = call.end;
                        continue;
                    }
                }
            }
            self.write_token(tokens[at], scope)?;
            at += 1;
        }
        Ok(())
    }

    fn write_token(&mut self, token: Token<'_>, scope: &mut Scope) -> Result<()> {
        match token.kind {
            // A comment could hide the text after it.
            Kind::Space => self.output.push(' '),
            Kind::Parameter => {
                let number = scope.parameters.number(token.text);
                let _ = match scope.call {
                    Some(call) => {
                        write!(self.output, "coalesce(define_{call}.a{number},NULL)")
                    }
                    None => write!(self.output, "?{number}"),
                };
            }
            _ => self.output.push_str(token.text),
        }
        if self.output.len() > MAX_EXPANDED_BYTES {
            let message = format!("the definitions become more than {MAX_EXPANDED_BYTES} bytes");
            return Err(message.into());
        }
        Ok(())
    }

    fn write_call(&mut self, call: &Call<'_>, body: &str, scope: &mut Scope) -> Result<()> {
        self.calls += 1;
        let number = self.calls;
        if call.arguments.is_empty() {
            self.output.push_str("(SELECT (");
            self.write_body(&call.name, body, number)?;
            self.output.push_str("))");
            return Ok(());
        }
        let names: Vec<_> = (1..=call.arguments.len()).map(|place| format!("a{place}")).collect();
        let head = format!("(WITH define_{number}({}) AS MATERIALIZED (SELECT ", names.join(","));
        self.output.push_str(&head);
        self.enter(String::new())?;
        for (place, argument) in call.arguments.iter().enumerate() {
            self.output.push_str(if place == 0 { "" } else { "," });
            self.write(argument, scope)?;
        }
        self.inside.pop();
        self.output.push_str(") SELECT (");
        self.write_body(&call.name, body, number)?;
        let _ = write!(self.output, ") FROM define_{number})");
        Ok(())
    }

    fn write_body(&mut self, name: &str, body: &str, number: usize) -> Result<()> {
        self.enter(name.to_ascii_lowercase())?;
        let mut scope = Scope { call: Some(number), ..Scope::default() };
        self.write(&tokens(body), &mut scope)?;
        self.inside.pop();
        Ok(())
    }

    fn enter(&mut self, name: String) -> Result<()> {
        if !name.is_empty() && self.inside.contains(&name) {
            return Err(format!("`{name}` would call itself").into());
        }
        if self.inside.len() >= MAX_DEPTH {
            return Err(format!("calls stand in each other more than {MAX_DEPTH} deep").into());
        }
        self.inside.push(name);
        Ok(())
    }
}

/// The call that begins at a position.
fn call_at<'t>(tokens: &'t [Token<'t>], at: usize) -> Option<Call<'t>> {
    let name = tokens[at].name()?.into_owned();
    let open = next(tokens, at + 1).filter(|place| tokens[*place].kind == OPEN)?;
    let before = tokens[..at].iter().rev().find(|token| token.kind != Kind::Space);
    let is_other = |token: &Token<'_>| {
        token.text == "." || BEFORE_TABLES.iter().any(|keyword| token.is(keyword))
    };
    if before.is_some_and(is_other) {
        return None;
    }
    let mut arguments = Vec::new();
    let (mut depth, mut start) = (0, open + 1);
    for (place, token) in tokens.iter().enumerate().skip(open) {
        match token.kind {
            OPEN => depth += 1,
            COMMA if depth == 1 => {
                arguments.push(&tokens[start..place]);
                start = place + 1;
            }
            CLOSE if depth == 1 => {
                let last = &tokens[start..place];
                if !arguments.is_empty() || last.iter().any(|token| token.kind != Kind::Space) {
                    arguments.push(last);
                }
                let end = place + 1;
                return (!is_table_of_with(tokens, end)).then_some(Call { name, arguments, end });
            }
            CLOSE => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Whether `name(…)` is followed by the AS of a common table expression.
fn is_table_of_with(tokens: &[Token<'_>], end: usize) -> bool {
    let Some(keyword) = next(tokens, end).filter(|place| tokens[*place].is("AS")) else {
        return false;
    };
    next(tokens, keyword + 1).is_some_and(|place| {
        let after = tokens[place];
        after.kind == OPEN || after.is("MATERIALIZED") || after.is("NOT")
    })
}

/// The first position from `at` on that is not a space.
fn next(tokens: &[Token<'_>], at: usize) -> Option<usize> {
    (at..tokens.len()).find(|place| tokens[*place].kind != Kind::Space)
}

#[cfg(test)]
mod tests {
    use super::{Found, MAX_DEPTH, expand};

    /// `one` takes one argument, `pi` none, `self` calls itself, `gone` was.
    fn find(name: &str, count: usize) -> Found<'static> {
        match (name.to_ascii_lowercase().as_str(), count) {
            ("one", 1) => Found::Body(":x+1 -- more"),
            ("pi", 0) => Found::Body("22/7.0"),
            ("two", 2) => Found::Body("one(?2)*?1"),
            ("self", 1) => Found::Body("two(1, self(:x))"),
            ("gone", _) => Found::Wrong("no such function: gone".into()),
            _ => Found::Nothing,
        }
    }

    fn expanded(sql: &str) -> String {
        expand(sql, &find).unwrap()
    }

    #[test]
    fn a_call_becomes_the_body_over_its_arguments() {
        let one = "(WITH define_1(a1) AS MATERIALIZED (SELECT ?1) \
                   SELECT (coalesce(define_1.a1,NULL)+1  ) FROM define_1)";
        assert_eq!(expanded("ONE(:n)"), one);
        assert_eq!(expanded("[one] ( ? )"), one.replace("?1", " ?1 "));
        assert_eq!(expanded("2*pi()"), "2*(SELECT (22/7.0))");
    }

    #[test]
    fn calls_stand_in_each_other() {
        let inner = "(WITH define_2(a1) AS MATERIALIZED (SELECT coalesce(define_1.a2,NULL)) \
                     SELECT (coalesce(define_2.a1,NULL)+1  ) FROM define_2)";
        let outer = format!(
            "(WITH define_1(a1,a2) AS MATERIALIZED (SELECT (?1,2), ?2) \
             SELECT ({inner}*coalesce(define_1.a1,NULL)) FROM define_1)"
        );
        assert_eq!(expanded("two((:a,2), :b)"), outer);
    }

    #[test]
    fn what_is_no_call_stays() {
        for sql in [
            "one(1,2)",
            "'one(1)'",
            "x.one(1)",
            "WITH one(a) AS (SELECT 1) SELECT a FROM one",
            "WITH b AS (SELECT 1), one(a) AS NOT MATERIALIZED (SELECT 1) SELECT 1",
            "INSERT INTO one(a) VALUES(1)",
            "SELECT * FROM one(1)",
            "one (1",
            "other(1)",
        ] {
            assert_eq!(expanded(sql), sql);
        }
    }

    #[test]
    fn what_cannot_be_replaced_is_an_error() {
        let message = |sql: &str| expand(sql, &find).unwrap_err().message;
        assert_eq!(message("self(1)"), "`self` would call itself");
        assert_eq!(message("1 + gone(1)"), "no such function: gone");
        let deep = format!("{}1{}", "one(".repeat(MAX_DEPTH + 1), ")".repeat(MAX_DEPTH + 1));
        assert!(message(&deep).contains("deep"));
        let long = format!("one('{}')", "x".repeat(super::MAX_EXPANDED_BYTES));
        assert!(message(&long).contains("more than"));
    }

    #[test]
    fn a_function_may_be_called_in_its_own_argument() {
        assert!(expanded("one(one(1))").contains("define_2"));
    }
}
