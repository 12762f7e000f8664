//! Exceptions as SQL errors, and SQL errors as exceptions.

use rquickjs::{CaughtError, Coerced, Ctx, Error as Raised, Exception, Object};
use sqlite_wasm_kit::{Error, code};

/// The name of the script in stack traces.
pub const FILE: &str = "extension.js";

/// The SQL error for an exception that the function `name` raised, with the script's line. A
/// numeric `code` of the exception is SQLite's result code.
pub fn caught(ctx: &Ctx<'_>, name: &str, raised: Raised) -> Error {
    let (code, text) = match CaughtError::from_error(ctx, raised) {
        CaughtError::Exception(exception) => described(&exception),
        CaughtError::Value(value) => {
            let text = value.get::<Coerced<String>>().map(|text| text.0);
            (code::ERROR, text.unwrap_or_else(|_| "it threw a value that is not an error".into()))
        }
        CaughtError::Error(error) => (code::ERROR, error.to_string()),
    };
    Error::new(code, format!("{name}: {text}"))
}

fn described(exception: &Exception<'_>) -> (i32, String) {
    let object: &Object<'_> = exception.as_object();
    let code = object.get::<_, i32>("code").ok().filter(|code| *code > 0);
    let kind = object.get::<_, String>("name").unwrap_or_default();
    let message = exception.message().unwrap_or_default();
    let text = match kind.as_str() {
        "" | "Error" => message,
        _ => format!("{kind}: {message}"),
    };
    let line = exception.stack().as_deref().and_then(line);
    let place = line.map_or(String::new(), |line| format!(" (line {line})"));
    (code.unwrap_or(code::ERROR), text + &place)
}

/// The script's line that is highest in a stack trace.
fn line(stack: &str) -> Option<u32> {
    let (_, rest) = stack.split_once(FILE)?;
    let digits = rest.strip_prefix(':')?.split(|one: char| !one.is_ascii_digit()).next()?;
    digits.parse().ok()
}

/// Raise an SQL error in JavaScript.
pub fn raise(ctx: &Ctx<'_>, error: &Error) -> Raised {
    let raise = || {
        let exception = Exception::from_message(ctx.clone(), &error.message)?;
        exception.as_object().set("code", error.code)?;
        Ok::<_, Raised>(exception.throw())
    };
    raise().unwrap_or_else(|error| error)
}
