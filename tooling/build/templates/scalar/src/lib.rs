//! shout: loud text.
//!
//! - `shout(X)`: X in capital letters, followed by `!`
//! - `shout(X, N)`: the same with N exclamation marks, 0 to 10
//!
//! NULL gives NULL.

// 1. Each function as SQLite registers it: its name, its argument count, whether equal arguments
//    give equal results, and who may call it if the schema is not trusted.
use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::Stability::Stable;
use sqlite_wasm_kit::{Result, Scalar};

const SCALARS: &[Scalar] = &[
    Scalar::new("shout", 1, Stable, Innocuous, |a| a.apply(once)),
    Scalar::new("shout", 2, Stable, Innocuous, |a| a.apply(loud)),
];

// 2. The extension.
sqlite_wasm_kit::extension! {
    name: "shout",
    description: "loud text",
    scalars: SCALARS,
}

// 3. The functions: plain Rust types. Use `Option<T>` to be called for NULL too.
fn once(text: String) -> Result<String> {
    loud(text, 1)
}

// 4. An error names the function, then what it allows.
fn loud(text: String, marks: i64) -> Result<String> {
    match usize::try_from(marks) {
        Ok(marks @ 0..=10) => Ok(text.to_uppercase() + &"!".repeat(marks)),
        _ => Err("shout: N must be 0 to 10".into()),
    }
}

// 5. Tests run natively, without SQLite: `cargo test -p shout-extension`.
#[cfg(test)]
mod tests {
    use super::{loud, once};

    #[test]
    fn text_becomes_loud() {
        assert_eq!(once("größe".into()).as_deref(), Ok("GRÖSSE!"));
        assert_eq!(loud("ah".into(), 3).as_deref(), Ok("AH!!!"));
    }

    #[test]
    fn too_loud_is_an_error() {
        let error = loud("ah".into(), 11).unwrap_err();
        assert_eq!(error.message, "shout: N must be 0 to 10");
    }
}
