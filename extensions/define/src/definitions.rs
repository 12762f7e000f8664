//! The functions that the connection has defined. Their indexes are the ids with which they are
//! registered.

use sql_tokens::{Dialect, Kind, Tokens, quoted_name};
use sqlite_wasm_kit::Risk::Ordinary;
use sqlite_wasm_kit::Stability::Volatile;
use sqlite_wasm_kit::{Error, Result, Value, sql};

use crate::expand::{Found, expand};
use crate::parameters::Parameters;
use crate::stored;

/// Limit on the arguments of a function in SQLite's interface.
const MAX_ARGUMENTS: usize = 127;

/// The functions of this extension.
const OWN_NAMES: &[&str] = &["define", "define_free", "eval", "undefine"];

/// All definitions.
pub struct Definitions {
    functions: Vec<Function>,
}

/// A registered name and argument count. SQLite replaces no function while a statement runs, and
/// `SELECT define(…)` is one, so the registration stays and only the body changes.
struct Function {
    name: String,
    arguments: usize,
    /// None after it was removed.
    body: Option<String>,
    statement: Option<sql::Statement>,
}

impl Definitions {
    pub const fn new() -> Self {
        Self { functions: Vec::new() }
    }

    /// The connection loads the extension, possibly again: read the definitions of the database.
    pub fn connect(&mut self) -> Result<()> {
        self.free();
        self.functions.iter_mut().for_each(|function| function.body = None);
        for (name, body) in stored::scalars()? {
            // Nobody could have defined such a name; ignore it, so that the database can still be
            // used.
            if check_name(&name).is_ok()
                && let Ok(place) = self.place(&name, &body)
            {
                self.functions[place].body = Some(body);
            }
        }
        Ok(())
    }

    /// Close all prepared statements.
    pub fn free(&mut self) {
        self.functions.iter_mut().for_each(|function| function.statement = None);
    }

    pub fn define(&mut self, name: &str, body: &str) -> Result<()> {
        self.try_define(name, body)
            .map_err(|error| Error::new(error.code, format!("define: `{name}`: {}", error.message)))
    }

    fn try_define(&mut self, name: &str, body: &str) -> Result<()> {
        check_name(name)?;
        let place = self.place(name, body)?;
        let before = self.replace(place, Some(body.to_owned()));
        let stored_name = self.functions[place].name.clone();
        let done = self.prepare(place).and_then(|()| stored::save(&stored_name, "scalar", body));
        if done.is_err() {
            self.restore(before);
        }
        done
    }

    pub fn undefine(&mut self, name: &str) -> Result<()> {
        if stored::is_table(name)? {
            let quoted = quoted_name(name);
            let message = format!("undefine: `{name}` is a table; use DROP TABLE {quoted}");
            return Err(message.into());
        }
        stored::forget(name)?;
        self.free();
        self.named(name).for_each(|function| function.body = None);
        Ok(())
    }

    /// The index of the function with this name and the body's argument count; a new one is
    /// registered.
    fn place(&mut self, name: &str, body: &str) -> Result<usize> {
        let arguments = Parameters::of(body).count();
        if arguments > MAX_ARGUMENTS {
            return Err(format!("{arguments} parameters; {MAX_ARGUMENTS} are allowed").into());
        }
        let is_it = |function: &Function| function.is(name) && function.arguments == arguments;
        if let Some(place) = self.functions.iter().position(is_it) {
            return Ok(place);
        }
        let place = self.functions.len();
        sql::register(place as u32, name, arguments as i8, Volatile, Ordinary)
            .map_err(|_| "there is a function of this name, which cannot be replaced")?;
        let name = name.to_owned();
        self.functions.push(Function { name, arguments, body: None, statement: None });
        Ok(place)
    }

    /// Call a function.
    pub fn call(
        &mut self,
        place: usize,
        arguments: impl IntoIterator<Item = Value>,
    ) -> Result<Value> {
        if self.functions[place].statement.is_none() {
            self.prepare(place)?;
        }
        let Some(statement) = &mut self.functions[place].statement else {
            return Ok(Value::Null);
        };
        let row = statement.query(arguments)?.next().transpose()?;
        Ok(row.and_then(|row| row.into_iter().next()).unwrap_or_default())
    }

    /// The definition of a name, for other definitions.
    pub fn find(&self, name: &str, arguments: usize) -> Found<'_> {
        let mut found = refused(name);
        for function in self.functions.iter().filter(|function| function.is(name)) {
            match &function.body {
                Some(body) if function.arguments == arguments => return Found::Body(body),
                Some(_) => found = Found::Wrong(wrong_count(name)),
                None if matches!(found, Found::Nothing) => found = Found::Wrong(unknown(name)),
                None => {}
            }
        }
        found
    }

    fn prepare(&mut self, place: usize) -> Result<()> {
        let function = &self.functions[place];
        let Some(body) = &function.body else {
            let defined = |other: &Function| other.is(&function.name) && other.body.is_some();
            let is_defined = self.functions.iter().any(defined);
            let why = if is_defined { wrong_count } else { unknown };
            return Err(why(&function.name).into());
        };
        // Expanded like a call, so that one which calls itself is noticed.
        let places: Vec<_> = (1..=function.arguments).map(|place| format!("?{place}")).collect();
        expand(&format!("{}({})", function.name, places.join(",")), &|name, count| {
            self.find(name, count)
        })?;
        // A line break, in case the body ends with a comment.
        let body = format!("SELECT ({body}\n)");
        let statement = sql::prepare(&expand(&body, &|name, count| self.find(name, count))?)?;
        if statement.parameter_count() as usize != function.arguments {
            return Err("its parameters cannot be understood".into());
        }
        self.functions[place].statement = Some(statement);
        Ok(())
    }

    /// Set the body of a name at one index, and remove it at the others.
    fn replace(&mut self, place: usize, body: Option<String>) -> Before {
        self.free();
        let name = self.functions[place].name.clone();
        let named = self.functions.iter_mut().enumerate().filter(|(_, found)| found.is(&name));
        let before = named.map(|(other, function)| (other, function.body.take())).collect();
        self.functions[place].body = body;
        before
    }

    fn restore(&mut self, before: Before) {
        self.free();
        for (place, body) in before {
            self.functions[place].body = body;
        }
    }

    fn named(&mut self, name: &str) -> impl Iterator<Item = &mut Function> {
        self.functions.iter_mut().filter(move |function| function.is(name))
    }
}

impl Function {
    fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }
}

/// The bodies of all functions with a name, before a change.
type Before = Vec<(usize, Option<String>)>;

/// Functions that SQL of the extension cannot call.
pub fn refused(name: &str) -> Found<'static> {
    if OWN_NAMES.iter().any(|own| own.eq_ignore_ascii_case(name)) {
        Found::Wrong(format!("`{name}` cannot be called from here"))
    } else {
        Found::Nothing
    }
}

fn unknown(name: &str) -> String {
    format!("no such function: {name}")
}

fn wrong_count(name: &str) -> String {
    format!("wrong number of arguments to function {name}()")
}

/// Check that a name can be written in a call, and is not one of SQLite's.
fn check_name(name: &str) -> Result<()> {
    let mut tokens = Tokens::new(name, Dialect::Sqlite);
    let first = tokens.next();
    let is_word = first.is_some_and(|token| token.kind == Kind::Word) && tokens.rest().is_empty();
    if !is_word {
        return Err("a name has letters, digits and `_`".into());
    }
    let is_own = OWN_NAMES.iter().any(|own| own.eq_ignore_ascii_case(name));
    if is_own || stored::is_builtin(name)? {
        let message = "it is a function already, and SQLite's own cannot be replaced";
        return Err(message.into());
    }
    // `select()` or `not()` would not be calls.
    match sql::prepare(&format!("SELECT 1, {name}()")) {
        Err(error) if error.message.contains("syntax error") => Err("it is a keyword".into()),
        _ => Ok(()),
    }
}
